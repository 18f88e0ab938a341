"""Records of technicians' phones about one person's fills: downloaded, and emptied on erasure.

An action's row stays: a phone that sends it again is answered as before, and nothing happens twice.
"""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.bookings.service import changes as bookings
from fuel_app.dispatch.queries import technician as queries
from fuel_app.kit import holders

_OF_ACTION = {"kind", "at", "data", "refused"}


async def _nothing(_session: AsyncSession, _person_id: str, _email: str = "") -> None:
    """Attach nothing and end nothing: the bookings do."""


async def data_of(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return what was recorded at a person's fills, refused or not, and the moments of photos."""
    booking_ids = await bookings.ids_of(session, person_id)
    return {
        "recorded_at_fills": [
            each.model_dump(include=_OF_ACTION) | {"booking_id": each.stop_id}
            for each in await queries.actions_of(session, booking_ids)
        ],
        "photos_of_fills": [
            {"booking_id": booking_id, "taken_at": taken_at}
            for booking_id, taken_at in await queries.photo_times(session, booking_ids)
        ],
    }


async def erase(session: AsyncSession, person_id: str) -> None:
    """Empty what was typed at a person's fills, and delete the photos."""
    booking_ids = await bookings.ids_of(session, person_id)
    await queries.empty_actions(session, booking_ids)
    await queries.remove_photos_of(session, booking_ids)


holders.HOLDERS.append(holders.Holder(_nothing, _nothing, data_of, erase))
