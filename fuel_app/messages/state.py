"""The staff's list of messages, and the one that is open."""

from typing import ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import StaffList
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.kit.errors import attempt
from fuel_app.kit.signals import MESSAGES
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import counted
from fuel_app.messages import service as messages
from fuel_app.messages.rules.listing import MessageLine, MessageQuery, MessageView


class MessageDialog(FormDialog, mixin=True):
    """The dialog of one message as it was sent, and the way to send it again.

    It forgets the text as it closes: that may hold a working link.
    """

    FORM: ClassVar = "message"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "messages.send_again_failed"

    message: MessageView = MessageView()

    def _open_to(self, connection: str) -> None:
        # The page was left, or it is another's.
        self.message, self.opened = MessageView(), False
        super()._open_to(connection)

    async def _show(self, message_id: str) -> None:
        """Open it on a message, or say why not."""
        reading = messages.find_message(await actor_of(self), message_id)
        found, problem = await attempt(reading, "messages.read_failed")
        if found:
            self._open()
            self.message = found
        else:
            (await self.get_state(ToastState))._show(problem, "problem")

    async def _send(self, sent: object) -> None:
        await messages.send_again(await actor_of(self), self.message.line.id)
        self._close()
        (await self.get_state(ToastState))._show("The message is queued again.")
        await self._renew()


class MessageState(MessageDialog, rx.State):
    """The message of the list that is open."""

    ROLES: ClassVar = (Role.ADMIN,)

    @admin_only
    async def begin(self, message_id: str):
        """Open a message."""
        await self._show(message_id)

    async def _renew(self) -> None:
        await (await self.get_state(MessagesState))._refresh()


class MessagesState(StaffList, rx.State):
    """The screen of one tab."""

    ROLES: ClassVar = (Role.ADMIN,)
    PATH: ClassVar = routes.SETTINGS_MESSAGES
    TOPICS: ClassVar = (MESSAGES,)

    question: MessageQuery = MessageQuery()
    rows: list[MessageLine] = []
    where: str = ""
    waiting: list[str] = []  # the channels whose messages do not go out, and why

    async def _answer(self) -> None:
        (await self.get_state(MessageState))._close()  # it may not be in the new answer
        await super()._answer()

    async def _read(self, actor: Actor) -> None:
        """Fetch the page of the list; a dispatcher is shown nothing."""
        page = await messages.list_messages(actor, self.question)
        self.waiting = await messages.count_waiting(actor)
        self.rows = list(page.rows)
        self._show_pages(page.page, page.pages)
        self.summary = counted(page.total, "message")
        self.where = messages.addresses_of()

    def _show_nothing(self) -> None:
        super()._show_nothing()
        self.waiting = []
