"""The staff's list of messages, and the one that is open."""

from typing import ClassVar

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.screens import StaffList
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.kit.errors import Refusal, problem_of
from fuel_app.kit.signals import MESSAGES
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.messages import service as messages
from fuel_app.messages.rules.listing import MessageLine, MessageQuery, MessageView

log = structlog.get_logger(__name__)


class MessagesState(StaffList, rx.State):
    """The screen of one tab."""

    ROLES: ClassVar = (Role.ADMIN,)
    PATH: ClassVar = routes.SETTINGS_MESSAGES
    TOPICS: ClassVar = (MESSAGES,)

    question: MessageQuery = MessageQuery()
    rows: list[MessageLine] = []
    where: str = ""
    waiting: list[str] = []  # the channels whose messages do not go out, and why
    opened: bool = False
    message: MessageView = MessageView()
    error: str = ""
    busy: bool = False

    @admin_only
    async def open(self, message_id: str):
        """Open a message."""
        self.error = ""
        try:
            self.message = await messages.find_message(await actor_of(self), message_id)
        except Refusal as refusal:
            (await self.get_state(ToastState))._show(str(refusal), "problem")
            return
        self.opened = True

    @admin_only
    async def close(self, _opened: bool):
        self._drop()

    @admin_only
    async def send_again(self):
        """Send the open message again. A second click finds it sent."""
        if not self.opened or self.busy:
            return
        self.busy, self.error = True, ""
        yield
        sending = messages.send_again(await actor_of(self), self.message.line.id)
        self.error = await problem_of(sending, "messages.send_again_failed")
        if not self.error:
            self._drop()
            (await self.get_state(ToastState))._show("The message is queued again.")
        self.busy = False
        await self._refresh()

    def _open_to(self, connection: str) -> None:
        self._drop()  # the page was left, or it is another's
        super()._open_to(connection)

    def _arrive(self) -> None:
        self._drop()
        super()._arrive()

    def _drop(self) -> None:
        """Close the dialog and forget the text, which may hold a working link."""
        self.message, self.opened, self.error = MessageView(), False, ""

    async def _refresh(self) -> None:
        """Fetch the page of the list; a dispatcher is shown nothing."""
        try:
            actor = await actor_of(self)
            page = await messages.list_messages(actor, self.question)
            self.waiting = await messages.count_waiting(actor)
            self.rows = list(page.rows)
            self._show_pages(page.page, page.pages)
            self.summary = counted(page.total, "message")
            self.where, self.failed = messages.addresses_of(), False
        except Exception as problem:
            if not isinstance(problem, Refusal):
                log.exception("messages.list_failed")
            self.rows, self.pages, self.summary, self.failed = [], 1, "", True
            self.waiting = []
        self.loading = False
