"""Guests for staff: found by what a caller says, shown with all their bookings, sent their link."""

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules.bookings import BookingGone
from fuel_app.bookings.rules.guests import GuestBookings, search_text
from fuel_app.bookings.service import access, changes, guests
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.rules.customers import CustomerQuery
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from tests.factories import UNKNOWN_ID
from tests.helpers.bookings import STAFF, a_customer, an_area, booked, booked_by_guest, slot
from tests.helpers.people import a_person, rows

pytestmark = pytest.mark.usefixtures("_clock")


def contact(name: str, email: str, phone: str = "9415550123") -> Contact:
    first, _, last = name.partition(" ")
    typed = {"first_name": first, "last_name": last, "email": email, "phone": phone}
    return Contact.parse(typed)


@pytest.fixture
async def area(database) -> str:
    return await an_area()


@pytest.fixture
async def zoe(area) -> str:
    """Return the id of the last of two bookings of a guest."""
    who = contact("Zoë O'Neil", "zoe.guest@example.com", "(941) 555-0177")
    await booked_by_guest(slot(area), who)
    return (await booked_by_guest(slot(area, 2), who)).id


async def found(typed: str) -> list[tuple[str, int]]:
    query = CustomerQuery(q=typed)
    listed, total = await guests.search(STAFF, query.words, query.phone_part)
    assert total == len(listed)
    return [(each.booking.id, each.count) for each in listed]


@pytest.mark.parametrize(
    "typed",
    ["zoe.guest", "oneil zoe", "ZOË", "941-555-0177", "0177", "gul 123", "GUL-123", "main 34236"],
)
async def test_a_guest_is_found_once_by_what_a_caller_says(zoe, typed):
    await booked(await a_customer(), slot((await rows(StoredBooking))[0].area_id, 3))
    assert await found(typed) == [(zoe, 2)]


@pytest.mark.parametrize("typed", ["", "%", "zoe nobody", "555-9999", "person1"])
async def test_a_search_for_anything_else_finds_no_guest(zoe, typed):
    assert await found(typed) == []


async def test_a_search_lists_the_last_guests_and_counts_all(area, monkeypatch):
    monkeypatch.setattr(guests, "SHOWN", 1)
    await booked_by_guest(slot(area), contact("Ann Guest", "ann@example.com"))
    last = await booked_by_guest(slot(area), contact("Bob Guest", "bob@example.com"))
    listed, total = await guests.search(STAFF, ("guest",), "")
    assert ([each.booking.id for each in listed], total) == ([last.id], 2)


async def test_a_guest_is_shown_with_all_their_bookings(zoe, area):
    await booked_by_guest(slot(area), contact("Ann Guest", "ann@example.com"))
    first, last = sorted(
        await rows(StoredBooking, guest_email="zoe.guest@example.com"), key=lambda row: row.id
    )
    await changes.cancel(
        STAFF, first.id, first.revision, seen_fee=booking_of(first).late_fee, reason="asked"
    )
    shown = await guests.find(STAFF, first.id)
    assert isinstance(shown, GuestBookings)
    assert (shown.last.id, [each.id for each in shown.upcoming]) == (zoe, [last.id])
    assert [each.id for each in shown.ended] == [first.id]
    assert await guests.find(STAFF, UNKNOWN_ID) is None
    assert await guests.find(STAFF, ["x"]) is None


async def test_the_booking_of_a_guest_who_has_signed_up_leads_to_the_customer(zoe):
    person = await a_person(email="zoe.guest@example.com")
    async with transaction() as session:
        await changes.attach_guest_bookings(session, person.id, "zoe.guest@example.com")
    assert await guests.find(STAFF, zoe) == person.id
    assert await found("zoe") == []
    with pytest.raises(BookingGone):
        await guests.send_link(STAFF, zoe)


async def test_a_guest_gets_the_link_again_and_the_booking_says_so(zoe):
    for _ in range(2):
        assert await guests.send_link(STAFF, zoe) == "zoe.guest@example.com"
    sent = await rows(Message, kind="booking_link")
    assert {(row.recipient, row.payload["booking"]) for row in sent} == {
        ("zoe.guest@example.com", zoe)
    }
    assert [step.kind for step in await access.list_steps(zoe)] == ["book", "link", "link"]
    for unknown in (UNKNOWN_ID, None):
        with pytest.raises(BookingGone):
            await guests.send_link(STAFF, unknown)


async def test_only_staff_look_guests_up(zoe):
    stranger = Actor(frozenset({Role.CUSTOMER}), UNKNOWN_ID)
    for step in (
        guests.search(stranger, ("zoe",), ""),
        guests.find(stranger, zoe),
        guests.send_link(stranger, zoe),
    ):
        with pytest.raises(NotAllowed):
            await step


async def test_a_booking_without_a_contact_is_no_guests(area):
    await booked(await a_customer(), slot(area))
    [row] = await rows(StoredBooking)
    assert row.guest_search == ""
    async with transaction() as session:
        theirs = update(StoredBooking).where(col(StoredBooking.id) == row.id)
        await session.execute(theirs.values(person_id=None))
    with pytest.raises(BookingGone):
        await guests.send_link(STAFF, row.id)


def test_what_is_missing_is_left_out_of_the_text():
    assert search_text({}, (), {}) == ""
    assert search_text({"phone": "+1 941 555 0177"}, ["a-b"], {}) == "9415550177 ab"
