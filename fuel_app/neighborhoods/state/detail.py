"""One neighborhood as the staff see it, kept up to date while it is open."""

from collections.abc import Sequence
from typing import ClassVar

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state.lists import StaffList
from fuel_app.accounts.state.session import staff_only
from fuel_app.kit import clock
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import MEMBERS
from fuel_app.kit.ui.share import site_address
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import (
    MemberQuery,
    NeighborhoodChange,
    NeighborhoodDetail,
    members_confirmed,
    members_count,
)
from fuel_app.neighborhoods.state.card import NeighborhoodCard
from fuel_app.neighborhoods.state.lines import ChangeLine, PersonLine

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
