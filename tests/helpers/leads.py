"""Stored leads of each kind."""

from typing import Any

from fuel_app.quotes import service as quotes
from fuel_app.waitlist import service as waitlist
from tests.factories import business_quote, fleet_quote, waitlist_entry

HERE = "203.0.113.1"


async def joined(
    referrer: object = None, address: str = HERE, resume_key: str | None = None, **differs: Any
) -> str:
    """Put a visitor on the waitlist. Return their submission id."""
    entry = waitlist_entry(**differs)
    return await waitlist.join(entry, referrer=referrer, address=address, resume_key=resume_key)


async def fleet(address: str = HERE, **differs: Any) -> str:
    return await quotes.request(fleet_quote(**differs), address=address)


async def business(address: str = HERE, **differs: Any) -> str:
    return await quotes.request(business_quote(**differs), address=address)
