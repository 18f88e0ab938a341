"""The weather hold: a dialog that says what it stops before it does, and going on."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from fuel_app.accounts.state.session import StaffScreen, actor_of, staff_only
from fuel_app.areas.service import company
from fuel_app.dispatch.service import weather
from fuel_app.dispatch.state.board.board import BoardState, attempt, count_text
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field

FORM = "hold"
FIELDS = ("area", "starts", "ends", "reason")
STARTS, ENDS = "08:00", "18:00"  # proposed


class HoldState(StaffScreen, rx.State):
    """What a hold would stop, and what is wrong with it."""

    opened: bool = False
    areas: list[tuple[str, str]] = []  # id, name
    affected: str = ""
    errors: dict[str, str] = dict.fromkeys(FIELDS, "")
    error: str = ""
    busy: bool = False

    @rx.event
    @staff_only
    async def open(self):
        """Open the dialog."""
        self.areas = [(each.id, each.name) for each in await company.areas()]
        self.errors, self.error, self.busy = dict.fromkeys(FIELDS, ""), "", False
        self.opened = True
        await self._count({"starts": STARTS, "ends": ENDS})

    @rx.event
    @staff_only
    async def close(self, _opened: bool):
        self.opened = False

    @rx.event
    @staff_only
    async def edit(self, form: dict[str, Any]):
        """Say what the hold would stop now."""
        if self.opened:
            await self._count(form)

    @rx.event
    @staff_only
    async def submit(self, form: dict[str, Any]):
        """Hold the bookings. A second press finds the dialog closed and does nothing."""
        if not self.opened or self.busy:
            return
        self.busy, self.error, self.errors = True, "", dict.fromkeys(FIELDS, "")
        yield
        board, actor = await self.get_state(BoardState), await actor_of(self)
        area, starts, ends, reason = _fields(form)
        held, self.error = await attempt(
            self._show_wrong(weather.hold(actor, board.day, area, starts, ends, reason)),
            "dispatch.hold_failed",
        )
        self.busy = False
        await board._refresh()
        if held and held.action_id:
            self.opened = False
            said = f"{count_text(held.count, 'booking')} on hold, their customers are told"
            await board._offer_undo(said, held.action_id)
        elif held:
            self.error = "There is no booking to hold at that time."
        else:
            yield next((focus_field(FORM, name) for name in FIELDS if self.errors[name]), None)

    @rx.event
    @staff_only
    async def resume(self, booking_id: str):
        """Go on with a booking on hold; with an empty id, with all of them."""
        board, actor = await self.get_state(BoardState), await actor_of(self)
        ids = [stop.id for stop in board.on_hold if booking_id in ("", stop.id)]
        if not ids:
            return
        done = await board._change(weather.resume(actor, board.day, ids), "dispatch.resume_failed")
        if done is not None:
            late = len(ids) - done
            passed = f". The window of {late} has passed" if late else ""
            await board._say(f"{count_text(done, 'booking')} resumed{passed}")

    async def _count(self, form: object) -> None:
        board, actor = await self.get_state(BoardState), await actor_of(self)
        area, starts, ends, _ = _fields(form)
        asked = weather.affected(actor, board.day, area, starts, ends)
        found, self.affected = await attempt(asked, "dispatch.hold_failed")
        if found is not None:
            self.affected = f"{count_text(len(found), 'booking')} would be on hold."

    async def _show_wrong(self, change: Any) -> weather.Held:
        try:
            return await change
        except InvalidForm as wrong:
            self.errors = {name: wrong.messages.get(name, "") for name in FIELDS}
            raise Refusal("" if any(self.errors.values()) else str(wrong)) from wrong


def _fields(form: object) -> tuple[object, ...]:
    given = form if isinstance(form, Mapping) else {}
    return tuple(given.get(name, "") for name in FIELDS)
