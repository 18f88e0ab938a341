"""Undo of the last action of a tab: offered for ten seconds, possible until the next action."""

import reflex as rx
import structlog

from fuel_app.accounts.state.session import StaffScreen, actor_of, staff_only
from fuel_app.kit import audit
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.toast import ToastState

log = structlog.get_logger(__name__)

SECONDS = 10
FAILED = "Undo did not work just now. Please try again."


class UndoState(StaffScreen, rx.State):
    """The last action of this tab, which one click undoes."""

    text: str = ""
    action_id: str = ""
    board_day: str = ""  # the dispatch board of this day goes on to offer it
    is_offered: bool = False  # at the foot of the screen
    busy: bool = False

    def _offer(self, text: str, action_id: str, board_day: str = "") -> None:
        """Say what was done, with an Undo beside it."""
        self.text, self.action_id, self.board_day = text, action_id, board_day
        self.is_offered = True

    @staff_only
    async def expire(self, action_id: str):
        """Withdraw an offer that has had its time or was closed."""
        if action_id == self.action_id:
            self.is_offered = False

    @staff_only(background=True)
    async def undo(self, action_id: str):
        """Undo the action, however many subjects it has; it has to be the last one."""
        async with self:
            if not action_id or action_id != self.action_id or self.busy:
                return
            self.busy = True
            actor = str(await actor_of(self))
        said, kind, again = "Undone.", "done", ""
        try:
            left = 0
            async for done in audit.undo(action_id, actor=actor):
                left = done.left
            if left:
                said = f"Undone, except {left:,} that had changed meanwhile."
        except Refusal as error:
            said, kind = str(error), "problem"
        except Exception:
            log.exception("undo.failed")
            said, kind, again = FAILED, "problem", action_id
        async with self:
            self.busy = False
            if self.action_id == action_id:  # else another offer has come meanwhile
                self.action_id = again
            (await self.get_state(ToastState))._show(said, kind)  # type: ignore[arg-type]
