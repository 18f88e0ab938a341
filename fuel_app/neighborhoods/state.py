"""Neighborhoods as screens show them: the staff's table and map, one in detail, and its changes."""

from dataclasses import asdict, dataclass
from typing import ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.screens import StaffList
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.areas.rules.places import Coordinates
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import attempt
from fuel_app.kit.signals import MEMBERS
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.map import circle_size, short_count
from fuel_app.kit.words import counted
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import (
    Member,
    NeighborhoodChange,
    NeighborhoodQuery,
    NeighborhoodRow,
    NeighborhoodSummary,
    ZipArea,
    badge_color,
    members_count,
    missing_to_next,
    neighbors,
    progress_goal,
    tier_for,
)
from fuel_app.settings import settings


@dataclass(frozen=True)
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
        await super()._refresh()

    async def _read(self, actor: Actor) -> None:
        page = await neighborhoods.page(self.question, actor=actor)
        site = site_address(self)
        self.rows = [NeighborhoodLine.of_row(row, site=site) for row in page.rows]
        self._show_pages(page.page, page.pages)
        nouns = ("match", "matches") if self.filtered else ("neighborhood",)
        self.summary = counted(page.total, *nouns)

    async def _draw(self) -> None:
        """Show the circles; without them the table is all there is."""
        drawn, _ = await attempt(self._find_circles(), "neighborhoods.map_failed")
        circles, line = drawn or ([], [])
        if circles != self.circles:  # what stays the same is not sent again
            self.circles = circles
        if line != self.service_area:
            self.service_area = line

    async def _find_circles(self) -> tuple[list[Circle], list[Coordinates]]:
        """Fetch the circles of all ZIPs, since pressing one selects it, and the area's outline."""
        asked, actor = self.question.asking(zip=""), await actor_of(self)
        areas = await neighborhoods.areas(asked, actor=actor)
        most = max((area.members for area in areas), default=0)
        circles = [Circle.of(area, most=most) for area in areas]
        return circles, await neighborhoods.service_area()
