"""The staff's password of the tests, and browsers that are signed in with it."""

from argon2 import PasswordHasher

from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import sessions

PASSWORD = "pump & circumstance ⛽"
HERE = Visitor("203.0.113.1", "Chrome on Windows")
# As strong as the stored one has to be, as fast as a test wants.
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
HASH = QUICK.hash(PASSWORD)


async def a_token() -> str:
    """Sign in. Return the token of the cookie; needs the fixture `password`."""
    signed_in = await sessions.sign_in_shared(PASSWORD, HERE)
    token = await sessions.redeem_ticket(signed_in.ticket)
    assert token
    return token.token
