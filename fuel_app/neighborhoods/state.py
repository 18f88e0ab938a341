"""Neighborhoods as screens show them: the staff's table and map, one in detail, and its changes."""

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state.screens import StaffList, UndoState
from fuel_app.accounts.state.session import StaffScreen, actor_of, staff_only
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import FAILED, Refusal
from fuel_app.kit.forms import typed
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import MEMBERS
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.map import circle_size, short_count
from fuel_app.kit.words import counted
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import (
    Member,
    MemberQuery,
    NeighborhoodChange,
    NeighborhoodDetail,
    NeighborhoodQuery,
    NeighborhoodRow,
    NeighborhoodSummary,
    ZipArea,
    badge_color,
    clean_name,
    members_confirmed,
    members_count,
    missing_to_next,
    neighbors,
    progress_goal,
    tier_for,
)
from fuel_app.settings import settings


@dataclasses.dataclass(frozen=True)
class NeighborhoodCard:
    """Plain values, worded and coloured by the rules; an empty one means 'none'."""

    id: str = ""
    name: str = ""
    zip_code: str = ""
    members: int = 0
    neighbors: str = ""
    goal: int = 5
    color: str = "grey"
    tier: str = ""
    next_step: str = ""

    @classmethod
    def of(cls, neighborhood: NeighborhoodSummary) -> Self:
        return cls(
            id=neighborhood.id,
            name=neighborhood.name,
            zip_code=neighborhood.zip_code,
            members=neighborhood.members,
            neighbors=neighbors(neighborhood.members),
            goal=progress_goal(neighborhood.members),
            color=badge_color(neighborhood.members),
            tier=neighborhood.tier.label,
            next_step=neighborhood.next_step,
        )


@dataclass(frozen=True)
class PersonLine:
    """A member; an empty one means 'none'."""

    id: str = ""
    name: str = ""
    email: str = ""
    joined: str = ""
    moment: str = ""  # for machines
    lead: str = ""  # the address of all that is known about them; empty: no lead any more

    @classmethod
    def of(cls, member: Member) -> Self:
        return cls(
            id=member.id,
            name=member.name,
            email=member.email,
            joined=clock.short_date(clock.day_of(member.joined_at)),
            moment=member.joined_at.isoformat(),
            lead=routes.lead(member.id) if member.is_listed else "",
        )


@dataclass(frozen=True)
class ChangeLine:
    """One change by staff."""

    what: str
    when: str
    who: str
    undone: bool

    @classmethod
    def of(cls, change: NeighborhoodChange) -> Self:
        when = clock.date_and_time(change.at)
        return cls(change.summary, when, f"by {change.actor}", change.undone)


@dataclass(frozen=True)
class NeighborhoodLine(NeighborhoodCard):
    """A neighborhood in the staff's table."""

    pioneer: str = ""
    members_text: str = ""
    missing: str = ""  # empty at the highest tier
    address: str = ""
    join_link: str = ""

    @classmethod
    def of_row(cls, row: NeighborhoodRow, *, site: str) -> Self:
        return cls(
            **asdict(NeighborhoodCard.of(row)),
            pioneer=row.pioneer,
            members_text=f"{row.members:,}",
            missing=missing_to_next(row.members),
            address=routes.neighborhood(row.id),
            join_link=site + routes.join_neighborhood(row.id),
        )


@dataclass(frozen=True)
class Circle:
    """The neighborhoods of one ZIP."""

    zip_code: str
    lat: float
    lng: float
    size: int  # pixels across: the area grows with the members
    tier: int  # of the largest neighborhood
    members: str
    label: str

    @classmethod
    def of(cls, area: ZipArea, *, most: int) -> Self:
        """Args: `most` is the number of members that the largest circle stands for."""
        tier = tier_for(area.largest)
        return cls(
            zip_code=area.zip_code,
            lat=area.lat,
            lng=area.lng,
            size=circle_size(area.members, most),
            tier=tier.level,
            members=short_count(area.members),
            label=f"{area.zip_code}: {counted(area.neighborhoods, 'neighborhood')}, "
            f"{members_count(area.members)}, the largest at {tier.label}",
        )


log = structlog.get_logger(__name__)


