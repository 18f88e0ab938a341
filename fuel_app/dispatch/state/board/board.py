"""The dispatch board of one day: what it shows, planning and publishing."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Any, TypeVar

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor, NotAllowed
from fuel_app.accounts.state.arrival import Arriving
from fuel_app.accounts.state.live import follow
from fuel_app.accounts.state.session import StaffScreen, actor_of, staff_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.dispatch.rules.day import CLOSED, OPEN, PUBLISHED, NoSuchDay, parse_day
from fuel_app.dispatch.rules.supply import shortages
from fuel_app.dispatch.rules.timing import TOO_LATE
from fuel_app.dispatch.service import board as service
from fuel_app.dispatch.service import planning, publishing
from fuel_app.dispatch.service.planning import Planned
from fuel_app.dispatch.state.board.rows import (
    Column,
    Span,
    StopCard,
    Tick,
    columns_of,
    late_of,
    left_of,
    span_of,
    waiting_of,
)
from fuel_app.kit import clock
from fuel_app.kit.errors import FAILED, Refusal
from fuel_app.kit.signals import BOOKINGS, ROUTES, SHIFTS, TRUCKS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

TABS = ("map", "trucks", "timeline", "unassigned")  # on phones
ESTIMATED = "Driving times are estimated, without live traffic."
_MINUTE_S = 60  # expected times go on without a change
_AFTER_S = 0.08  # longer than the own board of who moved a stop takes
_STATES = {OPEN: "Open", PUBLISHED: "Published", CLOSED: "Closed"}
_AREA = [(27.2, -82.7), (27.5, -82.4)]  # shown while nothing is on the map

Outcome = TypeVar("Outcome")


async def attempt(change: Awaitable[Outcome], event: str) -> tuple[Outcome | None, str]:
    """Await a change. Return its outcome, or None and why it failed, worded for the user.

    Args:
        event: The log's name of an unexpected failure.
    """
    try:
        return await change, ""
    except Refusal as refusal:
        return None, str(refusal)
    except Exception:
        log.exception(event)
        return None, FAILED


def count_text(count: int, noun: str) -> str:
    """'1 stop', '2 stops'."""
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"


class OfDay(StaffScreen, mixin=True):
    """A part of the board about the day that is shown: it starts over with another day."""


class BoardState(StaffScreen, Arriving, rx.State):
    """A day's trucks with their routes, and the bookings that are on none."""

    day: str = ""
    before: str = ""
    after: str = ""
    today: str = ""
    title: str = ""
    address: str = ""
    address_replaces: bool = False
    status: str = ""
    columns: list[Column] = []
    unassigned: list[StopCard] = []
    on_hold: list[StopCard] = []
    ticks: list[Tick] = []
    now_x: str = ""  # of the timeline; '' on other days
    view: list[tuple[float, float]] = _AREA  # the map fits these
    warnings: list[str] = []
    late: str = ""  # which trucks have late stops, for the head
    left: str = ""  # which trucks have no technician any more, for the head
    selected: str = ""
    tab: str = "trucks"
    busy: str = ""  # what is being done
    loading: bool = True
    failed: bool = False

    _seen: dict[str, int] = {}
    _span: Span | None = None
    _shortages: tuple[str, ...] = ()
    _estimated: str = ""  # the day whose last plan was estimated

    @rx.var
    def tile_url(self) -> str:
        """Return the address of the map's tiles; empty without them."""
        return settings.tile_url

    @staff_only
    async def load(self):
        """Show the day that the address asks for; without one, today."""
        asked = _day_in(self.router.url.query_parameters.get("day"))
        await self._turn(asked or clock.day_of(clock.now()), replaces=True)
        self._arrived()

    @staff_only(background=True)
    async def follow(self):
        """Show what others change, and how times go on."""
        await follow(self, self._refresh, SHIFTS, BOOKINGS, TRUCKS, every_s=_MINUTE_S)

    @staff_only(background=True)
    async def watch(self):
        """Show the routes that others change by hand."""
        refresh = partial(self._refresh, changed_alone=True)
        await follow(self, refresh, ROUTES, after_s=_AFTER_S)

    @staff_only
    async def show_day(self, day: str):
        """Turn to another day."""
        asked = _day_in(day)
        if asked and asked.isoformat() != self.day:
            await self._turn(asked)

    @staff_only
    async def show_tab(self, tab: str):
        """Show another part on a phone."""
        if tab in TABS:
            self.tab = tab

    @staff_only
    async def select(self, stop_id: str):
        """Mark a stop in its column and on the map."""
        if self._find(stop_id):
            self.selected, self.tab = stop_id, "trucks"

    @staff_only(background=True)
    async def plan(self):
        """Assign all bookings of the day that can be moved to trucks and times."""
        await self._work("plan", planning.plan, self._planned)

    @staff_only(background=True)
    async def publish(self):
        """Send the routes to the technicians."""
        await self._work("publish", publishing.publish, self._published)

    def _find(self, stop_id: object) -> StopCard | None:
        """Return a stop of the board, or a booking on no route."""
        columns, unassigned = self.get_value("columns"), self.get_value("unassigned")
        cards = [*unassigned, *(stop for column in columns for stop in column.stops)]
        return next((card for card in cards if card.id == stop_id), None)

    def _column(self, shift_id: object) -> Column | None:
        columns = self.get_value("columns")
        return next((column for column in columns if column.id == shift_id), None)

    async def _say(self, text: str, *, is_problem: bool = False) -> None:
        toasts = await self.get_state(ToastState)
        if is_problem:
            toasts._show(text, "problem", seconds=6)
        else:
            toasts._show(text)

    async def _offer_undo(self, text: str, action_id: str, day: str = "") -> None:
        (await self.get_state(UndoState))._offer(text, action_id, day or self.day)

    async def _work(
        self,
        kind: str,
        act: Callable[..., Awaitable[Any]],
        say: Callable[[Any, str], Awaitable[None]],
    ) -> None:
        """Do what takes its time, without keeping the tab waiting; once at a time."""
        async with self:
            if self.busy or not self.day:
                return
            self.busy = kind
            actor, day, seen = await actor_of(self), self.day, dict(self._seen)
        done, problem = await attempt(act(actor, day, seen), f"dispatch.{kind}_failed")
        async with self:
            self.busy = ""
            await self._refresh()
            if problem:
                await self._say(problem, is_problem=True)
            else:
                await say(done, day)

    async def _planned(self, plan: Planned, day: str) -> None:
        text = f"{count_text(plan.served, 'stop')} planned"
        self._estimated = day if plan.estimated else ""
        if day == self.day:  # else another one is shown meanwhile
            self.warnings = self._warnings(len(self.unassigned))
            stops = [stop for column in self.get_value("columns") for stop in column.stops]
            if late := sum(stop.lateness in TOO_LATE for stop in stops):
                text += f", {late} late"
        if plan.unserved:
            text += f", {plan.unserved} fit on no truck"
        if plan.action_id:
            await self._offer_undo(text, plan.action_id, day)
        else:
            await self._say(f"{text}. Nothing had to change")

    async def _published(self, count: int, _day: str) -> None:
        await self._say(f"Published: {count_text(count, 'stop')} sent to the technicians")

    async def _turn(self, day: date, *, replaces: bool = False) -> None:
        if self.day != day.isoformat():
            self.selected, self.loading = "", True
            for part in rx.State.get_substates():
                if issubclass(part, OfDay):
                    (await self.get_state(part))._start_over()
        today, one = clock.day_of(clock.now()), timedelta(days=1)
        self.day, self.today = day.isoformat(), today.isoformat()
        self.before, self.after = (day - one).isoformat(), (day + one).isoformat()
        self.title = f"{day:%A}, {clock.long_date(day)}"
        self.address = routes.asking(routes.DISPATCH, {"day": self.day if day != today else ""})
        self.address_replaces = replaces
        await self._refresh()

    async def _refresh(self, *, changed_alone: bool = False) -> None:
        day, show = _day_in(self.day), self._show_changed if changed_alone else self._show_day
        try:
            if day:
                await show(await actor_of(self), day)
            self.failed = False
        except NotAllowed:  # the role has gone meanwhile
            self._start_over()
        except Exception:
            log.exception("screen.read_failed", screen=type(self).__name__)
            self.failed = True
        self.loading = False

    async def _show_changed(self, by: Actor, day: date) -> None:
        """Show the routes that have changed; the others stay as they are."""
        columns, unassigned = self.get_value("columns"), self.get_value("unassigned")
        cards = {column.id: column.stops for column in columns} | {"": unassigned}
        shown = {shift_id: [card.id for card in stops] for shift_id, stops in cards.items()}
        board = await service.read_changed(by, day, self._seen, shown)
        if board is None:
            return await self._show_day(by, day)
        changed = {column.id: column for column in columns_of(board, self.get_value("_span"))}
        if changed:
            pairs = [(column, changed.get(column.id) or column) for column in columns]
            self.columns = [replace(new, color=old.color) for old, new in pairs]
            self.late, self.left = late_of(self.columns), left_of(self.columns)
            self.unassigned = waiting_of(board.day.unassigned, board.unpaid)
            self.warnings = self._warnings(len(self.unassigned))
            self._seen |= board.day.revisions

    async def _show_day(self, by: Actor, asked: date) -> None:
        """Show a day; what has not changed is not sent again."""
        board = await service.read(by, asked)
        day, span = board.day, span_of(board.day.routes)
        columns, is_today = columns_of(board, span), asked == clock.day_of(board.at)
        self.status, self._shortages = _STATES[day.state], shortages(day)
        unassigned = waiting_of(day.unassigned, board.unpaid)
        stops = [*unassigned, *(stop for column in columns for stop in column.stops)]
        homes = [column.home for column in columns]
        shown = {
            "columns": columns,
            "late": late_of(columns),
            "left": left_of(columns),
            "unassigned": unassigned,
            "on_hold": waiting_of(day.on_hold, board.unpaid),
            "ticks": span.ticks if span else [],
            "now_x": f"{span.x(board.at):.2f}%" if span and is_today else "",
            "view": [*homes, *((stop.lat, stop.lng) for stop in stops if stop.is_booking)] or _AREA,
            "warnings": self._warnings(len(unassigned)),
        }
        for name, value in shown.items():
            if getattr(self, name) != value:
                setattr(self, name, value)
        self._seen, self._span = day.revisions, span

    def _warnings(self, waiting: int) -> list[str]:
        said = list(self._shortages)
        if self._estimated == self.day:
            said.append(ESTIMATED)
        if self.status == _STATES[PUBLISHED] and waiting:
            left = count_text(waiting, "booking")
            said.append(f"The day is published. Still on no route: {left}.")
        return said


def _day_in(asked: object) -> date | None:
    """Return the day of an address or a date field; None for anything else."""
    try:
        return parse_day(asked)
    except NoSuchDay:
        return None
