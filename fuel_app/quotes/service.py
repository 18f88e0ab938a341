"""Storing quote requests, and telling the staff."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import directory
from fuel_app.kit import clock, metrics, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import LEADS, signals
from fuel_app.kit.signals import QUOTES as QUOTES_CHANGED
from fuel_app.kit.throttle import QUOTES, throttle
from fuel_app.leads.rules import answer_due
from fuel_app.messages import service as messages
from fuel_app.quotes import queries as quotes
from fuel_app.quotes.rules import NEWS_KEY, BusinessQuote, FleetQuote, size_of


async def request(quote: FleetQuote | BusinessQuote, *, address: str) -> str:
    """Store a request for the staff to answer, and mail it to the admins. Returns its id.

    Raises:
        TooManyRequests: After 10 requests in an hour from one address.
    """
    await throttle().spend(QUOTES, address)
    kind = "fleet" if isinstance(quote, FleetQuote) else "business"
    async with transaction() as session:
        quote_id = await quotes.add(session, quote)
        await _notify_admins(session, quote_id, kind, quote)
    metrics.QUOTES.labels(kind).inc()
    await signals().publish(LEADS, QUOTES_CHANGED)
    return quote_id


async def _notify_admins(
    session: AsyncSession, quote_id: str, kind: str, quote: FleetQuote | BusinessQuote
) -> None:
    values = {
        "quote": quote_id,
        "type": kind,
        "company": quote.company_name,
        "contact": quote.contact_name,
        "email": quote.email,
        "phone": quote.phone,
        "size": size_of(quote),
        "place": quote.service_location,
        "due": clock.date_and_time(answer_due(clock.now())),
    }
    drafts = [
        draft
        for admin in await directory.with_roles(session, Role.ADMIN)
        for draft in messages.drafts(
            "new_quote", admin, values, key=f"{NEWS_KEY}{quote_id}:{admin}"
        )
    ]
    await outbox.add_all(session, drafts)
