"""The hours of an area in an admin's tab: its week as a table, and the days that differ.

A change that closes windows with bookings asks what becomes of these.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, ClassVar, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.areas.rules import hours as rules
from fuel_app.areas.rules.areas import AreaChanged
from fuel_app.areas.rules.hours import WEEKDAYS, DayException, DayForm, Hours, Week
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, typed
from fuel_app.kit.signals import AREAS, BOOKINGS
from fuel_app.kit.ui.fields import field_id
from fuel_app.kit.ui.forms import FormState, NoFields
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.launch.rules import AffectedBookings, Answer, HoursNeedAnswer
from fuel_app.launch.service import areas as area_changes
from fuel_app.launch.service.areas import AreaHours, HoursOutcome
from fuel_app.launch.state.booked import BookedQuestion, ReasonForm

log = structlog.get_logger(__name__)

HOURS_FORM, WEEK_FORM = "hours", "week"
DAY, QUESTION = "day", "question"
NEW_WINDOW = "New window"


@dataclass(frozen=True)
class WindowColumn:
    """A window of the table; `opens` and `closes` are what its fields begin with."""

    id: int
    opens: str = ""
    closes: str = ""
    text: str = NEW_WINDOW


@dataclass(frozen=True)
class WindowCell:
    """A window on one weekday, with what is booked there the next time."""

    name: str  # of its field
    window: str
    label: str  # 'Monday, 8-10 AM' with a dash
    value: str = ""  # that the field begins with
    booked: str = ""  # '3 of 4'
    note: str = ""  # what is another way the next time
    is_full: bool = False


@dataclass(frozen=True)
class WeekdayRow:
    """A weekday, with the next day that is one."""

    name: str
    coming: str  # 'Nov 30'
    cells: list[WindowCell]


class WeekState(StaffScreen, FormState, rx.State):
    """The table of a week: typed one beside the other, saved once."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = WEEK_FORM
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "hours.change_failed"

    errors: dict[str, str] = {}  # by field
    columns: list[WindowColumn] = []
    rows: list[WeekdayRow] = []
    first_wrong: str = ""  # the id of a field, to which the focus goes
    is_changed: bool = False  # something is typed that is not saved

    _found: AreaHours | None = None
    _seen: Hours = Hours()  # that the fields begin with
    _begun: dict[str, str] = {}  # the texts of these fields
    _typed: dict[str, str] = {}
    _next_id: int = 0

    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the refused fields again, and name the windows as they are typed."""
        texts = self._texts(form)
        if self._found is None or texts == self._typed or not self._takes(form):
            return
        week, problems = self._parsed(texts)
        self._typed, self.is_changed = texts, week != self._seen.windows_by_weekday
        if any(self.errors.values()):
            self.errors = problems
        self._show_rows()

    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Save the week. A second press finds the fields begun anew, or the question."""
        if self._found is None or self.busy or not self._takes(form):
            return
        self._begin()
        self._typed, self.first_wrong = self._texts(form), ""
        yield
        await self._finish(self._store())
        if self.errors:
            self.first_wrong = field_id(WEEK_FORM, next(iter(self.errors)))
            self.error = f"Nothing was saved. {counted(len(self.errors), 'field')} to correct."

    @admin_only
    async def add_window(self):
        """Add a column to the table."""
        if self._found and len(self.columns) < rules.WINDOWS_MAX:
            self.columns = [*self.columns, WindowColumn(self._next_id)]
            self._next_id += 1
            self._touch()

    @admin_only
    async def remove_window(self, column: int):
        """Delete a column from the table; it is saved with the rest."""
        if any(each.id == column for each in self.columns):
            self.columns = [each for each in self.columns if each.id != column]
            self._touch()

    @admin_only
    async def discard(self):
        """Begin anew with the hours as they are stored."""
        self._start_anew()

    def _show(self, found: AreaHours | None) -> None:
        """Show an area's hours; what is typed meanwhile stays, and what is booked is shown anew."""
        before, self._found = self._found, found
        if found is None:
            self._forget()
            return
        stored = found.area.hours
        is_same = stored.windows_by_weekday == self._seen.windows_by_weekday
        if before is None or before.area.id != found.area.id or not (is_same or self.is_changed):
            self._start_anew()
            return
        if is_same:
            self._seen = stored  # days that differ are not typed here
        self._show_rows()

    def _start_anew(self) -> None:
        """Fill the table with the stored hours."""
        found = self._found
        if found is None:
            return
        self._forget()
        self._found, self._seen = found, found.area.hours
        week = self._seen.windows_by_weekday
        columns = rules.columns_of(week)
        self.columns = [
            WindowColumn(number, str(opens), str(closes), rules.hours_text(opens, closes))
            for number, (opens, closes) in enumerate(columns)
        ]
        self._next_id = len(columns)
        self._begun = {
            rules.fills_field(number, weekday): str(each.capacity)
            for number, hours in enumerate(columns)
            for weekday, windows in enumerate(week)
            for each in windows
            if (each.opens, each.closes) == hours
        }
        self._show_rows()

    def _forget(self) -> None:
        """Forget everything; the fields of another area are other ones."""
        edition = self.edition
        self._start_over()
        self.edition = edition + 1

    def _touch(self) -> None:
        """Note that the columns have changed."""
        self.errors, self.error, self.is_changed = {}, "", True
        self._show_rows()

    async def _store(self) -> None:
        ids = [each.id for each in self.columns]
        week = rules.parse_week(self._typed, ids)
        dialog = await self.get_state(HoursState)
        if week == self._seen.windows_by_weekday:
            self._start_anew()
            (await self.get_state(ToastState))._show("Nothing to change")
            return
        dialog._seen = self._seen
        try:
            await dialog._store(replace(self._seen, windows_by_weekday=week))
        except AreaChanged:
            self._start_anew()
            raise

    def _texts(self, form: object) -> dict[str, str]:
        days = range(len(WEEKDAYS))
        return typed(
            form,
            [
                name
                for each in self.columns
                for name in (
                    f"{rules.OPENS}-{each.id}",
                    f"{rules.CLOSES}-{each.id}",
                    *(rules.fills_field(each.id, day) for day in days),
                )
            ],
        )

    def _parsed(self, texts: Mapping[str, str]) -> tuple[Week | None, dict[str, str]]:
        """Return the week that is typed, or none and the message of each wrong field."""
        try:
            return rules.parse_week(texts, [each.id for each in self.columns]), {}
        except InvalidForm as wrong:
            return None, wrong.messages

    def _show_rows(self) -> None:
        if found := self._found:
            named = [(each, self._name_of(each)) for each in self.columns]
            self.rows = [_row(found, weekday, named, self._begun) for weekday in range(7)]

    def _name_of(self, column: WindowColumn) -> str:
        """Return the hours of a column as they are typed."""
        opens = self._typed.get(f"{rules.OPENS}-{column.id}", column.opens)
        closes = self._typed.get(f"{rules.CLOSES}-{column.id}", column.closes)
        hours = {str(hour): hour for hour in range(25)}
        if opens not in hours or closes not in hours or opens == "24":
            return NEW_WINDOW
        return rules.hours_text(hours[opens], hours[closes])


