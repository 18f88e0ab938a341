"""One neighborhood as the staff see it, kept up to date while it is open, and its changes."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import reflex as rx
from pydantic import PlainValidator

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import StaffList, UndoState
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Email, Form
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import MEMBERS
from fuel_app.kit.ui.button import site_address
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import (
    MemberQuery,
    NeighborhoodChange,
    NeighborhoodDetail,
    NeighborhoodForm,
    members_confirmed,
    members_count,
)
from fuel_app.neighborhoods.state import ChangeLine, NeighborhoodCard, PersonLine
from fuel_app.office import service as office


class NeighborhoodState(StaffList, rx.State):
    """The screen of one tab."""

    TOPICS: ClassVar = (MEMBERS,)

    question: MemberQuery = MemberQuery()
    neighborhood: NeighborhoodCard = NeighborhoodCard()
    count: str = ""  # of all members
    confirmed: str = ""  # '3 confirmed'
    can_merge: bool = False
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

    async def _read(self, actor: Actor) -> None:
        changes = []
        detail = await office.neighborhood_detail(self._asked, self.question, actor=actor)
        if detail:
            changes = await neighborhoods.history(detail.neighborhood.id, actor=actor)
        self.missing = detail is None
        if detail:
            self._show(detail, changes)
        else:
            self._clear()

    def _show_nothing(self) -> None:
        """Leave what is there; without anything there it counts as not found."""
        self.missing = not self.neighborhood.id

    def _show(self, detail: NeighborhoodDetail, changes: Sequence[NeighborhoodChange]) -> None:
        self.neighborhood = NeighborhoodCard.of(detail.neighborhood)
        self.count = f"{detail.neighborhood.members:,}"
        self.confirmed = members_confirmed(detail.confirmed) if detail.confirmed else ""
        self.can_merge = detail.can_merge
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


def _chosen(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("Choose a neighborhood")
    return value


class MergeForm(Form):
    gone: Annotated[str, PlainValidator(_chosen)]


class PioneerForm(Form):
    email: Email


class _ToolForm(NeighborhoodForm, MergeForm, PioneerForm):
    """The fields of all three."""


@dataclass(frozen=True)
class Tool:
    """A form of one field, and its action on (neighborhood's id, value, actor=...)."""

    form: type[Form]
    act: Callable[..., Awaitable[NeighborhoodChange | None]]


TOOLS = {
    "rename": Tool(NeighborhoodForm, neighborhoods.rename),
    "merge": Tool(MergeForm, neighborhoods.merge),
    "pioneer": Tool(PioneerForm, neighborhoods.hand_over),
}


@dataclass(frozen=True)
class Choice:
    """A neighborhood that can be merged into this one."""

    id: str
    text: str


class NeighborhoodToolsState(FormDialog, rx.State):
    """The dialog that is open, if one is."""

    FORM: ClassVar = "neighborhood-tool"
    FIELDS: ClassVar = _ToolForm
    EVENT: ClassVar = "neighborhood.change_failed"

    tool: str = ""  # a name in `TOOLS`
    email: str = ""  # prefilled in the pioneer's dialog
    others: list[Choice] = []
    errors: dict[str, str] = _ToolForm.blank()

    _page: str = ""  # the page that it was opened on

    @staff_only
    async def load(self):
        """Close a dialog that belongs to another neighborhood's page."""
        if self.router.url.path != self._page:
            self._close()

    @staff_only
    async def open_rename(self):
        self._open_tool("rename")

    @staff_only
    async def open_merge(self):
        """Offer the other neighborhoods of the ZIP."""
        self._open_tool("merge")
        here = (await self.get_state(NeighborhoodState)).neighborhood
        others = await neighborhoods.others_in_zip(
            here.zip_code, here.id, actor=await actor_of(self)
        )
        self.others = [Choice(n.id, f"{n.name} ({members_count(n.members)})") for n in others]

    @staff_only
    async def open_pioneer(self, email: str):
        """Ask for the member's address; it is known if that member's button was pressed."""
        self._open_tool("pioneer")
        self.email = email[: contact.EMAIL_MAX] if isinstance(email, str) else ""

    def _rules(self) -> type[Form]:
        return TOOLS[self.tool].form

    def _open_tool(self, name: str) -> None:
        self._open()
        self.tool, self._page = name, self.router.url.path

    async def _send(self, sent: object) -> None:
        tool, screen = TOOLS[self.tool], await self.get_state(NeighborhoodState)
        [(field, value)] = tool.form.parse(sent)
        try:
            change = await tool.act(screen.neighborhood.id, value, actor=await actor_of(self))
        except Refusal as refusal:
            raise InvalidForm({field: str(refusal)}) from refusal
        self._close()
        if change:
            (await self.get_state(UndoState))._offer(change.summary, change.id)
        await screen._refresh()
