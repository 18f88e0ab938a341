"""A person's bookings as the account is verified, closed, downloaded and emptied."""

from uuid import uuid4

import pytest
from sqlalchemy import update

from fuel_app.bookings.rules.bookings import FillIsOpen
from fuel_app.bookings.service import access, changes
from fuel_app.bookings.tables import BookingEvent, FreeFill, StoredBooking
from fuel_app.kit.db.session import reading as reads
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from tests.helpers.bookings import (
    NOW,
    a_customer,
    an_area,
    booked,
    booked_by_guest,
    slot,
    stored,
    taken,
)
from tests.helpers.people import rows

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def test_verifying_an_email_attaches_its_guest_bookings_alone():
    area, who = await an_area(), await a_customer()
    found = await booked_by_guest(slot(area))
    async with transaction() as session:
        await changes.attach_guest_bookings(session, who.id, "somebody@example.com")
    assert await access.upcoming(who.actor) == ()
    async with transaction() as session:
        await changes.attach_guest_bookings(session, who.id, "gus@example.com")
    (mine,) = await access.upcoming(who.actor)
    assert mine.id == found.id
    ended = await changes.cancel(who.actor, mine.id, 1, seen_fee=Money(0))
    assert ended.state == "cancelled"


async def test_closing_an_account_cancels_what_is_booked():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area))
    async with transaction() as session:
        await changes.cancel_all_open(session, who.id)
    assert await taken(found.slot_id) == 0
    (row,) = await stored()
    assert (row.state, row.ended_by, row.late_fee_cents) == ("cancelled", "system", 0)


async def test_closing_an_account_waits_for_an_open_fill():
    area, who = await an_area(), await a_customer()
    await booked(who, slot(area))
    async with transaction() as session:
        await session.execute(update(StoredBooking).values(state="en_route"))
    with pytest.raises(FillIsOpen):
        async with transaction() as session:
            await changes.cancel_all_open(session, who.id)


async def test_closing_the_account_of_staff_ends_no_booking():
    async with transaction() as session:
        await changes.cancel_all_open(session, str(uuid4()))


async def test_deletion_empties_bookings_and_downloads_hold_them():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area))
    async with transaction() as session:
        session.add(
            FreeFill(person_id=who.id, license_plate="GUL1", phone="1", booking_id=found.id)
        )
    async with reads() as session:
        (mine,) = (await changes.export_person(session, who.id))["bookings"]
    assert mine["fills"][0]["vehicle"]["license_plate"] == "GUL 1"
    assert [(step["kind"], step["at"], step["note"]) for step in mine["steps"]] == [
        ("book", NOW, "")
    ]
    async with transaction() as session:
        await changes.erase_person(session, who.id)
    (row,) = await stored()
    [fill] = row.fills
    assert (fill.vehicle["license_plate"], row.place["street"]) == ("", "")
    assert fill.vehicle_id is None
    assert (fill.vehicle["make"], row.place["zip_code"]) == ("Toyota", "34236")
    assert await rows(FreeFill) == []
    assert [(each.note, each.before) for each in await rows(BookingEvent)] == [("", {})]