def _row(
    found: AreaHours,
    weekday: int,
    columns: list[tuple[WindowColumn, str]],
    begun: Mapping[str, str],
) -> WeekdayRow:
    day = found.today + timedelta(days=(weekday - found.today.weekday()) % 7)
    coming = f"{day:%b} {day.day}"
    cells = []
    for column, name in columns:
        field = rules.fills_field(column.id, weekday)
        cell = WindowCell(field, name, f"{WEEKDAYS[weekday]}, {name}", begun.get(field, ""))
        cells.append(_with_booked(cell, found, day, column) if column.opens else cell)
    return WeekdayRow(WEEKDAYS[weekday], coming, cells)


def _with_booked(cell: WindowCell, found: AreaHours, day: date, column: WindowColumn) -> WindowCell:
    opens, closes = int(column.opens), int(column.closes)
    booked = found.booked.get((day, opens), 0)
    then = rules.booked_window(found.area.hours, day, (opens, closes), booked)
    note = ""
    if not then.is_usual:
        usual = f"{then.room} on {day:%b} {day.day}"
        note = usual if then.room else f"Closed {day:%b} {day.day}: {then.reason}"
    if not then.room:
        return replace(cell, booked=f"{then.booked} booked" if then.booked else "", note=note)
    is_full = then.booked >= then.room
    return replace(cell, booked=f"{then.booked} of {then.room}", note=note, is_full=is_full)


