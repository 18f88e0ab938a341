"""Changes of a neighborhood by a form of one field."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx
import structlog

from fuel_app.accounts.state.session import StaffScreen, actor_of, staff_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.kit import contact
from fuel_app.kit.errors import FAILED, Refusal
from fuel_app.kit.forms import typed
from fuel_app.kit.ui.fields import focus_field
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import NeighborhoodChange, clean_name, members_count
from fuel_app.neighborhoods.state.detail import NeighborhoodState

log = structlog.get_logger(__name__)

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
