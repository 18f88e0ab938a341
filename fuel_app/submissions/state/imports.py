"""One import of leads as it stands on the screen."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx
import structlog

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.kit.errors import attempt, problem_of
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import IMPORTS
from fuel_app.kit.table_file import more_than_once, parsed_places
from fuel_app.kit.throttle import IMPORT_CHECKS, throttle
from fuel_app.kit.ui.toast import ToastState
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.imports import (
    FIELDS,
    UNDER_WAY,
    ImportLine,
    LeadMapping,
    Preview,
    reasons_of,
)
from fuel_app.submissions.state.dialogs import Dialog

log = structlog.get_logger(__name__)

BLANK = ImportLine()
NOWHERE = {field.name: "" for field in FIELDS}
NOT_SENT = "The file could not be sent. Please try again."


class LeadImportState(Dialog, rx.State):
    """The imports as one tab sees them; no tab owns them."""

    failed: bool = False
    problem: str = ""
    running: ImportLine = BLANK
    history: list[ImportLine] = []
    result: ImportLine = BLANK  # the outcome of the file that this tab has sent
    reasons: list[str] = []  # why rows were not taken, with counts
    examples: list[str] = []  # the first of those rows
    asked: str = ""  # the import that is about to be undone

    _sent: str = ""  # whose outcome the modal shows
    _awaited: str = ""  # whose end this tab is notified of: it has sent the file, or is undoing it

    # The file that is looked at before its import; without an id there is none.
    upload: str = ""
    file_name: str = ""
    columns: list[str] = []
    places: dict[str, str] = NOWHERE  # the position of each field's column
    rest: list[str] = []  # the columns that fill no field
    keeps_rest: bool = False
    mapping_problem: str = ""
    repeated: str = ""
    preview: Preview = Preview()
    refusals: list[str] = []
    starting: bool = False

    _reason_columns: list[bool] = []  # whether each is what we have added to rejected rows
    _checking: int = 0  # which check of the file is the latest

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

    def _close(self) -> None:
        self.opened, self.asked = False, ""
        self._look_at("")

    @staff_only
    async def sent(self, upload_id: str):
        """A file has been sent: show what is in it. Without an id it has not, and the modal says
        why, if it is open."""
        self._look_at("")
        own_id = well_formed_id(upload_id) or ""
        if own_id:
            return await self._show_file(own_id)
        await self._refresh()
        if not self.opened:
            (await self.get_state(ToastState))._show(NOT_SENT, "problem", seconds=6)
        return None

    async def _show_file(self, upload_id: str) -> Any:
        reading = submissions.read_file(upload_id, actor=await actor_of(self))
        file, self.problem = await attempt(reading, "imports.read_failed")
        if file is None:
            return None
        self._look_at(upload_id)
        self.file_name, self.columns = file.name, file.columns
        places = file.guess(FIELDS)
        self.places = NOWHERE | {name: str(place) for name, place in places.items()}
        self.repeated = more_than_once(file.repeated(FIELDS))
        self.preview = Preview(whole=file.rows)
        self._reason_columns = [place not in file.kept for place in range(len(file.header))]
        return self._map()

    @staff_only
    async def choose_column(self, field: str, place: str):
        """Take a field from another column, or from none."""
        if self.upload and field in self.places:
            self.places = self.places | {field: place if isinstance(place, str) else ""}
            return self._map()
        return None

    @staff_only
    async def keep_rest(self, keeps: bool):
        """Keep the other columns as a note of the lead, or not."""
        self.keeps_rest = keeps is True
        return self._map()

    @staff_only(background=True)
    async def check(self):
        """Count what an import would do, and show how far that is."""
        async with self:
            upload, mapping, this = self.upload, self._mapping(), self._checking
            actor = await actor_of(self)
        if not upload or mapping.problem:
            return
        checking = self._check(upload, mapping, this, actor)
        problem = await problem_of(checking, "imports.check_failed")
        async with self:
            if problem and self._checking == this:
                self._look_at("")
                self.problem = problem

    async def _check(self, upload: str, mapping: LeadMapping, this: int, actor: Actor) -> None:
        """Check a file unless a later check has begun; that one begins when this one has ended."""
        async with throttle().alone(IMPORT_CHECKS, upload):
            async with self:
                if self._checking != this:
                    return
            async for preview in submissions.preview_file(upload, mapping, actor=actor):
                async with self:
                    if self._checking != this:
                        return
                    self.preview = preview
                    self.refusals = list(reasons_of(dict(preview.refusals)))

    @staff_only
    async def begin(self):
        """Import the file that is looked at. A second press does nothing."""
        if not self.upload or self.starting:
            return
        self.starting, self.problem = True, ""
        yield
        actor = await actor_of(self)
        starting = submissions.start_import(self.upload, self._mapping(), actor=actor)
        import_id, self.problem = await attempt(starting, "imports.start_failed")
        self.starting = False
        if import_id:
            self._look_at("")
            self._sent = self._awaited = import_id
        await self._refresh()

    @staff_only
    async def drop(self):
        """Go back to choosing a file."""
        upload = self.upload
        self._look_at("")
        if upload:
            dropping = submissions.drop_file(upload, actor=await actor_of(self))
            self.problem = await problem_of(dropping, "imports.drop_failed")

    def _look_at(self, upload_id: str) -> None:
        """Look at another file, or at none: nothing is known of it yet."""
        self.upload, self.problem, self.starting = upload_id, "", False
        self.result, self.reasons, self._sent = BLANK, [], ""
        self.keeps_rest, self.preview, self.refusals = False, Preview(), []
        self._checking += 1

    def _map(self) -> Any:
        """Show what the mapping leaves out, and check the rows again."""
        mapping = self._mapping()
        self.places = NOWHERE | {name: str(place) for name, place in mapping.places.items()}
        used = set(mapping.places.values())
        self.rest = [
            name
            for place, name in enumerate(self.columns)
            if place not in used and not self._reason_columns[place]
        ]
        self.mapping_problem = mapping.problem
        self._checking += 1
        self.preview, self.refusals = Preview(whole=self.preview.whole), []
        return type(self).check

    def _mapping(self) -> LeadMapping:
        return LeadMapping(parsed_places(self.places, FIELDS, len(self.columns)), self.keeps_rest)

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
            self.result, self.reasons, self.examples = result, [], []
            if result.rejected:
                self.reasons = await submissions.reasons_of_rejects(result.id, actor=actor)
                rejects = await submissions.first_rejects(result.id, actor=actor)
                self.examples = [f"Line {each.line:,}: {each.reason}" for each in rejects]

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
