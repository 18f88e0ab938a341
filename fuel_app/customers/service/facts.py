"""Facts about a customer that bookings depend on."""

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules.details import AccountGone, Details
from fuel_app.accounts.service import details
from fuel_app.customers.queries import accounts
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.customers.tables import StoredCustomer


async def facts(session: AsyncSession, person_id: str, *, lock: bool = False) -> CustomerFacts:
    """Return a customer's facts; `lock` keeps the customer's row in this transaction."""
    known = await facts_of(session, [person_id], lock=lock)
    if person_id not in known:
        raise AccountGone
    return known[person_id]


async def facts_of(
    session: AsyncSession, ids: Collection[str], *, lock: bool = False
) -> dict[str, CustomerFacts]:
    """Return customers' facts by person; those who are no customers are left out."""
    customers = await accounts.find_all(session, ids, lock=lock)
    people = await details.read_all(session, [each.person_id for each in customers])
    known = ((each, people.get(each.person_id)) for each in customers)
    return {each.person_id: _facts(each, person) for each, person in known if person}


def _facts(customer: StoredCustomer, person: Details) -> CustomerFacts:
    return CustomerFacts(
        name=f"{person.first_name} {person.last_name}",
        email=person.email,
        phone=person.phone,
        zip_code=customer.zip_code,
        email_verified=person.email_verified,
        has_card=customer.has_card,
        submission_id=customer.submission_id,
    )


async def set_card(session: AsyncSession, person_id: str, *, has_card: bool) -> None:
    """Note whether a customer has a card."""
    customer = await accounts.locked(session, person_id)
    customer.has_card = has_card