class _HoursForm(DayForm, ReasonForm):
    """The fields of a day, and of the question."""


_BLANK = _HoursForm.blank()


@dataclass(frozen=True)
class WindowOption:
    """A window of any weekday."""

    opens: int
    text: str


@dataclass(frozen=True)
class DayLine:
    """A day, or a window of it, that differs."""

    day: str
    opens: int
    text: str
    window: str
    capacity: str
    booked: str
    reason: str

    @classmethod
    def of(cls, each: DayException, found: AreaHours) -> Self:
        week = found.area.hours.windows_by_weekday
        windows = {window.opens: window.text for window in week[each.day.weekday()]}
        name = "All" if each.opens == rules.ALL_DAY else windows.get(each.opens)
        capacity = counted(each.capacity, "fill") if each.capacity else "Closed"
        if each.capacity and each.opens == rules.ALL_DAY:
            capacity += " in each window"
        booked = sum(
            count
            for (day, opens), count in found.booked.items()
            if day == each.day and each.opens in (opens, rules.ALL_DAY)
        )
        return cls(
            each.day.isoformat(),
            each.opens,
            f"{each.day:%A}, {clock.short_date(each.day)}",
            name or "No window any more",
            capacity,
            f"{booked:,}",
            each.reason,
        )


class HoursState(BookedQuestion, rx.State):
    """The days of one area that differ, the dialog that adds one, the question about bookings."""

    FORM: ClassVar = HOURS_FORM
    FIELDS: ClassVar = _HoursForm
    EVENT: ClassVar = "hours.change_failed"
    NOTHING: ClassVar = "Save"

    area_id: str = ""
    area: str = ""  # its name
    days: list[DayLine] = []
    windows: list[WindowOption] = []  # of any weekday, each hour once

    dialog: str = ""  # which one it is
    title: str = ""
    is_whole_day: bool = True  # the dialog is about every window of a day
    values: dict[str, str] = _BLANK
    errors: dict[str, str] = _BLANK
    over: list[str] = []

    _stored: Hours = Hours()
    _seen: Hours = Hours()  # when the dialog was opened, or the table begun
    _wanted: Hours = Hours()  # by the question
    _asked: AffectedBookings = AffectedBookings()

    @admin_only
    async def show(self, area_id: str):
        """Show the hours of an area."""
        await self._show(area_id)
        yield rx.set_focus(HOURS_FORM)

    @admin_only
    async def arrive(self):
        """Show the hours of the area that the address names, if it does."""
        if asked := self.router.url.query_parameters.get(routes.HOURS_OF):
            await self._show(asked)

    async def _show(self, area_id: object) -> None:
        self._close()
        self.area_id, self.area = contact.text(area_id), ""
        (await self.get_state(WeekState))._show(None)
        await self._refresh()

    @admin_only(background=True)
    async def follow(self):
        """Show what others change without a reload."""
        async with self:
            await self._refresh()
        await screens.follow(self, self._refresh, AREAS, BOOKINGS)

    @admin_only
    async def begin_day(self):
        """Open the dialog of a day that differs, beside the hours, which stay shown."""
        if self.area_id:
            self.opened, self.dialog, self.title = True, DAY, "Close or change a day"
            self.values, self.errors, self.is_whole_day = _BLANK, _BLANK, True
            self.error, self.busy, self._seen = "", False, self._stored

    @admin_only
    async def remove_day(self, day: str, opens: int):
        """Let a day be as its weekday again."""
        self._seen = self._stored
        for each in self._seen.exceptions:
            if (each.day.isoformat(), each.opens) == (day, opens):
                self.values = _BLANK
                wanted = rules.without_day(self._seen, each.day, each.opens)
                async for event in self._run(self._store(wanted)):
                    yield event

    def _rules(self) -> type[Form]:
        return DayForm if self.dialog == DAY else super()._rules()

    def _note(self, form: object) -> None:
        super()._note(form)
        self.is_whole_day = not typed(form, ["window"])["window"]

    async def _send(self, sent: object) -> None:
        if self.dialog == QUESTION:
            await self._store(self._wanted, self._asked, self._answer(sent))
        else:
            form = DayForm.parse(sent)
            self.values = _BLANK | {"reason": form.reason}  # for the question
            await self._store(rules.with_day(self._seen, form, clock.day_of(clock.now())))

    async def _store(
        self,
        wanted: Hours,
        asked: AffectedBookings | None = None,
        answer: Answer = Answer(),  # noqa: B008 (frozen)
    ) -> None:
        try:
            outcome = await area_changes.change_hours(
                self.area_id,
                self._seen,
                wanted,
                asked=asked,
                answer=answer,
                actor=await actor_of(self),
            )
        except HoursNeedAnswer as question:
            self._ask(wanted, question)
            return
        except Refusal:
            await self._refresh()
            self._seen = self._stored
            if self.dialog == QUESTION or not self.area_id:
                self._close()
            raise
        self._close()
        (await self.get_state(ToastState))._show(
            f"Hours of {self.area} changed{_done_with(outcome)}"
        )
        if wanted.windows_by_weekday != self._seen.windows_by_weekday:  # those of the table
            (await self.get_state(WeekState)).is_changed = False
        await self._refresh()

    def _ask(self, wanted: Hours, question: HoursNeedAnswer) -> None:
        affected = question.affected
        if self.opened and self.dialog == QUESTION:
            self.error = "The bookings have changed meanwhile. You now see them as they are."
        self.opened, self.dialog = True, QUESTION
        self._wanted, self._asked = wanted, affected
        self._ask_about(affected.closed, question.names, is_offered=True)
        count = len(self.booked)
        self.title = f"{count} booked in what closes" if count else "More booked than room"
        self.over = [f"{window}: {booked} booked" for window, booked in affected.over]

    def _close(self) -> None:
        self.opened, self.dialog, self.error = False, "", ""

    async def _refresh(self) -> None:
        if not self.area_id:
            return
        week = await self.get_state(WeekState)
        try:
            found = await area_changes.read_hours(self.area_id, actor=await actor_of(self))
        except Refusal:  # the area or the role has gone meanwhile
            self.area_id, self.area, self._stored = "", "", Hours()
            week._show(None)
            return
        except Exception:
            log.exception("hours.read_failed")
            self.error = "The hours cannot be read just now."
            return
        week._show(found)
        self.area, self._stored = found.area.name, found.area.hours
        self.days = [DayLine.of(each, found) for each in self._stored.exceptions]
        hours_once = {
            window.opens: WindowOption(window.opens, window.text)
            for windows in self._stored.windows_by_weekday
            for window in windows
        }
        self.windows = [hours_once[opens] for opens in sorted(hours_once)]


def _done_with(outcome: HoursOutcome) -> str:
    """Return what became of bookings: ', 2 cancelled'."""
    if outcome.cancelled:
        return f", {outcome.cancelled} cancelled"
    if outcome.offered:
        return f", other times offered for {counted(outcome.offered, 'booking')}"
    return ""