class NeighborhoodState(StaffList, rx.State):
    """The screen of one tab."""

    TOPICS: ClassVar = (MEMBERS,)

    question: MemberQuery = MemberQuery()
    neighborhood: NeighborhoodCard = NeighborhoodCard()
    count: str = ""
    founded: str = ""
    join_link: str = ""
    pioneer: PersonLine = PersonLine()
    rows: list[PersonLine] = []  # the members
    changes: list[ChangeLine] = []
    missing: bool = False
    merged: bool = False  # the address is that of one which has become part of this one

    _asked: str = ""  # the id in the address

    @staff_only
    async def load(self):
        """Show the neighborhood that the address names."""
        asked = self.router.url.path.rstrip("/").rpartition("/")[2]
        if asked != self._asked:
            self._clear()
            self._asked, self.loading, self.missing = asked, True, False
        self._arrive()
        yield
        await self._answer()
        self._arrived()

    def _path(self) -> str:
        return routes.neighborhood(self._asked)

    async def _refresh(self) -> None:
        """Read it again. A failed read leaves what is there; without anything there it counts as
        not found."""
        try:
            found = await neighborhoods.detail(self._asked, self.question)
            changes = await neighborhoods.history(found.neighborhood.id) if found else []
        except Exception:
            log.exception("neighborhood.read_failed")
            self.loading, self.missing = False, not self.neighborhood.id
            return
        self.loading, self.missing = False, found is None
        if found:
            self._show(found, changes)
        else:
            self._clear()

    def _show(self, found: NeighborhoodDetail, changes: Sequence[NeighborhoodChange]) -> None:
        self.neighborhood = NeighborhoodCard.of(found.neighborhood)
        self.count = members_count(found.neighborhood.members)
        if found.confirmed:
            self.count += f" · {members_confirmed(found.confirmed)}"
        self.founded = clock.short_date(clock.day_of(found.created_at))
        site = site_address(self)
        self.join_link = site + routes.join_neighborhood(found.neighborhood.id)
        self.pioneer = PersonLine.of(found.pioneer) if found.pioneer else PersonLine()
        self.rows = [PersonLine.of(member) for member in found.members]
        self.changes = [ChangeLine.of(change) for change in changes]
        self._show_pages(found.page, found.pages)
        self.merged = found.neighborhood.id != well_formed_id(self._asked)

    def _clear(self) -> None:
        self.neighborhood, self.pioneer = NeighborhoodCard(), PersonLine()
        self.rows, self.changes, self.merged = [], [], False


class NeighborhoodsState(StaffList, rx.State):
    """The screen of one tab."""

    PATH: ClassVar = routes.NEIGHBORHOODS
    TOPICS: ClassVar = (MEMBERS,)

    question: NeighborhoodQuery = NeighborhoodQuery()
    rows: list[NeighborhoodLine] = []
    circles: list[Circle] = []
    service_area: list[tuple[float, float]] = []  # a line around it
    tile_url: str = ""

    @rx.var
    def problems(self) -> dict[str, str]:
        return self.question.problems

    @rx.var
    def export_address(self) -> str:
        """The file of all neighborhoods that the filters leave, in this order."""
        asked = self.question.asking(page=1).parameters()
        return routes.asking(routes.NEIGHBORHOODS_EXPORT, asked)

    @staff_only
    async def load(self):
        """Answer what the address asks; the table does not wait for the map."""
        self._arrive()
        self.tile_url = settings.tile_url
        await self._list()
        self._arrived()
        yield
        await self._draw()
        self._answered = self.question

    @staff_only
    async def show_zip(self, zip_code: str):
        """List the neighborhoods of a circle alone, or all of them again."""
        asked = contact.text(zip_code)[: contact.ZIP_DIGITS]
        await self._ask(zip="" if asked == self.question.zip else asked, page=1)

    async def _refresh(self) -> None:
        await self._list()
        await self._draw()

    async def _list(self) -> None:
        """Fetch the page of the table. A failure is only logged, says the specification."""
        try:
            found = await neighborhoods.page(self.question)
            site = site_address(self)
            self.rows = [NeighborhoodLine.of_row(row, site=site) for row in found.rows]
            self._show_pages(found.page, found.pages)
            nouns = ("match", "matches") if self.filtered else ("neighborhood",)
            self.summary, self.failed = counted(found.total, *nouns), False
        except Exception:
            log.exception("neighborhoods.list_failed")
            self.rows, self.pages, self.summary, self.failed = [], 1, "", True
        self.loading = False

    async def _draw(self) -> None:
        """Fetch the circles of all ZIPs, since pressing one selects it. Without them the table is
        all there is."""
        try:
            areas = await neighborhoods.areas(self.question.asking(zip=""))
            most = max((area.members for area in areas), default=0)
            circles = [Circle.of(area, most=most) for area in areas]
            line = await neighborhoods.service_area()
        except Exception:
            log.exception("neighborhoods.map_failed")
            circles, line = [], []
        if circles != self.circles:  # what stays the same is not sent again
            self.circles = circles
        if line != self.service_area:
            self.service_area = line


