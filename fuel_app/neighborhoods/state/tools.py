"""Changes of a neighborhood by a form of one field."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

import reflex as rx
import structlog

from fuel_app.accounts.state.session import StaffScreen, StaffState, staff_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.neighborhoods import service as neighborhood_list
from fuel_app.neighborhoods import service as neighborhood_tools
from fuel_app.neighborhoods.rules.changes import NeighborhoodChange
from fuel_app.neighborhoods.rules.neighborhoods import clean_name, members_count
from fuel_app.neighborhoods.state.detail import NeighborhoodState


class MergeForm(TypedDict):
    """The form that merges another neighborhood into this one."""

    gone: str


class PioneerForm(TypedDict):
    """The form that hands the pioneer's role over."""

    email: str


def _chosen(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("Choose a neighborhood")
    return value


@dataclass(frozen=True)
class Tool:
    """A form of one field, and its action on (neighborhood's id, value, by=session)."""

    field: str
    clean: contact.Cleaner
    act: Callable[..., Awaitable[NeighborhoodChange | None]]

    def typed(self, form: object) -> str:
        """The value of the field."""
        value = form.get(self.field) if isinstance(form, Mapping) else ""
        return value[: contact.TYPED_MAX] if isinstance(value, str) else ""


TOOLS = {
    "rename": Tool("name", clean_name, neighborhood_tools.rename),
    "merge": Tool("gone", _chosen, neighborhood_tools.merge),
    "pioneer": Tool("email", contact.email, neighborhood_tools.hand_over),
}


log = structlog.get_logger(__name__)

FORM = "neighborhood-tool"
FAILED = "This did not work just now. Please try again."


@dataclass(frozen=True)
class Choice:
    """A neighborhood that can be merged into this one."""

    id: str
    text: str


class NeighborhoodToolsState(StaffScreen, rx.State):
    """The dialog that is open, if one is."""

    opened: str = ""  # a name in `TOOLS`
    email: str = ""  # what the pioneer's dialog starts with
    others: list[Choice] = []
    error: str = ""
    busy: bool = False

    _sent: str = ""
    _page: str = ""  # the page that it was opened on

    @rx.event
    @staff_only
    async def load(self):
        """Close a dialog that belongs to another neighborhood's page."""
        if self.router.url.path != self._page:
            self.opened = ""

    @rx.event
    @staff_only
    async def open_rename(self):
        self._open("rename")

    @rx.event
    @staff_only
    async def open_merge(self):
        """Offer the other neighborhoods of the ZIP."""
        screen = await self.get_state(NeighborhoodState)
        found = await neighborhood_list.others_in_zip(
            screen.neighborhood.zip_code, screen.neighborhood.id
        )
        self.others = [Choice(g.id, f"{g.name} ({members_count(g.members)})") for g in found]
        self._open("merge")

    @rx.event
    @staff_only
    async def open_pioneer(self, email: str):
        """Ask for the member; the one whose button this was stands there already."""
        self.email = email[: contact.EMAIL_MAX] if isinstance(email, str) else ""
        self._open("pioneer")

    @rx.event
    @staff_only
    async def close(self, _opened: bool):
        self.opened = ""

    @rx.event
    @staff_only
    async def edit(self, form: dict[str, Any]):
        """The field has changed since it was refused: look at it again."""
        self._look_again(form)

    @rx.event
    @staff_only
    async def leave(self, _field: str, form: dict[str, Any]):
        self._look_again(form)

    def _look_again(self, form: object) -> None:
        tool = TOOLS.get(self.opened)
        typed = tool.typed(form) if tool else self._sent
        if tool and self.error and typed != self._sent:
            self.error = contact.problem(tool.clean, typed)

    @rx.event
    @staff_only
    async def rename(self, form: dict[str, Any]):
        async for shown in self._use("rename", form):
            yield shown

    @rx.event
    @staff_only
    async def merge(self, form: MergeForm):
        async for shown in self._use("merge", form):
            yield shown

    @rx.event
    @staff_only
    async def hand_over(self, form: PioneerForm):
        async for shown in self._use("pioneer", form):
            yield shown

    def _open(self, name: str) -> None:
        self.opened, self.error, self.busy, self._sent = name, "", False, ""
        self._page = self.router.url.path

    async def _use(self, name: str, form: object) -> AsyncIterator[Any]:
        """Do what the open dialog says. A second click finds it closed and does nothing."""
        if self.opened != name:
            return
        tool = TOOLS[name]
        self._sent = tool.typed(form)
        self.error = contact.problem(tool.clean, self._sent)
        if not self.error:
            self.busy = True
            yield
            await self._do(tool, tool.clean(self._sent))
            self.busy = False
        if self.error:
            yield rx.set_focus(f"{FORM}-{tool.field}")

    async def _do(self, tool: Tool, value: str) -> None:
        screen = await self.get_state(NeighborhoodState)
        by = (await self.get_state(StaffState))._session_id
        try:
            change = await tool.act(screen.neighborhood.id, value, by=by)
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
