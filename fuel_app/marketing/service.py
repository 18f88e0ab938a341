"""The opening and the policies that public pages state."""

from dataclasses import dataclass

from fuel_app.areas.rules.areas import OPEN, WAITLIST
from fuel_app.areas.service import company
from fuel_app.bookings.service.slots import LATE_FEE
from fuel_app.kit import policies
from fuel_app.kit.db.session import reading
from fuel_app.kit.money import Money
from fuel_app.marketing.rules import OpenArea, Opening
from fuel_app.waitlist.service import FREE_FILL_CAP


@dataclass(frozen=True, slots=True)
class Terms:
    """The amounts in the terms."""

    late_fee: Money
    free_fill_cap: Money


async def terms() -> Terms:
    async with reading() as session:
        values = await policies.values(session)
    return Terms(Money(values[LATE_FEE.name]), Money(values[FREE_FILL_CAP.name]))


async def opening() -> Opening:
    """Return whether the company has opened, and its open areas by name."""
    areas = await company.areas()
    return Opening(
        is_open=any(area.status != WAITLIST for area in areas),
        areas=tuple(OpenArea(area.name, area.zips) for area in areas if area.status == OPEN),
    )
