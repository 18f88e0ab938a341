"""Fill a running site: `python -m tests.seed waitlist Word 60`, or `fleet` for fleet quotes.

They are called Word 001, Word 002 ..., and the last one is the newest. `FUEL_DATABASE_URL` names
the database. `python -m tests.seed session` signs in a staff browser and prints its token.
"""

import asyncio
import sys

import structlog

import fuel_app.tables  # noqa: F401 (foreign keys lead from one table to another)
from fuel_app.accounts.providers import hash_password
from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.quotes import service as quotes
from fuel_app.waitlist import service as waitlist
from tests.factories import fleet_quote, waitlist_entry


async def fill(kind: str, word: str, count: int) -> None:
    for number in range(1, count + 1):
        last, email = f"{number:03}", f"{word}.{number:03}@example.com".lower()
        address = f"198.51.100.{number % 250}"
        if kind == "fleet":
            quote = fleet_quote(contact_name=f"{word} {last}", email=email)
            await quotes.request(quote, address=address)
        else:
            entry = waitlist_entry(first_name=word, last_name=last, email=email)
            await waitlist.join(entry, referrer=None, address=address)


async def sign_in() -> str:
    async with transaction() as session:
        opened = await sessions.start(session)
    cookie = await sessions.redeem_ticket(opened.ticket)
    assert cookie
    return cookie.token


async def person(email: str, password: str) -> None:
    """Store a customer with a verified e-mail."""
    async with transaction() as session:
        row = Person(email=email, first_name="Ada", last_name="Lovelace", phone="9415550123")
        row.password_hash, row.email_verified_at = await hash_password(password), clock.now()
        session.add(row)
        await session.flush()
        await people.add_roles(session, row.id, [Role.CUSTOMER])


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    if sys.argv[1] == "person":
        asyncio.run(person(sys.argv[2], sys.argv[3]))
        sys.exit()
    if sys.argv[1] == "session":
        print(asyncio.run(sign_in()))
        sys.exit()
    asyncio.run(fill(sys.argv[1], sys.argv[2], int(sys.argv[3])))
