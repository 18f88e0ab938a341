"""One person's bookings as their e-mail is verified, and as the account is closed and emptied."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM
from fuel_app.accounts.rules.details import AccountGone
from fuel_app.accounts.service import deletion
from fuel_app.billing.service import personal as billing
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.queries import questions
from fuel_app.bookings.rules.bookings import FillIsChecked, FillIsOpen
from fuel_app.bookings.rules.states import CUSTOMER, step_allowed
from fuel_app.bookings.service import changing
from fuel_app.customers.service import facts as customers
from fuel_app.kit import holders
from fuel_app.plans.service import subscriptions

_CLOSED = "The account was closed."
_OF_QUESTION = {"kind", "milligallons", "ticket", "at", "answer", "answered_at", "reason"}
_OF_STEP = {"kind", "state", "at", "before", "note"}
_BLANK_CAR = {"license_plate": "", "color": "", "id": ""}
_BLANK_PLACE = {"street": "", "unit": "", "gate_code": "", "notes": "", "lat": 0, "lng": 0}


async def attach_guest_bookings(session: AsyncSession, person_id: str, email: str) -> None:
    """Give a person the bookings that were made as a guest with an e-mail they have verified."""
    if theirs := await queries.of_guest(session, email):
        await queries.set_values(session, theirs, {"person_id": person_id})
        await billing.attach(session, person_id, theirs)


async def cancel_open(session: AsyncSession, person_id: str) -> None:
    """Cancel what is booked as a person closes the account.

    Raises:
        FillIsOpen: If a technician is on the way or filling.
        FillIsChecked: If staff are asked about the gallons of a fill, or of one beside a booking.
    """
    try:
        await customers.facts(session, person_id, lock=True)  # nothing is booked from here on
        # Before the bookings, as whoever changes the plan locks them.
        await subscriptions.locked_all(session, [person_id])
    except AccountGone:  # a member of the staff
        return
    rows = await queries.upcoming(session, person_id)
    if await queries.checked(session, person_id):
        raise FillIsChecked
    if any(step_allowed(row.state, "cancel", CUSTOMER) is None for row in rows):
        raise FillIsOpen
    for row in rows:
        await changing.cancel_in(session, row.id, actor=SYSTEM, reason=_CLOSED)


async def ids_of(session: AsyncSession, person_id: str) -> list[str]:
    """Return the ids of a person's bookings."""
    return [row.id for row in await queries.of_person(session, person_id)]


async def of_emptied(session: AsyncSession, booking_ids: Collection[str]) -> set[str]:
    """Return those of these ids that are bookings of accounts that are emptied."""
    owners = await queries.owners(session, booking_ids)
    emptied = await deletion.emptied(session, {*owners.values()})
    return {booking_id for booking_id, owner in owners.items() if owner in emptied}


async def data_of(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's bookings with their steps, and what was pumped beside them."""
    rows = await queries.of_person(session, person_id)
    asked: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in await questions.of_bookings(session, [row.id for row in rows]):
        asked[each.booking_id].append(each.model_dump(include=_OF_QUESTION))
    return {
        "bookings": [
            row.model_dump(exclude={"person_id", "key"})
            | {
                "steps": [
                    each.model_dump(include=_OF_STEP)
                    for each in await queries.events(session, row.id)
                ],
                "questions": asked[row.id],
            }
            for row in rows
        ]
    }


async def erase(session: AsyncSession, person_id: str) -> None:
    """Empty the personal data in a person's bookings; what was filled when and where stays."""
    rows = await queries.of_person(session, person_id)
    for row in rows:
        row.vehicle, row.place = row.vehicle | _BLANK_CAR, row.place | _BLANK_PLACE
        row.contact, row.guest_email, row.reason, row.vehicle_id = {}, "", "", None
    await session.flush()
    await queries.erase_notes(session, [row.id for row in rows])
    await questions.erase_reasons(session, [row.id for row in rows])
    await queries.remove_free_fill(session, person_id=person_id)


holders.HOLDERS.append(holders.Holder(attach_guest_bookings, cancel_open, data_of, erase))
