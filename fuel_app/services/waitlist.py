"""A visitor joins the waitlist."""

from fuel_app.db import waitlist
from fuel_app.db.session import reading, transaction
from fuel_app.domain.allowance import JOINS
from fuel_app.domain.errors import EmailTaken
from fuel_app.domain.waitlist import WaitlistEntry, well_formed_id
from fuel_app.providers.throttle import throttle


async def join(entry: WaitlistEntry, *, referrer: object, address: str) -> str:
    """Put a visitor on the list. Returns their submission id.

    Args:
        referrer: What the `ref` parameter held; anything but a stored submission is ignored.
        address: The visitor's network address, for fair use.

    Raises:
        EmailTaken: If that address is already on the list.
        TooManyRequests: After 30 joins in an hour from one address.
    """
    await throttle().spend(JOINS, address)
    referrer_id = well_formed_id(referrer)
    async with transaction() as session:
        if await waitlist.email_exists(session, entry.email):
            raise EmailTaken
        if referrer_id and not await waitlist.exists(session, referrer_id):
            referrer_id = None
        return await waitlist.add(session, entry, referrer_id)


async def count() -> int:
    """How many are on the list; also the proof at start-up that the database answers."""
    async with reading() as session:
        return await waitlist.count(session)
