"""Business figures on the public pages."""

from dataclasses import dataclass

from fuel_app.bookings.service.figures import LATE_FEE
from fuel_app.kit import figures
from fuel_app.kit.db.session import reading
from fuel_app.kit.money import Money
from fuel_app.waitlist.service import FREE_FILL_CAP


@dataclass(frozen=True, slots=True)
class Terms:
    """The amounts in the terms."""

    late_fee: Money
    free_fill_cap: Money


async def terms() -> Terms:
    async with reading() as session:
        values = await figures.values(session)
    return Terms(Money(values[LATE_FEE.name]), Money(values[FREE_FILL_CAP.name]))
