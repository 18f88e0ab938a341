"""Moving stops on the board: picked up, put, pinned, taken off."""

import pytest

from fuel_app.accounts.state.screens import UndoState
from fuel_app.dispatch.rules.route_changes import Cost
from fuel_app.dispatch.service import truck_routes
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.dialogs import NOWHERE, OFF_ROUTE, Gap, MovingState, cost_text
from fuel_app.kit.errors import FAILED
from tests.helpers.board import CHANGED, BoardTab
from tests.helpers.bookings import NOW, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route, route
from tests.helpers.stored_bookings import a_booking

pytestmark = pytest.mark.usefixtures("sqlite_database", "_now")


@pytest.fixture
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


class Trucks:
    """Two trucks: three stops on the first one, none on the second; and a waiting booking."""

    async def store(self) -> "Trucks":
        area = await an_area()
        self.first = await a_shift(await a_truck(name="A"), await a_technician(1))
        self.second = await a_shift(await a_truck(name="B"), await a_technician(2))
        self.bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 10, 14)]
        self.stops = await on_route(self.first, *self.bookings)
        self.waiting = await a_booking(area, days=1, opens=16)
        return self

    async def routes(self) -> list[list[str]]:
        return [
            [stop.booking_id or "" for stop in await route(shift)]
            for shift in (self.first, self.second)
        ]


@pytest.fixture
async def trucks() -> Trucks:
    return await Trucks().store()


async def picked(tab: BoardTab, stop_id: str) -> MovingState:
    await tab.fire(MovingState.pick, stop_id)
    return await tab.screen(MovingState)


async def test_a_stop_that_is_picked_up_has_a_cost_at_every_place_but_its_own(trucks):
    tab = await BoardTab.open()
    held = await picked(tab, trucks.bookings[1].id)
    assert (held.held, held.name, held.is_on_route) == (trucks.bookings[1].id, "Gus Guest", True)
    one, two = trucks.first.id, trucks.second.id
    assert sorted(held.gaps) == sorted([f"{one} 0", f"{one} 3", f"{two} 0"])
    assert held.gaps[f"{two} 0"].label.startswith("Here +")
    assert held.gaps[f"{two} 0"].is_best
    assert held._places[f"{one} 3"] == (one, 2)
    await tab.fire(MovingState.cancel)
    assert (held.held, held.gaps) == ("", {})


async def test_the_best_place_is_one_that_is_offered_and_makes_nobody_late(trucks, monkeypatch):
    """The stop's own place is not offered, although it costs nothing."""

    async def costs(*_):
        return {
            trucks.first.id: [Cost(0, 5), Cost(0, 0), Cost(0, 7)],
            trucks.second.id: [Cost(1, 0)],
        }

    monkeypatch.setattr(truck_routes, "find_costs", costs)
    held = await picked(await BoardTab.open(), trucks.bookings[1].id)
    assert held.gaps == {
        f"{trucks.first.id} 0": Gap("Here +5 min", is_best=True, is_late=False),
        f"{trucks.first.id} 3": Gap("Here +7 min", is_best=False, is_late=False),
        f"{trucks.second.id} 0": Gap("Here +0 min, 1 late", is_best=True, is_late=True),
    }


async def test_a_place_after_the_shift_is_red_and_never_the_best(trucks, monkeypatch):
    async def costs(*_):
        return {
            trucks.first.id: [Cost(1, 0, 1), Cost(0, 9), Cost(2, 1, 1), Cost(1, 3, 1)],
            trucks.second.id: [Cost(1, 0, 1)],
        }

    monkeypatch.setattr(truck_routes, "find_costs", costs)
    held = await picked(await BoardTab.open(), trucks.waiting.id)
    over = "after shift, ends 7:00 PM"
    one, two = trucks.first.id, trucks.second.id
    assert held.gaps == {
        f"{one} 0": Gap(f"Here +0 min, {over}", is_best=False, is_late=True),
        f"{one} 1": Gap("Here +9 min", is_best=True, is_late=False),
        f"{one} 2": Gap(f"Here +1 min, 1 late, {over}", is_best=False, is_late=True),
        f"{one} 3": Gap(f"Here +3 min, {over}", is_best=False, is_late=True),
        f"{two} 0": Gap(f"Here +0 min, {over}", is_best=False, is_late=True),
    }


async def test_a_waiting_booking_fits_everywhere(trucks):
    tab = await BoardTab.open()
    await tab.fire(BoardState.show_tab, "unassigned")
    held = await picked(tab, trucks.waiting.id)
    assert len(held.gaps) == 5
    assert not held.is_on_route
    assert (await tab.board).tab == "trucks"
    await tab.fire(MovingState.put, f"{trucks.first.id} 1")
    assert (await trucks.routes())[0][1] == trucks.waiting.id
    assert (await tab.board).unassigned == []