FORM = "neighborhood-tool"


def _chosen(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("Choose a neighborhood")
    return value


@dataclass(frozen=True)
class Tool:
    """A form of one field, and its action on (neighborhood's id, value, actor=...)."""

    field: str
    clean: contact.Cleaner
    act: Callable[..., Awaitable[NeighborhoodChange | None]]

    def typed(self, form: object) -> str:
        return typed(form, [self.field])[self.field]


TOOLS = {
    "rename": Tool("name", clean_name, neighborhoods.rename),
    "merge": Tool("gone", _chosen, neighborhoods.merge),
    "pioneer": Tool("email", contact.email, neighborhoods.hand_over),
}


@dataclass(frozen=True)
class Choice:
    """A neighborhood that can be merged into this one."""

    id: str
    text: str


class NeighborhoodToolsState(StaffScreen, rx.State):
    """The dialog that is open, if one is."""

    opened: str = ""  # a name in `TOOLS`
    email: str = ""  # prefilled in the pioneer's dialog
    others: list[Choice] = []
    error: str = ""
    busy: bool = False

    _sent: str = ""
    _page: str = ""  # the page that it was opened on

    @staff_only
    async def load(self):
        """Close a dialog that belongs to another neighborhood's page."""
        if self.router.url.path != self._page:
            self.opened = ""

    @staff_only
    async def open_rename(self):
        self._open("rename")

    @staff_only
    async def open_merge(self):
        """Offer the other neighborhoods of the ZIP."""
        here = (await self.get_state(NeighborhoodState)).neighborhood
        found = await neighborhoods.others_in_zip(here.zip_code, here.id)
        self.others = [Choice(n.id, f"{n.name} ({members_count(n.members)})") for n in found]
        self._open("merge")

    @staff_only
    async def open_pioneer(self, email: str):
        """Ask for the member's address; it is known if that member's button was pressed."""
        self.email = email[: contact.EMAIL_MAX] if isinstance(email, str) else ""
        self._open("pioneer")

    @staff_only
    async def close(self, _opened: bool):
        self.opened = ""

    @staff_only
    async def edit(self, form: dict[str, Any]):
        """Check a field again that has changed since it was refused."""
        tool = TOOLS.get(self.opened)
        if tool and self.error and (typed := tool.typed(form)) != self._sent:
            self.error = contact.problem(tool.clean, typed)

    @staff_only
    async def submit(self, form: dict[str, Any]):
        """Do what the open dialog says. A second click finds it closed and does nothing."""
        tool = TOOLS.get(self.opened)
        if tool is None:
            return
        self._sent = tool.typed(form)
        self.error = contact.problem(tool.clean, self._sent)
        if not self.error:
            self.busy = True
            yield
            await self._do(tool, tool.clean(self._sent))
            self.busy = False
        if self.error:
            yield focus_field(FORM, tool.field)

    def _open(self, name: str) -> None:
        self.opened, self.error, self.busy, self._sent = name, "", False, ""
        self._page = self.router.url.path

    async def _do(self, tool: Tool, value: str) -> None:
        screen = await self.get_state(NeighborhoodState)
        actor = await actor_of(self)
        try:
            change = await tool.act(screen.neighborhood.id, value, actor=actor)
        except Refusal as refusal:
            self.error = str(refusal)
            return
        except Exception:
            log.exception("neighborhood.change_failed", field=tool.field)
            self.error = FAILED
            return
        self.opened = ""
        if change:
            (await self.get_state(UndoState))._offer(change.summary, change.id)
        await screen._refresh()
