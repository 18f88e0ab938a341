"""One neighborhood as the staff see it, kept up to date while it is open, and its changes."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

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
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import (
    MemberQuery,
    NeighborhoodChange,
    NeighborhoodDetail,
    clean_name,
    members_confirmed,
    members_count,
)
from fuel_app.neighborhoods.state import ChangeLine, NeighborhoodCard, PersonLine
from fuel_app.office import service as office

log = structlog.get_logger()


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
            detail = await office.neighborhood_detail(self._asked, self.question)
            changes = await neighborhoods.history(detail.neighborhood.id) if detail else []
        except Exception:
            log.exception("neighborhood.read_failed")
            self.loading, self.missing = False, not self.neighborhood.id
            return
        self.loading, self.missing = False, detail is None
        if detail:
            self._show(detail, changes)
        else:
            self._clear()

    def _show(self, detail: NeighborhoodDetail, changes: Sequence[NeighborhoodChange]) -> None:
        self.neighborhood = NeighborhoodCard.of(detail.neighborhood)
        self.count = members_count(detail.neighborhood.members)
        if detail.confirmed:
            self.count += f" · {members_confirmed(detail.confirmed)}"
        self.founded = clock.short_date(clock.day_of(detail.created_at))
        site = site_address(self)
        self.join_link = site + routes.join_neighborhood(detail.neighborhood.id)
        self.pioneer = PersonLine.of(detail.pioneer) if detail.pioneer else PersonLine()
        self.rows = [PersonLine.of(member) for member in detail.members]
        self.changes = [ChangeLine.of(change) for change in changes]
        self._show_pages(detail.page, detail.pages)
        self.merged = detail.neighborhood.id != well_formed_id(self._asked)

    def _clear(self) -> None:
        self.neighborhood, self.pioneer = NeighborhoodCard(), PersonLine()
        self.rows, self.changes, self.merged = [], [], False


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
        others = await neighborhoods.others_in_zip(here.zip_code, here.id)
        self.others = [Choice(n.id, f"{n.name} ({members_count(n.members)})") for n in others]
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
