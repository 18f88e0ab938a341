"""Taking back what was just done: offered for ten seconds."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import reflex as rx
import structlog

from fuel_app.accounts.state.session import StaffScreen, StaffState, staff_only
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.toast import ToastState
from fuel_app.neighborhoods import service as neighborhood_tools
from fuel_app.submissions.service import changes as lead_changes

log = structlog.get_logger(__name__)

SECONDS = 10

Undo = Callable[..., AsyncIterator[Any]]  # takes the action's id and `by`, yields how far it is


class UndoState(StaffScreen, rx.State):
    """The last thing that this tab did, while it can be taken back by one click."""

    text: str = ""
    action_id: str = ""
    busy: bool = False

    _undo: str = ""

    def _offer(self, text: str, action_id: str, undo: str = "leads") -> None:
        """Say what was done, with an Undo beside it."""
        self.text, self.action_id, self._undo = text, action_id, undo

    @rx.event
    @staff_only
    async def expire(self, action_id: str):
        """The offer has had its time or was closed."""
        if action_id == self.action_id and not self.busy:
            self.action_id = ""

    @rx.event(background=True)
    @staff_only
    async def take_back(self):
        """Undo what was done, however much that was."""
        async with self:
            action_id, undo = self.action_id, _UNDOES.get(self._undo)
            if not action_id or undo is None or self.busy:
                return
            self.busy = True
            by = (await self.get_state(StaffState))._session_id
        said, kind = "Undone.", "done"
        try:
            left = 0
            async for done in undo(action_id, by=by):
                left = done.left
            if left:
                said = f"Undone, except {left:,} that had changed meanwhile."
        except Refusal as error:
            said, kind = str(error), "problem"
        except Exception:
            log.exception("undo.failed")
            said, kind = "Undo did not work just now. Please try again.", "problem"
        async with self:
            self.busy, self.action_id = False, ""
            (await self.get_state(ToastState))._show(said, kind)  # type: ignore[arg-type]


async def _undo_group_change(change_id: str, *, by: str) -> AsyncIterator[lead_changes.Done]:
    await neighborhood_tools.undo(change_id)
    yield lead_changes.Done(change_id, 1)


_UNDOES: dict[str, Undo] = {"leads": lead_changes.undo, "groups": _undo_group_change}