async def test_a_stop_is_put_on_another_truck_and_that_is_undone(trucks):
    tab = await BoardTab.open()
    before = await trucks.routes()
    await picked(tab, trucks.bookings[1].id)
    await tab.fire(MovingState.put, f"{trucks.second.id} 0")
    a, b, c = (each.id for each in trucks.bookings)
    assert await trucks.routes() == [[a, c], [b]]
    columns = await tab.columns()
    assert [[stop.id for stop in column.stops] for column in columns] == [[a, c], [b]]
    assert (await tab.offered()).startswith("Gus Guest moved, +")
    assert (await tab.screen(MovingState)).held == ""
    await tab.undo()
    assert await trucks.routes() == before


async def test_the_last_change_of_a_day_can_be_undone_for_as_long_as_it_is_the_last(trucks):
    tab = await BoardTab.open()
    before = await trucks.routes()
    await picked(tab, trucks.bookings[1].id)
    await tab.fire(MovingState.put, f"{trucks.second.id} 0")
    last = await tab.screen(UndoState)
    await tab.fire(UndoState.expire, last.action_id)
    assert (last.is_offered, last.board_day) == (False, (await tab.board).day)
    await tab.undo()
    assert await trucks.routes() == before


async def test_two_dispatchers_never_overwrite_each_other(trucks):
    one = await BoardTab.open()
    other = await BoardTab.open(email="alan@example.com")
    for tab in (one, other):
        await picked(tab, trucks.bookings[1].id)
    await one.fire(MovingState.put, f"{trucks.second.id} 0")
    after = await trucks.routes()
    await (await other.board)._refresh()  # what the other does arrives while a stop is held
    await other.fire(MovingState.put, f"{trucks.first.id} 0")
    assert await other.said() == [CHANGED]
    assert await trucks.routes() == after
    assert [len(column.stops) for column in await other.columns()] == [2, 1]


async def test_a_stop_that_has_begun_is_not_picked_up(trucks):
    await change_stop(trucks.stops[0], driving_at=NOW)
    tab = await BoardTab.open()
    assert (await picked(tab, trucks.bookings[0].id)).held == ""


async def test_a_stop_that_began_meanwhile_is_refused(trucks):
    tab = await BoardTab.open()
    await change_stop(trucks.stops[0], driving_at=NOW)
    assert (await picked(tab, trucks.bookings[0].id)).held == ""
    assert "stays where it is" in (await tab.said())[0]


async def test_a_stop_that_no_truck_can_take_says_so(trucks, monkeypatch):
    async def nowhere(*_):
        return {}

    async def broken(*_):
        raise OSError

    tab = await BoardTab.open()
    monkeypatch.setattr(truck_routes, "find_costs", nowhere)
    await picked(tab, trucks.waiting.id)
    monkeypatch.setattr(truck_routes, "find_costs", broken)
    await picked(tab, trucks.waiting.id)
    assert await tab.said() == [NOWHERE, FAILED]
    assert (await tab.screen(MovingState)).held == ""


async def test_a_stop_is_pinned_and_unpinned(trucks):
    tab = await BoardTab.open()
    stop = trucks.bookings[0].id
    await tab.fire(MovingState.pin, stop, True)
    assert (await tab.offered(), (await tab.cards())[0].is_pinned) == ("Pinned to its truck", True)
    await tab.fire(MovingState.pin, stop, False)
    assert (await tab.offered(), (await tab.cards())[0].is_pinned) == ("Unpinned", False)


@pytest.mark.parametrize("drops", [True, False])
async def test_a_stop_is_taken_off_its_route(trucks, drops):
    tab = await BoardTab.open()
    stop = trucks.bookings[0].id
    if drops:
        await picked(tab, stop)
        await tab.fire(MovingState.put, OFF_ROUTE)
    else:
        await tab.fire(MovingState.take_off, stop)
    assert stop not in (await trucks.routes())[0]
    assert stop in [each.id for each in (await tab.board).unassigned]
    assert await tab.offered() == "Taken off its route"


async def test_a_refill_is_added_at_the_end(trucks):
    tab = await BoardTab.open()
    await tab.fire(MovingState.refill, trucks.first.id)
    assert (await trucks.routes())[0][-1] == ""
    assert await tab.offered() == "A: refill added"
    assert (await tab.cards())[-1].customer == "Refill"


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(0, 6), "+6 min"),
        (Cost(0, 0), "+0 min"),
        (Cost(0, -3), "−3 min"),  # noqa: RUF001
        (Cost(2, -63), "−1 h 3 min, 2 late"),  # noqa: RUF001
        (Cost(2, 6, 2), "+6 min, 2 after shift, ends 4:30 PM"),
        (Cost(1, 6, -1), "+6 min, 1 late"),
    ],
)
def test_minutes_have_a_sign(cost, text):
    assert cost_text(cost, "4:30 PM") == text
