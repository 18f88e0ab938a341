"""One group as the staff see it, kept up to date while it is open."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state import live
from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.kit import clock
from fuel_app.kit.signals import MEMBERS
from fuel_app.neighborhoods import service as neighborhood_list
from fuel_app.neighborhoods.rules.changes import GroupChange
from fuel_app.neighborhoods.rules.detail import SORTS, GroupDetail, MemberQuery
from fuel_app.neighborhoods.rules.groups import members_count
from fuel_app.neighborhoods.rules.listing import whole_number
from fuel_app.neighborhoods.state.card import GroupCard
from fuel_app.neighborhoods.state.lines import ChangeLine, PersonLine
from fuel_app.settings import settings
from fuel_app.waitlist.rules import well_formed_id

log = structlog.get_logger(__name__)


class NeighborhoodState(StaffScreen, rx.State):
    """The screen of one tab; the members' order and page stand in the address."""

    group: GroupCard = GroupCard()
    count: str = ""
    founded: str = ""
    pioneer: PersonLine = PersonLine()
    members: list[PersonLine] = []
    changes: list[ChangeLine] = []
    sort: str = "joined"
    page: int = 1
    pages: int = 1
    loading: bool = True
    missing: bool = False
    merged: bool = False  # the address is that of a group which has become part of this one

    _asked: str = ""  # the id in the address
    _query: MemberQuery = MemberQuery()

    @rx.var
    def join_link(self) -> str:
        return settings.public_url + routes.join_neighborhood(self.group.id)

    @rx.var
    def code(self) -> str:
        return routes.join_code(self.group.id)

    @rx.var
    def flyer(self) -> str:
        return routes.flyer(self.group.id)

    @rx.event
    @staff_only
    async def load(self):
        """Show the group that the address names."""
        asked = self.router.url.path.rstrip("/").rpartition("/")[2]
        if asked != self._asked:
            self._clear()
            self._asked, self.loading, self.missing = asked, True, False
        self._query = MemberQuery.parse(self.router.url.query_parameters)
        yield
        await self._refresh()

    @rx.event
    @staff_only
    async def sort_by(self, column: str):
        """A click on a header: ascending, then descending."""
        if column in SORTS:
            turned = self._query.sort == column and not self._query.descending
            return self._go(sort=column, descending=turned, page=1)

    @rx.event
    @staff_only
    async def turn_to(self, page: int):
        return self._go(page=whole_number(str(page)) or 1)

    @rx.event
    @staff_only
    async def jump(self, form: dict[str, Any]):
        """A page number is typed."""
        return self._go(page=MemberQuery.parse(form if isinstance(form, Mapping) else {}).page)

    @rx.event(background=True)
    @staff_only
    async def follow(self):
        """Who joins, and what others change, appears here without a reload."""
        await live.follow(self, self._refresh, MEMBERS)

    def _go(self, **differs: Any) -> Any:
        parameters = replace(self._query, **differs).parameters()
        return rx.redirect(routes.asking(routes.neighborhood(self._asked), parameters))

    async def _refresh(self) -> None:
        """Read the group again. A read that fails leaves what is there; without anything there it
        counts as not found."""
        try:
            found = await neighborhood_list.detail(self._asked, self._query)
            changes = await neighborhood_list.history(found.group.id) if found else []
        except Exception:
            log.exception("neighborhood.read_failed")
            self.loading, self.missing = False, not self.group.id
            return
        self.loading, self.missing = False, found is None
        if found:
            self._show(found, changes)
        else:
            self._clear()

    def _show(self, found: GroupDetail, changes: Sequence[GroupChange]) -> None:
        self.group, self.count = GroupCard.of(found.group), members_count(found.group.members)
        self.founded = clock.short_date(clock.day_of(found.created_at))
        self.pioneer = PersonLine.of(found.pioneer) if found.pioneer else PersonLine()
        self.members = [PersonLine.of(member) for member in found.members]
        self.changes = [ChangeLine.of(change) for change in changes]
        self.sort, self.page, self.pages = self._query.order, found.page, found.pages
        self.merged = found.group.id != well_formed_id(self._asked)

    def _clear(self) -> None:
        self.group, self.pioneer, self.members, self.changes = GroupCard(), PersonLine(), [], []
        self.merged = False
