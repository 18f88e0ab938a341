"""Moving one stop: it is picked up, every place says what it costs, and it is put on one.

The same for mouse, touch and keys.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import reflex as rx

from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.dispatch.rules.changing import Cost
from fuel_app.dispatch.service import moving
from fuel_app.dispatch.state.board.board import BoardState, OfDay, Outcome, attempt
from fuel_app.dispatch.state.board.rows import Column, StopCard, gap_key, minutes_text

OFF_ROUTE = "off"  # the place for what is to be on no route
NOWHERE = "No truck on shift can take this stop."


@dataclass(frozen=True)
class Gap:
    """A place that a stop may be put on."""

    label: str  # 'Here +6 min'
    is_best: bool  # of its column; never one beyond the shift's end
    is_late: bool  # it makes a stop late, or puts one after the shift


class MovingState(OfDay, rx.State):
    """The stop that is picked up, and the places for it."""

    held: str = ""
    name: str = ""
    is_on_route: bool = False
    gaps: dict[str, Gap] = {}

    _places: dict[str, tuple[str, int]] = {}  # shift and place of each gap
    _seen: dict[str, int] = {}  # the routes' revisions when it was picked up

    @staff_only
    async def pick(self, stop_id: str):
        """Pick a stop up and show what each place costs."""
        board = await self.get_state(BoardState)
        stop = board._find(stop_id)
        self._drop()
        if stop is None or stop.is_fixed:
            return
        seen = dict(board._seen)
        found = moving.costs(await actor_of(self), stop.id, board.day)
        costs, problem = await attempt(found, "dispatch.costs_failed")
        if costs:
            self._hold(stop, board.get_value("columns"), costs)
            self._seen = seen
            board.tab = "trucks"
        else:
            await board._say(problem or NOWHERE, is_problem=True)

    @staff_only
    async def cancel(self):
        """Leave the stop where it was."""
        self._drop()

    @staff_only
    async def put(self, gap: str):
        """Put the stop on one of the places that are shown; the board has changed only then."""
        held, name, seen = self.held, self.name, self._seen
        place = self._places.get(gap) if isinstance(gap, str) else None
        if not held or (place is None and gap != OFF_ROUTE):
            return
        board, actor = await self.get_state(BoardState), await actor_of(self)
        self._drop()
        if place is None:
            await self._take_off(held)
            return
        column = board._column(place[0])
        ends = column.ends if column else ""
        change = moving.move(actor, held, *place, seen)
        if moved := await _on(board, change, "dispatch.move_failed"):
            await board._offer_undo(f"{name} moved, {cost_text(moved.cost, ends)}", moved.action_id)

    @staff_only
    async def pin(self, stop_id: str, pinned: bool):
        """Keep a stop on its truck, or let it go."""
        said = "Pinned to its truck" if pinned else "Unpinned"
        await self._change("pin", moving.pin, stop_id, pinned, said=said)

    @staff_only
    async def take_off(self, stop_id: str):
        """Take a stop off its route."""
        await self._take_off(stop_id)

    @staff_only
    async def refill(self, shift_id: str):
        """Add a refill after the last stop of a route; it can be moved then."""
        column = (await self.get_state(BoardState))._column(shift_id)
        if column is None:
            return
        last = sum(not stop.is_fixed for stop in column.stops)
        said = f"{column.truck}: refill added"
        await self._change("refill", moving.add_refill, column.id, last, said=said)

    async def _take_off(self, stop_id: object) -> None:
        await self._change("unassign", moving.unassign, stop_id, said="Taken off its route")

    async def _change(
        self, kind: str, act: Callable[..., Awaitable[str]], *given: object, said: str
    ) -> None:
        """Change a route as it is on the screen, and offer to undo it."""
        board, actor = await self.get_state(BoardState), await actor_of(self)
        change = act(actor, *given, board._seen)
        if action_id := await _on(board, change, f"dispatch.{kind}_failed"):
            await board._offer_undo(said, action_id)

    def _drop(self) -> None:
        self.held, self.name, self.is_on_route, self.gaps, self._places = "", "", False, {}, {}

    def _hold(self, stop: StopCard, columns: list[Column], costs: Mapping[str, list[Cost]]) -> None:
        gaps: dict[str, Gap] = {}
        shifts: dict[str, tuple[str, int]] = {}
        for column in columns:
            of = costs.get(column.id, [])
            places = [each for each in places_of(column, stop.id) if each[1] < len(of)]
            best = min((of[place] for _, place in places), default=None)
            for gap, place in places:
                cost = of[place]
                is_best = cost == best and cost.after_shift <= 0
                gaps[gap] = Gap(f"Here {cost_text(cost, column.ends)}", is_best, cost.late > 0)
                shifts[gap] = column.id, place
        self.held, self.name, self.is_on_route = stop.id, stop.customer, bool(stop.gap)
        self.gaps, self._places = gaps, shifts


async def _on(board: BoardState, change: Awaitable[Outcome], event: str) -> Outcome | None:
    """Change routes of a board and show them as they are then; say why if it failed."""
    done, problem = await attempt(change, event)
    await board._refresh(changed_alone=not problem)
    if problem:
        await board._say(problem, is_problem=True)
    return done


def places_of(column: Column, stop_id: str) -> list[tuple[str, int]]:
    """Return the gaps of a column, each with its place once this stop is gone from there.

    Those before and after the stop itself are left out.
    """
    movable = [stop.id for stop in column.stops if not stop.is_fixed]
    own = movable.index(stop_id) if stop_id in movable else None
    gaps = [(gap_key(column.id, gap), gap) for gap in range(len(movable) + 1)]
    if own is None:
        return gaps
    return [(key, gap - (gap > own)) for key, gap in gaps if gap not in (own, own + 1)]


def cost_text(cost: Cost, shift_ends: str) -> str:
    """'+6 min', or with a minus what is saved; '+6 min, 1 late' if a stop becomes late.

    '+6 min, after shift, ends 4:30 PM' if a stop comes to lie beyond the shift's end.
    """
    prefix = "−" if cost.minutes < 0 else "+"  # noqa: RUF001
    said = [f"{prefix}{minutes_text(abs(cost.minutes))}"]
    if (late := cost.late - max(cost.after_shift, 0)) > 0:
        said.append(f"{late} late")
    if cost.after_shift > 0:
        count = f"{cost.after_shift} " if cost.after_shift > 1 else ""
        said.append(f"{count}after shift, ends {shift_ends}")
    return ", ".join(said)
