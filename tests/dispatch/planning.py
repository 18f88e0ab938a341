"""Planning with the real search in this process, and providers that know the traffic or do not."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.providers.routing import FirstThatAnswers, Retries, Unavailable
from fuel_app.dispatch.rules.day import PlanStopped
from fuel_app.dispatch.rules.day_plan import Problem, Search, Solution
from fuel_app.dispatch.service import day_plan, truck_routes
from tests.helpers.bookings import NOW, STAFF, at
from tests.helpers.dispatch import TOMORROW, day_now, revisions


class Solver:
    """The real search, in this process; then what others do meanwhile."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], Awaitable[Any]] | None = None

    async def solve(self, problem: Problem, search: Search | None = None) -> Solution:
        if self.meanwhile:
            await self.meanwhile()
        if search and search.is_stopped:
            raise PlanStopped
        return vrp.solve(problem, seconds=0.1)


class Live:
    """A provider that knows the traffic, or is down."""

    def __init__(self, name: str = "Live", matrix_points: int = 500, *, down: bool) -> None:
        self.name, self.matrix_points = name, matrix_points
        self.down, self.estimated = down, False
        self.drives = 0

    async def matrix(self, points, near_m):
        if self.down:
            raise Unavailable("TIMEOUT", passing=False)
        return tuple(tuple(120.0 * (a != b) for b in points) for a in points)

    async def drive(self, points, near_m):
        self.drives += 1
        raise Unavailable("TIMEOUT", passing=False)


def provider(monkeypatch: pytest.MonkeyPatch, *, down: bool) -> Live:
    live = Live(down=down)
    ask(monkeypatch, live)
    return live


def ask(monkeypatch: pytest.MonkeyPatch, *providers: Live) -> None:
    """Plan and move with these providers, in this order."""
    asked = FirstThatAnswers(providers, Retries(attempts=1))  # type: ignore[arg-type]
    for module in (day_plan, truck_routes):
        monkeypatch.setattr(module, "routing", lambda: asked)


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> Solver:
    """Plan on the Monday before, with the search in this process."""
    at(monkeypatch, NOW)
    here = Solver()
    monkeypatch.setattr(day_plan, "solver", lambda: here)
    return here


async def plan(seen: Any = None, **more: Any) -> day_plan.Planned:
    known = await revisions() if seen is None else seen
    return await day_plan.plan(STAFF, TOMORROW, known, **more)


async def unassigned() -> dict[str, str]:
    """Return the reasons of what is on no route, by the booking."""
    return {each.booking.id: each.reason for each in (await day_now()).unassigned}
