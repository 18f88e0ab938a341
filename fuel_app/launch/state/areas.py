"""Areas as admins change them: hours, ZIP codes, and the questions about what is booked there."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, ClassVar, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import UndoState
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.areas.rules import hours as rules
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.rules.hours import WEEKDAYS, DayException, DayForm, Hours, Window, WindowForm
from fuel_app.areas.service import areas
from fuel_app.areas.service import hours as area_hours
from fuel_app.areas.state import AreaCard, AreasState
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.customers.rules.customers import Resident
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.signals import AREAS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.launch.rules import AffectedBookings, HoursNeedAnswer, LeftOut, ZipsNeedAnswer
from fuel_app.launch.service import areas as area_changes
from fuel_app.launch.service.areas import AreaOutcome

log = structlog.get_logger(__name__)

HOURS_FORM = "hours"
WINDOW, DAY, QUESTION = "window", "day", "question"


class CancelForm(Form):
    """The answer that bookings are cancelled."""

    reason: Annotated[str, line("Reason", rules.REASON_MAX)]


_FORMS: Mapping[str, type[Form]] = {WINDOW: WindowForm, DAY: DayForm, QUESTION: CancelForm}


class _HoursForm(WindowForm, DayForm, CancelForm):
    """The fields of all three."""


_BLANK = _HoursForm.blank()


@dataclass(frozen=True)
class WindowLine:
    """A window of a weekday."""

    opens: int
    text: str
    capacity: str

    @classmethod
    def of(cls, window: Window) -> Self:
        return cls(window.opens, window.text, counted(window.capacity, "fill"))


@dataclass(frozen=True)
class DayLine:
    """A day, or a window of it, that differs."""

    day: str
    opens: int
    text: str
    window: str
    capacity: str
    reason: str

    @classmethod
    def of(cls, each: DayException, week: rules.Week) -> Self:
        windows = {window.opens: window.text for window in week[each.day.weekday()]}
        windows[rules.ALL_DAY] = "All"
        window = windows.get(each.opens, "No window any more")
        day = f"{each.day:%A}, {clock.short_date(each.day)}"
        capacity = counted(each.capacity, "fill") if each.capacity else "Closed"
        return cls(each.day.isoformat(), each.opens, day, window, capacity, each.reason)


@dataclass(frozen=True)
class BookedLine:
    """A booking in a window that closes; `link` leads to its customer."""

    when: str
    name: str
    car: str
    link: str

    @classmethod
    def of(cls, each: Booking, names: Mapping[str, str]) -> Self:
        if not each.person_id:
            name = " ".join(each.contact.get(part, "") for part in ("first_name", "last_name"))
            return cls(each.when, f"{name} (guest)", each.car.name, "")
        address = routes.customer_tab(each.person_id, "bookings")
        return cls(each.when, names[each.person_id], each.car.name, address)


class HoursState(FormDialog, rx.State):
    """The hours of one area, the dialog that changes them, the question about bookings."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = HOURS_FORM
    FIELDS: ClassVar = _HoursForm
    MANY: ClassVar = ("weekdays",)
    EVENT: ClassVar = "hours.change_failed"

    area_id: str = ""
    area: str = ""  # its name
    week: list[list[WindowLine]] = [[]] * len(WEEKDAYS)  # of Monday to Sunday
    days: list[DayLine] = []
    windows: list[WindowLine] = []  # of any weekday, each hour once

    dialog: str = ""  # which one it is
    title: str = ""
    values: dict[str, str] = _BLANK
    ticked: list[str] = []  # the weekday of a window that is there already
    errors: dict[str, str] = _BLANK
    booked: list[BookedLine] = []
    over: list[str] = []

    _stored: Hours = Hours()
    _seen: Hours = Hours()  # when the dialog was opened
    _wanted: Hours = Hours()  # by the question
    _asked: AffectedBookings = AffectedBookings()
    _window: tuple[int, int] | None = None  # weekday and opening hour of the one in the dialog

    @admin_only
    async def show(self, area_id: str):
        """Show the hours of an area."""
        self._close()
        self.area_id, self.area = contact.text(area_id), ""
        await self._refresh()
        yield rx.set_focus(HOURS_FORM)

    @admin_only(background=True)
    async def follow(self):
        """Show what others change without a reload."""
        async with self:
            await self._refresh()
        await screens.follow(self, self._refresh, AREAS)

    @admin_only
    async def begin_window(self, weekday: int, opens: int):
        """Open the dialog of a window; one that is not there is a new one."""
        self._open_dialog(WINDOW, "New window")
        for day, windows in enumerate(self._seen.windows_by_weekday):
            for each in windows:
                if (day, each.opens) == (weekday, opens):
                    self._window, self.ticked = (day, each.opens), [str(day)]
                    self.title = f"{WEEKDAYS[day]}, {each.text}"
                    numbers = asdict(each).items()
                    self.values = _BLANK | {name: str(number) for name, number in numbers}

    @admin_only
    async def begin_day(self):
        """Open the dialog of a day that differs."""
        self._open_dialog(DAY, "Close or change a day")

    @admin_only
    async def keep(self):
        """Answer that what is booked stays."""
        if self.opened and not self.busy and self.dialog == QUESTION:
            async for event in self._run(self._store(self._wanted, self._asked)):
                yield event

    @admin_only
    async def remove_window(self):
        """Delete the window in the dialog from its weekday."""
        if self.opened and not self.busy and self.dialog == WINDOW and self._window:
            wanted = rules.without_window(self._seen, *self._window)
            async for event in self._run(self._store(wanted)):
                yield event

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
        return _FORMS[self.dialog]

    def _open_dialog(self, dialog: str, title: str) -> None:
        """Open it beside the hours, which stay shown."""
        if self.area_id:
            self.opened, self.dialog, self.title, self.values, self.errors = (
                True,
                dialog,
                title,
                _BLANK,
                _BLANK,
            )
            self.ticked, self._window = [], None
            self.error, self.busy, self._seen = "", False, self._stored

    async def _send(self, sent: object) -> None:
        if self.dialog == QUESTION:
            await self._store(self._wanted, self._asked, CancelForm.parse(sent).reason)
        elif self.dialog == DAY:
            form = DayForm.parse(sent)
            self.values = _BLANK | {"reason": form.reason}  # for the question
            await self._store(rules.with_day(self._seen, form, clock.day_of(clock.now())))
        else:
            replaces = self._window and self._window[1]
            await self._store(rules.with_window(self._seen, WindowForm.parse(sent), replaces))

    async def _store(
        self, wanted: Hours, answers: AffectedBookings | None = None, reason: str = ""
    ) -> None:
        try:
            cancelled = await area_changes.change_hours(
                self.area_id,
                self._seen,
                wanted,
                answers=answers,
                cancel_because=reason,
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
        suffix = f", {cancelled} cancelled" if cancelled else ""
        (await self.get_state(ToastState))._show(f"Hours of {self.area} changed{suffix}")
        await self._refresh()

    def _ask(self, wanted: Hours, question: HoursNeedAnswer) -> None:
        affected = question.affected
        if self.opened and self.dialog == QUESTION:
            self.error = "The bookings have changed meanwhile. You now see them as they are."
        self.opened, self.dialog = True, QUESTION
        self._wanted, self._asked = wanted, affected
        self.booked = [BookedLine.of(each, question.names) for each in affected.closed]
        count = len(self.booked)
        self.title = f"{count} booked in what closes" if count else "More booked than room"
        self.over = [f"{window}: {booked} booked" for window, booked in affected.over]

    def _close(self) -> None:
        self.opened, self.dialog, self.error = False, "", ""

    async def _refresh(self) -> None:
        if not self.area_id:
            return
        try:
            area = await area_hours.read(self.area_id, actor=await actor_of(self))
            self.area, self._stored = area.name, area.hours
        except Refusal:  # the area or the role has gone meanwhile
            self.area_id, self.area, self._stored = "", "", Hours()
        except Exception:
            log.exception("hours.read_failed")
            self.error = "The hours cannot be read just now."
            return
        week = self._stored.windows_by_weekday
        self.week = [[WindowLine.of(each) for each in windows] for windows in week]
        self.days = [DayLine.of(each, week) for each in self._stored.exceptions]
        hours_once = {window.opens: WindowLine.of(window) for day in week for window in day}
        self.windows = [hours_once[opens] for opens in sorted(hours_once)]


SHOWN = 100  # customers
CHANGED = "This has changed meanwhile. You now see it as it is."


async def _say(state: rx.State, form: AreaForm, made: AreaOutcome) -> None:
    what = f"{form.name} changed"
    if made.cancelled or made.ended:  # Undo would bring back neither
        cancelled = f", {made.cancelled} cancelled" if made.cancelled else ""
        plans = counted(made.ended, "plan ends", "plans end")
        ended = f", {plans}" if made.ended else ""
        (await state.get_state(ToastState))._show(f"{what}{cancelled}{ended}")
    elif made.done.changed:
        (await state.get_state(UndoState))._offer(what, made.done.action_id)


@dataclass(frozen=True)
class ResidentLine:
    """A customer in ZIP codes that leave; `link` leads to them."""

    name: str
    note: str
    link: str

    @classmethod
    def of(cls, each: Resident) -> Self:
        note = "Has another address that is served"
        if each.is_stranded:
            plan = "the plan ends with its period" if each.loses_plan else "no active plan"
            note = f"No other address: {plan}"
        return cls(each.name, note, routes.customer_tab(each.id, "bookings"))


class ZipsState(FormDialog, rx.State):
    """The question about the bookings and customers in ZIP codes that leave an open area."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "zips"
    FIELDS: ClassVar = CancelForm
    EVENT: ClassVar = "area.change_failed"

    title: str = ""
    booked: list[BookedLine] = []
    customers: list[ResidentLine] = []  # those who lose a plan first
    more: str = ""  # how many are left out
    ending: str = ""  # how many plans end with their period
    errors: dict[str, str] = CancelForm.blank()

    _area: AreaCard = AreaCard()
    _wanted: AreaForm | None = None
    _asked: LeftOut = LeftOut()

    def _ask(self, area: AreaCard, wanted: AreaForm, question: ZipsNeedAnswer) -> None:
        left_out, is_again = question.left_out, self.opened
        self._open()
        self.error = CHANGED if is_again else ""
        self._area, self._wanted, self._asked = area, wanted, left_out
        self.booked = [BookedLine.of(each, question.names) for each in left_out.bookings]
        lines = sorted(left_out.customers, key=lambda each: not each.loses_plan)
        self.customers = [ResidentLine.of(each) for each in lines[:SHOWN]]
        self.more = f"and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
        self.ending = counted(len(left_out.losing_plans), "plan") if left_out.losing_plans else ""
        people = counted(len(lines), "customer")
        self.title = f"{people}, {counted(len(self.booked), 'booking')}"

    @admin_only
    async def keep(self):
        """Answer that what is booked stays."""
        if self.opened and not self.busy:
            async for event in self._run(self._send(None)):
                yield event

    async def _send(self, sent: object) -> None:
        """Change the area: what is booked is cancelled with a reason; without a form it stays."""
        wanted = self._wanted
        if wanted is None:
            return
        try:
            made = await area_changes.change_area(
                self._area.id,
                self._area.form,
                wanted,
                answers=self._asked,
                cancel_because="" if sent is None else CancelForm.parse(sent).reason,
                actor=await actor_of(self),
            )
        except ZipsNeedAnswer as question:
            self._ask(self._area, wanted, question)
            return
        self._close()
        await _say(self, wanted, made)
        await (await self.get_state(AreasState))._refresh()


class AreaFormState(FormDialog, rx.State):
    """The dialog that makes an area or changes one."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "area"
    FIELDS: ClassVar = AreaForm
    MANY: ClassVar = ("grades",)
    EVENT: ClassVar = "area.change_failed"

    area: AreaCard = AreaCard()
    errors: dict[str, str] = AreaForm.blank()

    @admin_only
    async def begin(self, area_id: str):
        """Open the dialog for an area; an empty id is a new one."""
        area = (await self.get_state(AreasState))._find(area_id)
        self._open()
        self.area = area

    async def _renew(self) -> None:
        areas_shown = await self.get_state(AreasState)
        await areas_shown._refresh()
        if (newer := areas_shown._find(self.area.id)).id:
            self.area, self.errors = newer, AreaForm.blank()

    async def _send(self, sent: object) -> None:
        form, actor = AreaForm.parse(sent), await actor_of(self)
        if self.area.id:
            try:
                made = await area_changes.change_area(
                    self.area.id, self.area.form, form, actor=actor
                )
            except ZipsNeedAnswer as question:
                (await self.get_state(ZipsState))._ask(self.area, form, question)
            else:
                await _say(self, form, made)
        else:
            await areas.create(form, actor=actor)
            (await self.get_state(ToastState))._show(f"{form.name} created")
        self._close()
        await (await self.get_state(AreasState))._refresh()
