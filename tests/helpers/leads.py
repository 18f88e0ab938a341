"""Stored leads of each kind."""

from typing import Any

from fuel_app.quotes import service as quotes
from fuel_app.waitlist import service as waitlist
from tests.factories import business_quote, fleet_quote, waitlist_entry

# An address for each visitor, so that no rate limit is reached.
_addresses = (f"2001:db8:0:{number:x}::1" for number in range(2**16))


async def joined(
    referrer: object = None, address: str = "", resume_key: str | None = None, **differs: Any
) -> str:
    """Put a visitor on the waitlist. Return their submission id."""
    entry = waitlist_entry(**differs)
    address = address or next(_addresses)
    return await waitlist.join(entry, referrer=referrer, address=address, resume_key=resume_key)


async def fleet(**differs: Any) -> str:
    return await quotes.request(fleet_quote(**differs), address=next(_addresses))


async def business(**differs: Any) -> str:
    return await quotes.request(business_quote(**differs), address=next(_addresses))
