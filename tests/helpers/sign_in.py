"""Sign-ins that are through, and what they left."""

from typing import TypeVar

from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import Cookie, NeedsFactor, SignedIn, sign_in

Something = TypeVar("Something")


def there(found: Something | None) -> Something:
    assert found is not None
    return found


def through(outcome: SignedIn | NeedsFactor) -> SignedIn:
    assert isinstance(outcome, SignedIn)
    return outcome


async def signed_in(email: object, password: object, visitor: Visitor) -> SignedIn:
    """Sign in somebody who has no second factor."""
    return through(await sign_in(email, password, visitor))


async def session_by(session_id: str) -> Session:
    return there(await sessions.find(session_id))


async def cookie_of(outcome: SignedIn) -> Cookie:
    return there(await sessions.redeem_ticket(outcome.ticket))
