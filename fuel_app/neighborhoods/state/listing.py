"""The staff's table of neighborhoods, and the map beside it."""

from typing import ClassVar

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state.lists import StaffList
from fuel_app.accounts.state.session import staff_only
from fuel_app.kit import contact
from fuel_app.kit.signals import MEMBERS
from fuel_app.kit.ui.share import site_address
from fuel_app.kit.words import counted
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import NeighborhoodQuery
from fuel_app.neighborhoods.state.lines import Circle, NeighborhoodLine
from fuel_app.settings import settings

log = structlog.get_logger(__name__)


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
