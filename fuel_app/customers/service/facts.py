"""Facts about a customer that bookings depend on."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.rules.facts import CustomerFacts


async def facts(session: AsyncSession, person_id: str, *, lock: bool = False) -> CustomerFacts:
    """Return a customer's facts; `lock` keeps the customer's row in this transaction.

    Raises:
        AccountGone: If there is no such customer (any more).
    """
    raise NotImplementedError
