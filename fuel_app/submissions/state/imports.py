"""One import of leads as it stands on the screen."""

from collections.abc import Awaitable

import reflex as rx
import structlog

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.kit.errors import problem_of
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import IMPORTS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.imports import UNDER_WAY, ImportLine
from fuel_app.submissions.state.dialogs import Dialog

log = structlog.get_logger(__name__)

BLANK = ImportLine()
NOT_SENT = "The file could not be sent. Please try again."


class LeadImportState(Dialog, rx.State):
    """The imports as one tab sees them; no tab owns them."""

    failed: bool = False
    problem: str = ""
    running: ImportLine = BLANK
    history: list[ImportLine] = []
    result: ImportLine = BLANK  # the outcome of the file that this tab has sent
    reasons: list[str] = []
    asked: str = ""  # the import that is about to be undone

    _sent: str = ""  # whose outcome the modal shows
    _awaited: str = ""  # whose end this tab is notified of: it has sent the file, or is undoing it

    @staff_only
    async def load(self):
        """The list opens: whatever has been running goes on being shown."""
        await self._refresh()

    @staff_only(background=True)
    async def follow(self):
        await screens.follow(self, self._refresh, IMPORTS)

    @staff_only
    async def open(self):
        self.problem, self.asked = "", ""
        await self._open_alone()
        await self._refresh()

    @staff_only
    async def close(self, _opened: bool):
        self.opened, self.asked, self._sent = False, "", ""
        self.result, self.reasons = BLANK, []

    @staff_only
    async def sent(self, import_id: str):
        """A file has been sent. Without an id it has not, and the modal says why, if it is open."""
        self._sent = self._awaited = well_formed_id(import_id) or ""
        self.problem = ""
        await self._refresh()
        if not self._sent and not self.opened:
            (await self.get_state(ToastState))._show(NOT_SENT, "problem", seconds=6)

    @staff_only
    async def cancel(self):
        """Stop the import that runs."""
        if self.running.phase == "running":
            actor = await actor_of(self)
            await self._try(submissions.cancel_import(self.running.id, actor=actor))

    @staff_only
    async def ask_to_undo(self, import_id: str):
        """Ask before an import is undone; with an empty id the question is taken back."""
        undoable = [line.id for line in self.history if line.phase == "done"]
        self.asked = import_id if import_id in undoable else ""

    @staff_only
    async def undo(self):
        """Take out of the list whatever the import brought that was asked about."""
        import_id, self.asked = self.asked, ""
        if import_id:
            self._awaited = import_id
            actor = await actor_of(self)
            await self._try(submissions.undo_import(import_id, actor=actor))

    async def _try(self, work: Awaitable[None]) -> None:
        self.problem = await problem_of(work, "imports.failed")
        await self._refresh()

    async def _refresh(self) -> None:
        try:
            actor = await actor_of(self)
            lines = await submissions.list_imports(actor=actor)
            self.running = next((line for line in lines if line.phase in UNDER_WAY), BLANK)
            self.history = [line for line in lines if line.phase not in UNDER_WAY]
            await self._show_result(actor)
            self.failed = False
        except Exception:
            log.exception("imports.history_failed")
            self.failed = True
            return
        await self._notify_of_end()

    async def _show_result(self, actor: Actor) -> None:
        result = next((line for line in self.history if line.id == self._sent), BLANK)
        if result != self.result:
            rejects = []
            if result.rejected:
                rejects = await submissions.first_rejects(result.id, actor=actor)
            self.result = result
            self.reasons = [f"Line {reject.line:,}: {reject.reason}" for reject in rejects]

    async def _notify_of_end(self) -> None:
        """Say in the tab that waits for an import that it has ended, unless its modal shows it."""
        for line in self.history:
            if line.id == self._awaited:
                self._awaited = ""
                if not self.opened:
                    kind = "problem" if line.phase == "failed" else "done"
                    text = f"{line.file_name}: {line.counts or line.phase}"
                    text += " (undone)" if line.phase == "undone" else ""
                    (await self.get_state(ToastState))._show(text, kind, seconds=6)
