"""The staff's table of neighborhood groups, and the same groups on a map."""

from dataclasses import replace
from typing import NamedTuple

import reflex as rx
import structlog

from fuel_app.accounts.state import live
from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.areas.rules import service_area_Place as Place
from fuel_app.domain.neighborhood_list import GroupQuery
from fuel_app.kit.signals import MEMBERS
from fuel_app.services import neighborhood_list
from fuel_app.settings import settings
from fuel_app.states.admin.neighborhood_line import Circle, GroupLine
from fuel_app.states.admin.neighborhood_list import NeighborhoodList

log = structlog.get_logger(__name__)


class Drawing(NamedTuple):
    """What is on the map."""

    circles: list[Circle]
    service_area: list[Place]  # a line around it


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
