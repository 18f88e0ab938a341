"""The dispatch board of one day: what it shows, planning and publishing."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor, NotAllowed
from fuel_app.accounts.state.screens import UndoState, follow
from fuel_app.accounts.state.session import Arriving, StaffScreen, actor_of, staff_only
from fuel_app.dispatch.rules.arrivals import TOO_LATE
from fuel_app.dispatch.rules.day import (
    CLOSED,
    OPEN,
    PUBLISHED,
    NoSuchDay,
    find_shortages,
    parse_day,
)
from fuel_app.dispatch.rules.day_plan import Search
from fuel_app.dispatch.service import day_plan, publication
from fuel_app.dispatch.service import truck_routes as service
from fuel_app.dispatch.service.day_plan import Planned
from fuel_app.dispatch.service.truck_routes import Board
from fuel_app.dispatch.state.cards import (
    ON_THE_WAY,
    Column,
    Span,
    StopCard,
    Tick,
    columns_of,
    count_notified,
    count_text,
    has_words,
    late_of,
    left_of,
    next_step_of,
    search_texts,
    span_of,
    waiting_of,
)
from fuel_app.kit import clock
from fuel_app.kit.errors import attempt
from fuel_app.kit.search import words_of
from fuel_app.kit.signals import BOOKINGS, ROUTES, SHIFTS, TRUCKS
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

# What the board is narrowed down to, by name.
ONLY: dict[str, tuple[str, Callable[[StopCard], bool]]] = {
    "open": ("Still to do", lambda card: not card.is_done and not card.gone),
    "way": ("On the way", lambda card: card.state == ON_THE_WAY),
    "done": ("Done", lambda card: card.is_done),
    "late": ("Late", lambda card: card.lateness in TOO_LATE),
    "unserved": ("On no route", lambda card: card.is_booking and not card.place),
    "moved_pin": ("Pin moved", lambda card: card.has_moved_pin),
    "unsent": ("Message not sent", lambda card: card.is_unsent),
    "unpaid": ("Unpaid", lambda card: card.is_unpaid),
}
_SEARCH_MAX = 100


TABS = ("map", "trucks", "timeline", "unassigned")  # on phones
ESTIMATED = "Driving times are estimated, without live traffic."
PLANNING = "Planning"
_LOOK_S = 0.5  # at a search that goes on
_MINUTE_S = 60  # expected times go on without a change
_AFTER_S = 0.08  # longer than the own board of who moved a stop takes
_STATES = {OPEN: "Open", PUBLISHED: "Published", CLOSED: "Closed"}
PUBLISHED_DAY = _STATES[PUBLISHED]
_AREA = [(27.2, -82.7), (27.5, -82.4)]  # shown while nothing is on the map


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
    has_begun: bool = False  # a published day, which stays so then
    notified_by_publishing: int = 0  # so many customers
    next_step: str = ""  # PLAN, PUBLISH, or ''
    told_by_resuming: int = 0
    late_count: int = 0
    unsent_count: int = 0
    pin_count: int = 0  # stops whose pins have moved since they were planned
    sought: str = ""  # of a name, plate or street
    only: str = ""  # one of `ONLY`; '' for all
    found: dict[str, bool] = {}  # the stops that are sought, by id; empty for all
    found_count: int = -1  # -1 while nothing is sought
    selected: str = ""
    tab: str = "trucks"
    busy: str = ""  # what is being done
    progress: str = ""  # of a plan: 'Planning 40%'
    is_stopping: bool = False  # the plan, as its Cancel was pressed
    loading: bool = True
    failed: bool = False

    _seen: dict[str, int] = {}
    _span: Span | None = None
    _words: dict[str, str] = {}  # by which each booking is found
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

    @staff_only
    async def search(self, text: str):
        """Show the stops alone whose customer, plate or street has these words."""
        self.sought = text[:_SEARCH_MAX] if isinstance(text, str) else ""
        self._seek()

    @staff_only
    async def show_only(self, only: str):
        """Show the stops of one kind alone; all again, if it is chosen already."""
        is_new = isinstance(only, str) and only in ONLY and only != self.only
        self.only = only if is_new else ""
        if is_new:
            self.tab = "unassigned" if only == "unserved" else "trucks"
        self._seek()

    @staff_only(background=True)
    async def plan(self):
        """Assign all bookings of the day that can be moved to trucks and times."""
        search = Search()
        act = partial(day_plan.plan, search=search)
        await self._work("plan", act, self._planned, search)

    @staff_only
    async def stop_plan(self):
        """Cancel the plan that is being searched for: nothing changes."""
        self.is_stopping = self.busy == "plan"

    @staff_only(background=True)
    async def publish(self):
        """Send the routes to the technicians."""
        await self._work("publish", day_plan.publish, self._published)

    @staff_only(background=True)
    async def unpublish(self):
        """Take the routes back from the technicians, as long as none has set off."""
        await self._work("unpublish", publication.unpublish, self._unpublished)

    def _seek(self) -> None:
        """Find the stops that are sought."""
        wanted, by = words_of(self.sought), ONLY.get(self.only)
        if not wanted and by is None:
            self.found, self.found_count = {}, -1
            return
        words = self.get_value("_words")
        self.found = {
            card.id: True
            for card in self._cards()
            if (by is None or by[1](card)) and has_words(words.get(card.id, ""), wanted)
        }
        self.found_count = len(self.found)

    def _cards(self) -> list[StopCard]:
        columns, unassigned = self.get_value("columns"), self.get_value("unassigned")
        return [*unassigned, *(stop for column in columns for stop in column.stops)]

    def _find(self, stop_id: object) -> StopCard | None:
        """Return a stop of the board, or a booking on no route."""
        return next((card for card in self._cards() if card.id == stop_id), None)

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
        search: Search | None = None,
    ) -> None:
        """Do what takes its time, without keeping the tab waiting; once at a time."""
        async with self:
            if self.busy or not self.day:
                return
            self.busy, self.progress, self.is_stopping = kind, PLANNING, False
            actor, day, seen = await actor_of(self), self.day, dict(self._seen)
        doing = asyncio.create_task(attempt(act(actor, day, seen), f"dispatch.{kind}_failed"))
        try:
            if search:
                await self._show_progress(doing, search)
            done, problem = await doing
        finally:
            doing.cancel()  # with its tab
        async with self:
            self.busy = ""
            await self._refresh()
            if problem:
                await self._say(problem, is_problem=True)
            else:
                await say(done, day)

    async def _show_progress(self, doing: asyncio.Task[Any], search: Search) -> None:
        """Say how far a search is until it is done, and stop it when its Cancel is pressed."""
        while not (await asyncio.wait([doing], timeout=_LOOK_S))[0]:
            async with self:
                self.progress = f"{PLANNING} {search.share:.0%}"
                search.is_stopped = self.is_stopping

    async def _planned(self, plan: Planned, day: str) -> None:
        text = f"{count_text(plan.served, 'stop')} planned"
        self._estimated = day if plan.estimated else ""
        if day == self.day:  # else another one is shown meanwhile
            self.warnings = self._warnings(len(self.unassigned), self.pin_count)
            if self.late_count:
                text += f", {self.late_count} late"
        if plan.unserved:
            text += f", {plan.unserved} fit on no truck"
        if plan.told:
            text += f". {count_text(plan.told, 'customer')} will be told"
        if plan.action_id:
            await self._offer_undo(text, plan.action_id, day)
        else:
            await self._say(f"{text}. Nothing had to change")

    async def _published(self, count: int, _day: str) -> None:
        await self._say(f"Published: {count_text(count, 'stop')} sent to the technicians")

    async def _unpublished(self, action_id: str, day: str) -> None:
        if action_id:
            await self._offer_undo("The day is open again", action_id, day)

    async def _turn(self, day: date, *, replaces: bool = False) -> None:
        if self.day != day.isoformat():
            self.selected, self.sought, self.only, self.loading = "", "", "", True
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
        board = await service.read_changed_board(by, day, self._seen, shown)
        if board is None:
            return await self._show_day(by, day)
        changed = {column.id: column for column in columns_of(board, self.get_value("_span"))}
        if changed:
            pairs = [(column, changed.get(column.id) or column) for column in columns]
            self.columns = [replace(new, color=old.color) for old, new in pairs]
            self.late, self.left = late_of(self.columns), left_of(self.columns)
            self.notified_by_publishing = count_notified(self.columns)
            self.late_count = sum(column.late_count for column in self.columns)
            self.unassigned = waiting_of(board.day.unassigned, board)
            self.next_step = self._next_step(board, self.columns, self.unassigned)
            self.pin_count = sum(stop.has_moved_pin for each in self.columns for stop in each.stops)
            self.warnings = self._warnings(len(self.unassigned), self.pin_count)
            self._seen |= board.day.revisions
            self._words |= search_texts(board.day)
            self.unsent_count = sum(card.is_unsent for card in self._cards())
            self._seek()

    async def _show_day(self, by: Actor, asked: date) -> None:
        """Show a day; what has not changed is not sent again."""
        board = await service.read_board(by, asked)
        day, span = board.day, span_of(board.day.routes)
        columns, is_today = columns_of(board, span), asked == clock.day_of(board.at)
        self.status, self._shortages = _STATES[day.state], find_shortages(day)
        unassigned = waiting_of(day.unassigned, board)
        stops = [*unassigned, *(stop for column in columns for stop in column.stops)]
        homes = [column.home for column in columns]
        pins = sum(stop.has_moved_pin for stop in stops)
        set_changed(
            self,
            columns=columns,
            late=late_of(columns),
            late_count=sum(column.late_count for column in columns),
            unsent_count=sum(stop.is_unsent for stop in stops),
            pin_count=pins,
            left=left_of(columns),
            unassigned=unassigned,
            on_hold=waiting_of(day.on_hold, board),
            has_begun=any(stop.is_started for route in day.routes for stop in route.stops),
            notified_by_publishing=count_notified(columns),
            next_step=self._next_step(board, columns, unassigned),
            told_by_resuming=sum(each.booking.ends_at > board.at for each in day.on_hold),
            ticks=span.ticks if span else [],
            now_x=f"{span.x(board.at):.2f}%" if span and is_today else "",
            view=[*homes, *((stop.lat, stop.lng) for stop in stops if stop.is_booking)] or _AREA,
            warnings=self._warnings(len(unassigned), pins),
        )
        self._seen, self._span, self._words = day.revisions, span, search_texts(day)
        self._seek()

    def _next_step(
        self, board: Board, columns: Sequence[Column], unassigned: Sequence[StopCard]
    ) -> str:
        is_over = board.day.day < clock.day_of(board.at)
        return next_step_of(board.day.state, columns, unassigned, is_over=is_over)

    def _warnings(self, waiting: int, pins: int) -> list[str]:
        said = list(self._shortages)
        if self._estimated == self.day:
            said.append(ESTIMATED)
        if pins:
            moved = "1 pin has" if pins == 1 else f"{pins} pins have"
            said.append(f"{moved} moved since the routes were planned. Plan the day again.")
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
