"""The question before the stops of a broken truck go to the others."""

from dataclasses import dataclass

import reflex as rx

from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.dispatch.service import breakdown
from fuel_app.dispatch.state.board.board import BoardState, OfDay, attempt, count_text
from fuel_app.kit.clock import time_of_day


@dataclass(frozen=True)
class MovedLine:
    """The outcome for one stop: the truck that takes it, or why none does."""

    id: str
    customer: str
    text: str


class BreakdownState(OfDay, rx.State):
    """The dialog of a truck that fails: where its stops would move; confirmed, they do."""

    opened: bool = False
    truck: str = ""
    moved: list[MovedLine] = []
    unserved: list[MovedLine] = []
    loading: bool = False
    busy: bool = False
    error: str = ""

    _shift_id: str = ""
    _seen: dict[str, int] = {}

    @staff_only(background=True)
    async def ask(self, shift_id: str):
        """Ask before the stops of a truck are planned again."""
        async with self:
            board = await self.get_state(BoardState)
            column = board._column(shift_id)
            if column is None or self.busy:
                return
            self.opened, self.loading, self.error, self.truck = True, True, "", column.truck
            self.moved, self.unserved, self._shift_id = [], [], column.id
            self._seen = seen = dict(board._seen)
            actor = await actor_of(self)
        asked = breakdown.preview(actor, column.id, seen)
        found, problem = await attempt(asked, "dispatch.breakdown_failed")
        async with self:
            if self._shift_id == column.id:
                self.loading, self.error = False, problem
            if found and self._shift_id == column.id:
                self.moved = [
                    MovedLine(stop.id, stop.customer, f"{to}, {time_of_day(stop.begins_at)}")
                    for stop, to in found.moved
                ]
                self.unserved = [
                    MovedLine(each.booking.id, each.customer, each.reason)
                    for each in found.unserved
                ]
            return

    @staff_only
    async def close(self, _opened: bool):
        self.opened = False

    @staff_only(background=True)
    async def confirm(self):
        """Move the stops; what fits nowhere is on hold, and its customers are told."""
        async with self:
            if not self.opened or self.loading or self.busy:
                return
            self.busy, self.error = True, ""
            shift_id, seen, truck = self._shift_id, self._seen, self.truck
            told, actor = [line.id for line in self.unserved], await actor_of(self)
        change = breakdown.confirm(actor, shift_id, seen, told)
        done, problem = await attempt(change, "dispatch.breakdown_failed")
        async with self:
            board = await self.get_state(BoardState)
            await board._refresh()
            self.busy = self.opened = False
            if done:
                said = f"{truck} is out, {count_text(len(done.moved), 'stop')} moved"
                if told:
                    said += f", {len(told)} on hold"
                await board._offer_undo(said, done.action_id)
            else:
                await board._say(problem, is_problem=True)
            return

    @staff_only
    async def repaired(self, shift_id: str):
        """Let a truck take stops again."""
        board = await self.get_state(BoardState)
        column = board._column(shift_id)
        if column is None:
            return
        change = breakdown.repaired(await actor_of(self), column.id, board._seen)
        _, problem = await attempt(change, "dispatch.repaired_failed")
        await board._refresh()
        await board._say(problem or f"{column.truck} takes stops again", is_problem=bool(problem))
