"""The weather hold: a dialog that says what it stops before it does, and going on."""

from collections.abc import Mapping
from typing import Any, ClassVar

import reflex as rx

from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.areas.service import company
from fuel_app.dispatch.rules.weather import HoldForm, StormForm
from fuel_app.dispatch.service import weather
from fuel_app.dispatch.state.board.board import BoardState, OfDay, attempt, count_text
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.forms import FormState

STARTS, ENDS = "08:00", "18:00"  # proposed
NONE = "There is no booking to hold at this time."


class HoldState(OfDay, FormState, rx.State):
    """The dialog of a weather hold: the bookings that it would stop, its errors."""

    FORM: ClassVar = "hold"
    FIELDS: ClassVar = HoldForm

    opened: bool = False
    areas: list[tuple[str, str]] = []  # id, name
    affected: str = ""
    errors: dict[str, str] = HoldForm.blank()

    @staff_only
    async def open(self):
        """Open the dialog."""
        self.areas = [(each.id, each.name) for each in await company.areas()]
        self.errors, self.error, self.opened = HoldForm.blank(), "", True
        await self._count({"area_id": "", "starts": STARTS, "ends": ENDS})

    @staff_only
    async def close(self, _opened: bool):
        self.opened = False

    @staff_only
    async def edit(self, form: dict[str, Any]):
        """Say what the hold would stop now."""
        if self.opened:
            self._recheck(await self._on_day(form))
            await self._count(form)

    @staff_only
    async def submit(self, form: dict[str, Any]):
        """Hold the bookings. A second press finds the dialog closed and does nothing."""
        if not self.opened or self.busy:
            return
        self._begin(await self._on_day(form))
        yield
        yield await self._finish(self._hold(form), "dispatch.hold_failed")

    @staff_only
    async def resume(self, booking_id: str):
        """Go on with a booking on hold; with an empty id, with all of them."""
        board, actor = await self.get_state(BoardState), await actor_of(self)
        ids = [stop.id for stop in board.on_hold if booking_id in ("", stop.id)]
        if not ids:
            return
        change = weather.resume(actor, board.day, ids)
        done, problem = await attempt(change, "dispatch.resume_failed")
        await board._refresh()
        if done is None:
            await board._say(problem, is_problem=True)
            return
        late = len(ids) - done
        passed = f". Windows that have passed: {late}" if late else ""
        await board._say(f"{count_text(done, 'booking')} resumed{passed}")

    async def _hold(self, form: object) -> None:
        board, actor = await self.get_state(BoardState), await actor_of(self)
        held = await weather.hold(actor, await self._on_day(form))
        if not held.count:
            raise Refusal(NONE)
        self.opened = False
        await board._refresh()
        said = f"{count_text(held.count, 'booking')} on hold, their customers are told"
        await board._offer_undo(said, held.action_id)

    async def _count(self, form: object) -> None:
        try:
            found = await weather.affected(await actor_of(self), await self._on_day(form))
        except Refusal:  # said when it is sent
            self.affected = ""
        else:
            self.errors = self.errors | StormForm.blank()
            self.affected = f"{count_text(len(found), 'booking')} would be on hold."

    async def _on_day(self, form: object) -> dict[str, Any]:
        """Return the form with the day that the board shows."""
        day = (await self.get_state(BoardState)).day
        return {**(form if isinstance(form, Mapping) else {}), "day": day}
