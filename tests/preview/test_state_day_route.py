"""The state of the day's route."""

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.rules.drives import Leg
from fuel_app.dispatch.state.day_route import MIDDLE, RouteStop
from fuel_app.kit.errors import RouteFailed
from fuel_app.preview.rules import DayRoute, Route, Unserved
from fuel_app.preview.service import day_route
from fuel_app.preview.state.day_route import DayRouteState
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

HERE = (27.35, -82.52)
IDS = [f"stop-{number}" for number in range(1, 10)]  # the sample's, by time


def is_inside(stop: RouteStop, view: list[list[float]]) -> bool:
    (south, west), (north, east) = view
    return south <= stop.lat <= north and west <= stop.lng <= east


class Roads:
    """A fake of the service that records its calls."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str], Point | None]] = []
        self.status = ""
        self.faulty = 0

    async def plan(self, stops, position=None, *, address: str) -> DayRoute:
        return self._answer("plan", stops, position)

    async def follow(self, stops, position=None, *, address: str) -> DayRoute:
        return self._answer("follow", stops, position)

    def _answer(self, how, stops, position) -> DayRoute:
        self.asked.append((how, [stop.id for stop in stops], position))
        if self.status:
            raise RouteFailed(self.status)
        served, rest = stops[self.faulty :], stops[: self.faulty]
        unserved = tuple(Unserved(stop, "No road leads there.") for stop in rest)
        if not served:
            return DayRoute(unserved=unserved)
        line = tuple(stop.point for stop in served)
        legs = tuple(Leg.lasting(60 * n) for n in range(1, len(served)))
        if position:
            line, legs = (position, *line), (Leg.lasting(300), *legs)
        route = Route(
            start=position,
            stops=tuple(served),
            legs=legs,
            line=line,
            late=(served[-1].id,) if how == "follow" else (),
        )
        return DayRoute(route, unserved, "Fake", notices=("Guessed",))


@pytest.fixture
def roads(monkeypatch) -> Roads:
    fake = Roads()
    monkeypatch.setattr(day_route, "plan_one_truck", fake.plan)
    monkeypatch.setattr(day_route, "drive_one_truck", fake.follow)
    return fake


async def calculate(state: DayRouteState) -> None:
    """Run the background event to its end."""
    await DayRouteState.event_handlers["calculate"].fn(state)


async def after(state: DayRouteState, event: object) -> None:
    """Run an event, and the calculation that it asks for."""
    await run(event)
    await calculate(state)


@pytest.fixture
async def route(roads) -> DayRouteState:
    """Open the map in a new tab."""
    state = await tab_at("/dashboard").get_state(DayRouteState)
    await after(state, state.open())
    return state


async def test_route_is_shown_before_the_position_is_known(route, roads):
    assert roads.asked == [("plan", IDS, None)]
    assert route.stop_ids == IDS
    assert route.tile_url.startswith("http")
    assert not route.busy
    assert (route.next_drive, route.start, route.error) == ("", [], "")
    assert [stop.drive for stop in route.stops[:3]] == ["", "1 min", "2 mins"]
    assert all(is_inside(stop, route.view) for stop in route.stops)
    assert (route.notices, route.roads) == (["Guessed"], "Fake")


async def test_route_starts_at_the_position_once_known(route, roads):
    await after(route, route.found(*HERE))
    assert roads.asked[-1][2] == Point(*HERE)
    assert route.next_drive == route.stops[0].drive == "5 mins"
    assert route.view == [route.start] == [[*HERE]]
    assert route.line[0] == HERE
    assert "origin=27.350000,-82.520000" in route.stops[0].directions


@pytest.mark.parametrize("answer", [(None, None), ("27", "-82"), (91.0, 0.0), (float("nan"), 0.0)])
async def test_invalid_position_counts_as_missing(route, answer):
    [then] = await run(route.found(*answer))
    assert then.fn.__name__ == "missing"


async def test_missing_position_is_an_error_until_retried_or_found(route, roads):
    for then in (route.retry, lambda: route.found(*HERE)):
        await after(route, route.missing())
        assert route.error == "Failed to get current location"
        assert route.stop_ids == IDS
        await after(route, then())
        assert route.error == ""
    assert (route.position_round, len(roads.asked)) == (1, 5)


async def test_failed_route_shows_its_error_and_keeps_the_order(roads):
    roads.status = "OVER_QUERY_LIMIT"
    state = await tab_at("/dashboard").get_state(DayRouteState)
    await after(state, state.open())
    assert state.error == "Failed to calculate route: OVER_QUERY_LIMIT"
    assert state.stop_ids == IDS
    assert (state.busy, state.line, state.next_drive) == (False, [], "")
    await after(state, state.move(IDS[0], 3))
    assert state.stop_ids[:3] == [IDS[1], IDS[2], IDS[0]]
    roads.status = ""
    await after(state, state.retry())
    assert state.error == ""
    assert state.line


async def test_moved_stop_is_shown_at_once_and_then_driven(route, roads):
    [then] = await run(route.move(IDS[2], 1))
    assert route.stop_ids[:3] == [IDS[2], IDS[0], IDS[1]]
    assert [stop.place for stop in route.stops[:3]] == [1, 2, 3]
    assert {stop.drive for stop in route.stops} == {""}
    assert route.spoken.endswith(f"is now stop 1 of {len(IDS)}.")
    assert then.fn.__name__ == "calculate"
    await calculate(route)
    assert roads.asked[-1][:2] == ("follow", [IDS[2], IDS[0], *IDS[1:2], *IDS[3:]])
    assert route.by_hand
    assert route.stops[-1].late


async def test_re_optimize_and_undo_restore_earlier_orders(route, roads):
    assert not route.can_undo
    await run(route.move(IDS[0], 2))
    await run(route.move(IDS[0], 9))
    await after(route, route.optimize())
    assert roads.asked[-1][:2] == ("plan", IDS)
    assert (route.stop_ids, route.by_hand) == (IDS, False)
    for expected in (("follow", [*IDS[1:], IDS[0]]), ("follow", [IDS[1], IDS[0], *IDS[2:]])):
        await after(route, route.undo())
        assert roads.asked[-1][:2] == expected
        assert route.by_hand
    await after(route, route.undo())
    assert roads.asked[-1][:2] == ("plan", IDS)
    assert (route.by_hand, route.can_undo) == (False, False)
    assert await run(route.undo()) == [None]


@pytest.mark.parametrize(
    ("stop_id", "place"),
    [*(("stop-1", place) for place in (0, 10, -1, True, None, "1", 1.0)), ("stop-99", 1)],
)
async def test_invalid_move_changes_nothing(route, stop_id, place):
    before = route.stop_ids
    assert "stop-1" in before
    assert await run(route.move(stop_id, place)) == [None]
    assert route.stop_ids == before


async def test_list_is_by_time_with_places_on_the_route(route):
    await after(route, route.move(IDS[0], 4))
    assert [stop.number for stop in route.by_time] == list(range(1, 10))
    assert [stop.id for stop in route.by_time] == IDS
    assert [stop.place for stop in route.by_time[:4]] == [4, 1, 2, 3]
    assert route.by_time[0].time == "8:00 AM"
    await run(route.list_by(True))
    assert route.in_driving_order
    await run(route.list_by("yes"))
    assert not route.in_driving_order


async def test_unserved_stops_have_their_reason(route, roads):
    roads.faulty = 2
    await calculate(route)
    assert [stop.reason for stop in route.left_out] == ["No road leads there."] * 2
    assert len(route.stops) == 7
    roads.faulty = 9
    await calculate(route)
    assert (route.stops, route.line, route.view) == ([], [], [list(MIDDLE)])
    assert len(route.left_out) == 9
