"""Reading the dispatch board: expected times, sure payments, the details of a stop."""

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.bookings.rules.bookings import BookingGone
from fuel_app.bookings.rules.states import CANCELLED
from fuel_app.dispatch.service import board
from tests.helpers.bookings import NOW, STAFF, a_customer, an_area, at, booked, slot
from tests.helpers.dispatch import TOMORROW, a_shift, a_technician, a_truck, on_route
from tests.helpers.stored_bookings import GUEST, a_booking, change

pytestmark = pytest.mark.usefixtures("database", "_now")

OTHERS = (Actor(), Actor(frozenset({Role.TECHNICIAN})), Actor(frozenset({Role.CUSTOMER})))


@pytest.fixture
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def test_board_has_the_expected_times_of_each_route():
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    stops = [await a_booking(area, days=1, opens=opens) for opens in (8, 10)]
    gone = await a_booking(area, days=1, opens=12)
    unpaid = await a_booking(area, days=1, opens=14, fee_asked_at=NOW)
    await on_route(shift, *stops, gone)
    await change(gone, state=CANCELLED)
    read = await board.read(STAFF, TOMORROW)
    assert read.at == NOW
    (times,) = read.expected.values()
    assert [each.begins_at for each in times] == [stop.starts_at for stop in stops]
    assert read.unpaid == {unpaid.id}
    assert [each.booking.id for each in read.day.unassigned] == [unpaid.id]


async def test_details_have_the_phone_of_a_customer_and_of_a_guest():
    area, customer = await an_area(), await a_customer(7)
    own = await booked(customer, slot(area))
    guests = await a_booking(area, days=1, opens=14)
    assert [(await board.details(STAFF, each.id))[1] for each in (own, guests)] == [
        "9415550007",
        GUEST["phone"],
    ]


@pytest.mark.parametrize("strange", [None, 1, "", "x", [], {}, "\x00"])
async def test_details_of_an_unknown_booking_are_gone(strange):
    with pytest.raises(BookingGone):
        await board.details(STAFF, strange)


@pytest.mark.parametrize("other", OTHERS)
async def test_others_see_no_board(other):
    with pytest.raises(NotAllowed):
        await board.read(other, TOMORROW)
    with pytest.raises(NotAllowed):
        await board.details(other, "x")
