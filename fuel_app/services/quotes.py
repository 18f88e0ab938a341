"""A fleet or a business asks for a quote."""

from fuel_app.db import quotes
from fuel_app.db.session import transaction
from fuel_app.domain.allowance import QUOTES
from fuel_app.domain.quotes import BusinessQuote, FleetQuote
from fuel_app.domain.topics import LEADS
from fuel_app.providers import metrics
from fuel_app.providers.signals import signals
from fuel_app.providers.throttle import throttle


async def request(quote: FleetQuote | BusinessQuote, *, address: str) -> str:
    """Store a request for the staff to answer. Returns its id.

    Args:
        address: The visitor's network address, for fair use.

    Raises:
        TooManyRequests: After 10 requests in an hour from one address.
    """
    await throttle().spend(QUOTES, address)
    async with transaction() as session:
        quote_id = await quotes.add(session, quote)
    metrics.QUOTES.labels("fleet" if isinstance(quote, FleetQuote) else "business").inc()
    await signals().publish(LEADS)
    return quote_id
