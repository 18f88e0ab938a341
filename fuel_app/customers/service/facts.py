"""Facts about a customer that bookings depend on."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules.details import AccountGone
from fuel_app.accounts.service import details
from fuel_app.customers.queries import accounts
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.customers.service.card import has_card


async def facts(session: AsyncSession, person_id: str, *, lock: bool = False) -> CustomerFacts:
    """Return a customer's facts; `lock` keeps the customer's row in this transaction."""
    customer = await accounts.find(session, person_id, lock=lock)
    if customer is None:
        raise AccountGone
    person = await details.read(session, person_id)
    return CustomerFacts(
        name=f"{person.first_name} {person.last_name}",
        email=person.email,
        phone=person.phone,
        zip_code=customer.zip_code,
        email_verified=person.email_verified,
        has_card=has_card(customer),
        submission_id=customer.submission_id,
    )
