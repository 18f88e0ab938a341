"""Storing quote requests."""

from fuel_app.kit import metrics
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import LEADS, signals
from fuel_app.kit.throttle import QUOTES, throttle
from fuel_app.quotes import queries as quotes
from fuel_app.quotes.rules import BusinessQuote, FleetQuote


async def request(quote: FleetQuote | BusinessQuote, *, address: str) -> str:
    """Store a request for the staff to answer. Returns its id.

    Raises:
        TooManyRequests: After 10 requests in an hour from one address.
    """
    await throttle().spend(QUOTES, address)
    async with transaction() as session:
        quote_id = await quotes.add(session, quote)
    metrics.QUOTES.labels("fleet" if isinstance(quote, FleetQuote) else "business").inc()
    await signals().publish(LEADS)
    return quote_id
