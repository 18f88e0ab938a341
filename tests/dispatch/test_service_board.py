"""Reading the dispatch board: expected times, sure payments, the details of a stop."""

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.bookings.rules.bookings import BookingGone
from fuel_app.bookings.rules.states import CANCELLED, WEATHER_HOLD
from fuel_app.dispatch.service import truck_routes
from fuel_app.dispatch.service.days import read as read_day
from fuel_app.kit.db.session import reading
from tests.helpers import statements
from tests.helpers.bookings import NOW, STAFF, a_customer, an_area, at, booked, slot
from tests.helpers.dispatch import (
    TOMORROW,
    a_day,
    a_shift,
    a_technician,
    a_truck,
    on_route,
    revisions,
)
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
    read = await truck_routes.read_board(STAFF, TOMORROW)
    assert read.at == NOW
    (times,) = read.expected.values()
    assert [each.begins_at for each in times] == [stop.starts_at for stop in stops]
    assert read.unpaid == {unpaid.id}
    assert [each.booking.id for each in read.day.unassigned] == [unpaid.id]


async def test_board_alone_asks_whose_technician_has_left():
    shift, [booking] = await a_day(1)
    other = await a_shift(await a_truck(), None)
    assert (await truck_routes.read_board(STAFF, TOMORROW)).without_technician == {other.id}
    seen, screen = await revisions() | {shift.id: 0}, {shift.id: [booking.id], "": []}
    part = await truck_routes.read_changed_board(STAFF, TOMORROW, seen, screen)
    assert part
    assert part.without_technician == frozenset()
    with statements.noted() as asked:
        async with reading() as session:
            await read_day(session, TOMORROW)
    assert len(asked) <= 7
    assert not any("person_roles" in each for each in asked)


async def shown(day) -> dict[str, list[str]]:
    """Return the stops on a screen by their shift, by '' those on no route."""
    on_routes = {each.shift.id: [stop.id for stop in each.stops] for each in day.routes}
    return on_routes | {"": [each.booking.id for each in day.unassigned]}


async def test_routes_that_have_changed_are_read_alone_with_all_bookings_on_no_route():
    area = await an_area()
    shifts = [await a_shift(await a_truck(), await a_technician(n)) for n in (1, 2, 3)]
    moved, off, stays, waiting, held, late = [
        await a_booking(area, days=1, opens=opens) for opens in (8, 10, 12, 14, 16, 18)
    ]
    await on_route(shifts[0], moved, off, held)
    await on_route(shifts[2], stays)
    before = (await truck_routes.read_board(STAFF, TOMORROW)).day
    seen, screen = before.revisions, await shown(before)
    unchanged = await truck_routes.read_changed_board(STAFF, TOMORROW, seen, screen)
    assert unchanged
    assert unchanged.day.routes == ()
    await truck_routes.move(STAFF, moved.id, shifts[1].id, 0, seen)
    known = {each: seen[each] for each in seen} | {shifts[0].id: seen[shifts[0].id] + 1}
    await truck_routes.unassign(STAFF, off.id, known)
    await truck_routes.move(
        STAFF, late.id, shifts[0].id, 0, known | {shifts[0].id: seen[shifts[0].id] + 2}
    )
    await change(held, state=WEATHER_HOLD)
    changed = await truck_routes.read_changed_board(STAFF, TOMORROW, seen, screen)
    whole = await truck_routes.read_board(STAFF, TOMORROW)
    assert changed
    touched = [shift.id for shift in shifts[:2]]
    assert set(changed.day.revisions) == set(touched)
    assert changed.day.routes == tuple(
        route for route in whole.day.routes if route.shift.id in touched
    )
    assert changed.day.unassigned == whole.day.unassigned
    assert [each.booking.id for each in changed.day.unassigned] == [off.id, waiting.id]
    assert changed.expected == {each: whole.expected[each] for each in touched}


async def test_driving_is_what_costs_of_moves_count_the_way_home_included():
    first, [a, b] = await a_day(1, 5)
    second = await a_shift(await a_truck(), await a_technician(2))

    async def driving() -> float:
        return sum((await truck_routes.read_board(STAFF, TOMORROW)).driving_s.values()) / 60

    await truck_routes.move(
        STAFF, a.id, first.id, 1, await revisions()
    )  # now its legs are estimates
    for stop in (b, a):
        before = await driving()
        moved = await truck_routes.move(STAFF, stop.id, second.id, 0, await revisions())
        assert await driving() - before == pytest.approx(moved.cost.minutes, abs=0.6)


async def test_details_have_the_phone_of_a_customer_and_of_a_guest():
    area, customer = await an_area(), await a_customer(7)
    own = await booked(customer, slot(area))
    guests = await a_booking(area, days=1, opens=14)
    assert [(await truck_routes.read_details(STAFF, each.id)).phone for each in (own, guests)] == [
        "9415550007",
        GUEST["phone"],
    ]


@pytest.mark.parametrize("strange", [None, 1, "", "x", [], {}, "\x00"])
async def test_details_of_an_unknown_booking_are_gone(strange):
    with pytest.raises(BookingGone):
        await truck_routes.read_details(STAFF, strange)


@pytest.mark.parametrize("other", OTHERS)
async def test_others_see_no_board(other):
    with pytest.raises(NotAllowed):
        await truck_routes.read_board(other, TOMORROW)
    with pytest.raises(NotAllowed):
        await truck_routes.read_changed_board(other, TOMORROW, {}, {})
    with pytest.raises(NotAllowed):
        await truck_routes.read_details(other, "x")
