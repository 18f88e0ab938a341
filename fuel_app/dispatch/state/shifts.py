"""The dialog in which dispatchers change the shifts of a day."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Self

import reflex as rx

from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.dispatch.rules.day import NoSuchDay, Shift, parse_day
from fuel_app.dispatch.rules.shifts import HOURS, WEEK, DayShifts, ShiftForm, hours_text, typed
from fuel_app.dispatch.service import shifts
from fuel_app.dispatch.state.board.board import OfDay
from fuel_app.kit.clock import long_date
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ui.forms import FormState

LIST, EDIT, REMOVE = "list", "edit", "remove"  # what the dialog shows


@dataclass(frozen=True)
class ShiftLine:
    """A shift; an empty one means a new one."""

    id: str = ""
    truck: str = ""
    technician: str = ""
    hours: str = ""
    stops: int = 0

    @classmethod
    def of(cls, shift: Shift, stops: int) -> Self:
        return cls(shift.id, shift.truck.name, shift.technician, hours_text(shift), stops)


class ShiftsState(OfDay, FormState, rx.State):
    """The dialog: the day's shifts, the form of one, or the question before one goes."""

    FORM: ClassVar = "shift"
    FIELDS: ClassVar = ShiftForm

    opened: bool = False
    shows: str = LIST
    day_text: str = ""
    rows: list[ShiftLine] = []
    trucks: list[tuple[str, str]] = []  # id, name
    technicians: list[tuple[str, str]] = []
    line: ShiftLine = ShiftLine()  # that is edited or removed
    typed: dict[str, str] = ShiftForm.blank()
    errors: dict[str, str] = ShiftForm.blank()
    said: str = ""

    _day: date | None = None
    _shifts: dict[str, Shift] = {}

    @staff_only
    async def open(self, day: str):
        """Open the dialog for a day such as '2026-11-24'."""
        try:
            shown = parse_day(day)
        except NoSuchDay:
            return
        self._start_over()
        self._day, self.day_text = shown, f"{shown:%A}, {long_date(shown)}"
        await self._refresh()
        self.opened = True

    @staff_only
    async def close(self, _opened: bool):
        self.opened = False

    @staff_only
    async def back(self):
        """Go back to the list."""
        self._show(LIST)

    @staff_only
    async def begin(self, shift_id: str):
        """Show the form of a shift; an empty id is a new one."""
        self._show(EDIT, shift_id)

    @staff_only
    async def ask(self, shift_id: str):
        """Ask before a shift is removed."""
        self._show(REMOVE, shift_id)
        if not self.line.id:
            self.shows = LIST

    @staff_only
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        self._recheck(form)

    @staff_only
    async def submit(self, form: dict[str, Any]):
        """Store the shift. A second click finds the list and does nothing."""
        if self.shows != EDIT or not self.opened:
            return
        self._begin(form)
        yield
        yield await self._finish(self._save(form), "shift.save_failed")
        await self._renew()

    @staff_only
    async def remove(self):
        """Remove the shift. A second click finds the list and does nothing."""
        if self.shows != REMOVE or not self.opened:
            return
        self._begin()
        yield
        yield await self._finish(self._remove(), "shift.remove_failed")
        await self._renew()

    @staff_only
    async def copy_last_week(self):
        """Copy the shifts of the same day a week before."""
        if not self.opened or self.busy:
            return
        self._begin()
        self.said = ""
        yield
        yield await self._finish(self._copy(), "shift.copy_failed")
        await self._renew()

    @property
    def _seen(self) -> tuple[str, int]:
        """Return id and revision of the shift that is edited or removed."""
        shift = self._shifts.get(self.line.id)
        return self.line.id, shift.revision if shift else 0

    async def _save(self, sent: object) -> None:
        form = ShiftForm.parse(sent)
        await shifts.save(await actor_of(self), self._day, *self._seen, form)
        self._show(LIST)
        self.said = "The shift is saved."

    async def _remove(self) -> None:
        await shifts.remove(await actor_of(self), *self._seen)
        self._show(LIST)
        self.said = "The shift is removed."

    async def _copy(self) -> None:
        if self._day is None:
            return
        copied = await shifts.copy(await actor_of(self), self._day, self._day - WEEK)
        unit = "shift" if copied.count == 1 else "shifts"
        left_out = [f"Not copied: {each}." for each in copied.left_out]
        self.said = " ".join([f"{copied.count} {unit} copied.", *left_out])

    async def _renew(self) -> None:
        """Show the day as it is now, unless only the fields are wrong."""
        if self.shows == LIST or self.error not in {"", FAILED}:
            await self._refresh()

    async def _refresh(self) -> None:
        if self._day is None:
            return
        day: DayShifts = await shifts.of_day(await actor_of(self), self._day)
        self._shifts = {shift.id: shift for shift, _ in day.shifts}
        self.rows = [ShiftLine.of(shift, stops) for shift, stops in day.shifts]
        self.trucks, self.technicians = [*day.trucks.items()], [*day.technicians.items()]
        if self.shows == EDIT and self.line.id:
            self._show_values()

    def _show(self, shows: str, shift_id: object = "") -> None:
        self.shows, self.error, self.said, self.busy = shows, "", "", False
        self.line = next((line for line in self.rows if line.id == shift_id), ShiftLine())
        self.errors = ShiftForm.blank()
        self._show_values()

    def _show_values(self) -> None:
        shift = self._shifts.get(self.line.id)
        self.typed = typed(shift) if shift else ShiftForm.blank() | HOURS
