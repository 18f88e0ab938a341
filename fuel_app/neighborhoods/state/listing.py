"""The address of the staff's table of groups: which of them, in which order."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state import live
from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.areas.rules import Coordinates
from fuel_app.kit import contact
from fuel_app.kit.signals import MEMBERS
from fuel_app.kit.ui.heading import Headed, Heading
from fuel_app.neighborhoods import service as neighborhood_list
from fuel_app.neighborhoods.rules.listing import TYPED_MAX, GroupQuery, problems
from fuel_app.neighborhoods.state.lines import Circle, GroupLine
from fuel_app.settings import settings


@dataclass(frozen=True)
class Filters:
    """What is typed in the filters; empty: all."""

    q: str = ""
    zip: str = ""
    min: str = ""
    max: str = ""
    pioneer: str = ""
    missing: str = ""

    @classmethod
    def read(cls, asked: object) -> Self:
        """From a form or from an address."""
        given = asked if isinstance(asked, Mapping) else {}
        names = (field.name for field in fields(cls))
        return cls(**{name: contact.text(given.get(name))[:TYPED_MAX] for name in names})


class GroupsAddress(NamedTuple):
    """What an address asks for; of order and page, what makes no sense is as usual."""

    filters: Filters = Filters()
    sort: str = "name"
    page: int = 1

    @classmethod
    def read(cls, asked: Mapping[str, object]) -> Self:
        query = GroupQuery.parse(asked)
        return cls(
            Filters.read(asked), f"{'-' if query.descending else ''}{query.sort}", query.page
        )

    def parameters(self) -> Mapping[str, object]:
        return asdict(self.filters) | {"sort": self.sort, "page": str(self.page)}

    def __str__(self) -> str:
        """The address; what is as usual is left out."""
        order = GroupQuery.parse({"sort": self.sort, "page": str(self.page)})
        return routes.asking(routes.NEIGHBORHOODS, asdict(self.filters) | order.parameters())


class NeighborhoodList(Headed, rx.State, mixin=True):
    """The filters, the order and the page; a step to another one is a step to another address."""

    filters: Filters = Filters()
    filters_epoch: int = 0
    min_error: str = ""
    max_error: str = ""
    sort: str = "name"
    page: int = 1

    _heading: Heading[GroupsAddress] = Heading(GroupsAddress())
    _typed: Filters = Filters()  # in the fields; the address follows

    @rx.var
    def filtered(self) -> bool:
        return self.filters != Filters()

    @rx.var
    def export_address(self) -> str:
        """Where all groups that the filters leave can be downloaded, in this order."""
        return routes.asking(
            routes.NEIGHBORHOODS_EXPORT, asdict(self.filters) | {"sort": self.sort}
        )

    @rx.event
    @staff_only
    async def narrow(self, form: dict[str, Any]):
        """Something is typed in the filters."""
        return self._narrow(Filters.read(form))

    @rx.event
    @staff_only
    async def leave(self, _field: str, form: dict[str, Any]):
        """A filter is left, perhaps before its pause is over."""
        return self._narrow(Filters.read(form))

    @rx.event
    @staff_only
    async def show_zip(self, zip_code: str):
        """A circle on the map is pressed: its groups alone, or all of them again."""
        asked, filters = contact.text(zip_code)[: contact.ZIP_DIGITS], self._heading.to.filters
        return self._turn(filters=replace(filters, zip="" if asked == filters.zip else asked))

    @rx.event
    @staff_only
    async def sort_by(self, column: str):
        """A click on a header: ascending, then descending."""
        return self._turn(sort=f"-{column}" if self._heading.to.sort == column else column)

    @rx.event
    @staff_only
    async def order(self, sort: str):
        """Another order is chosen."""
        return self._turn(sort=sort)

    @rx.event
    @staff_only
    async def turn_to(self, page: int):
        return self._turn(page=page)

    @rx.event
    @staff_only
    async def jump(self, form: dict[str, Any]):
        """A page number is typed."""
        return self._turn(page=form.get("page") if isinstance(form, Mapping) else 1)

    @rx.event
    @staff_only
    async def clear(self):
        """All groups again."""
        return self._turn(filters=Filters())

    def _query(self) -> GroupQuery:
        return GroupQuery.parse(asdict(self.filters) | {"sort": self.sort, "page": str(self.page)})

    def _read_address(self) -> None:
        asked = self.router.url.query_parameters
        at, before = GroupsAddress.read(asked), self._heading
        self._arrive(at)
        self.filters, self.sort, self.page = at
        reloaded = before.connection != self._heading.connection
        if reloaded or at.filters == self._heading.to.filters != self._typed:  # not by typing
            self._typed = at.filters
            self.filters_epoch += 1
        wrong = problems(asked)
        self.min_error, self.max_error = wrong.get("min", ""), wrong.get("max", "")

    def _narrow(self, filters: Filters) -> Any:
        before, self._typed = self._heading.to.filters, filters
        if filters == before:
            return None
        return self._turn(filters=filters, replace=before != Filters())  # Back is not by letters

    def _turn(self, *, page: object = 1, replace: bool = False, **differs: Any) -> Any:
        """To another address, and if nothing else is said to its first page."""
        asked = self._heading.to._replace(page=page, **differs).parameters()
        return self._go(**GroupsAddress.read(asked)._asdict(), replace=replace)


log = structlog.get_logger(__name__)


class Drawing(NamedTuple):
    """What is on the map."""

    circles: list[Circle]
    service_area: list[Coordinates]  # a line around it


class NeighborhoodsState(NeighborhoodList, StaffScreen, rx.State):
    """The screen of one tab."""

    rows: list[GroupLine] = []
    circles: list[Circle] = []
    service_area: list[tuple[float, float]] = []
    tile_url: str = ""
    pages: int = 1
    summary: str = ""
    loading: bool = True
    failed: bool = False

    @rx.event
    @staff_only
    async def load(self):
        """Show what the address asks for."""
        self._read_address()
        self.tile_url = settings.tile_url
        await self._list()
        return NeighborhoodsState.draw()

    @rx.event(background=True)
    @staff_only
    async def draw(self):
        """Fill the map, which may take a while the first time; the table does not wait for it."""
        async with self:
            query = self._query()
        drawing = await _drawing(query)
        async with self:
            if query == self._query():
                self._show(drawing)

    @rx.event(background=True)
    @staff_only
    async def follow(self):
        """Whoever joins a group is counted here without a reload."""
        await live.follow(self, self._refresh, MEMBERS)

    async def _refresh(self) -> None:
        await self._list()
        if self.circles:  # else they are on their way, and nobody waits for them here
            self._show(await _drawing(self._query()))

    async def _list(self) -> None:
        """The page of the table. What fails is logged only, says the specification."""
        try:
            query = self._query()
            found = await neighborhood_list.page(query)
            site = settings.site_url or self.router.url.origin
            self.rows = [GroupLine.of(row, site=site) for row in found.rows]
            self.page, self.pages, self.failed = found.page, found.pages, False
            self.summary = _summary(found.total, filtered=query.filtered)
        except Exception:
            log.exception("neighborhoods.list_failed")
            self.rows, self.pages, self.summary, self.failed = [], 1, "", True
        self.loading = False

    def _show(self, drawing: Drawing) -> None:
        if drawing.circles != self.circles:  # what stays the same is not sent again
            self.circles = drawing.circles
        if drawing.service_area != self.service_area:
            self.service_area = drawing.service_area


async def _drawing(query: GroupQuery) -> Drawing:
    """The circles of all ZIPs, since pressing one chooses it. If they cannot be had, the table is
    all there is."""
    try:
        areas = await neighborhood_list.areas(replace(query, zip_part=""))
        most = max((area.members for area in areas), default=0)
        circles = [Circle.of(area, most=most) for area in areas]
        return Drawing(circles, await neighborhood_list.service_area())
    except Exception:
        log.exception("neighborhoods.map_failed")
        return Drawing([], [])


def _summary(total: int, *, filtered: bool) -> str:
    if filtered:
        return f"{total:,} {'match' if total == 1 else 'matches'}"
    return f"{total:,} {'neighborhood' if total == 1 else 'neighborhoods'}"
