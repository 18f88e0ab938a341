"""Dialogs of the staff: one that is open or not, and one with a form that is sent once."""

from collections.abc import AsyncIterator, Awaitable
from typing import Any, ClassVar
from uuid import uuid4

from fuel_app.accounts.state.session import StaffScreen, screen_only
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ui.forms import FormData, FormState, agreed


class StaffDialog(StaffScreen, mixin=True):
    """A dialog, which an event of its state opens."""

    opened: bool = False

    @screen_only
    async def close(self, _opened: bool):
        """Close it, whatever its button or Escape says."""
        self._close()

    def _open(self) -> None:
        """Start anew and open."""
        self._start_over()
        self.opened = True

    def _close(self) -> None:
        """Close it and forget what it showed."""
        self._start_over()


class FormDialog(StaffDialog, FormState, mixin=True):
    """A dialog with a form.

    A second press of its button finds it closed and does nothing; after a refusal, or a failure,
    it stays open with what is typed. A state of it sends the form in `_send`, which ends with
    `_close` when all is done, or leaves it open with a question.

        class RefundDialog(FormDialog, rx.State):
            FORM, FIELDS, EVENT = "refund", Refund, "customer.refund_failed"
            errors: dict[str, str] = Refund.blank()

            @staff_only
            async def begin(self, invoice_id: str):
                self._open()

            async def _send(self, sent: object) -> None:
                await refunds.refund(await actor_of(self), Refund.parse(sent), key=self._key)
                self._close()
    """

    MANY: ClassVar[tuple[str, ...]] = ()  # the fields with several values, such as what is ticked
    EVENT: ClassVar[str]  # the log's name of an unexpected failure

    _key: str = ""  # of what it does, which happens once; made as it opens

    @screen_only
    async def edit(self, form: FormData[str, Any]):
        """Check the refused fields again once something else is typed."""
        if self.opened:
            self._recheck(self._whole(form))

    @screen_only
    async def submit(self, form: FormData[str, Any]):
        """Do what the dialog says. A second press does nothing."""
        if self.opened and not self.busy:
            sent = self._whole(form)
            async for event in self._run(self._send(sent), sent):
                yield event

    def _whole(self, form: object) -> object:
        """Return the form with every value of the fields that have several."""
        if isinstance(form, FormData):
            return {**form} | {name: form.getlist(name) for name in self.MANY}
        return form

    async def _run(self, change: Awaitable[None], form: object = None) -> AsyncIterator[Any]:
        """Await a change while the dialog is busy, and show why it failed."""
        self._begin(form)
        yield
        yield await self._finish(change, self.EVENT)
        if self.error not in {"", FAILED}:
            await self._renew()

    async def _send(self, sent: object) -> None:
        """Do what the form asks, or raise a refusal."""
        raise NotImplementedError

    async def _renew(self) -> None:
        """Show what it is about as it is now: it was refused, perhaps as another changed it."""

    def _open(self) -> None:
        super()._open()
        self._key = str(uuid4())


class AskingDialog(FormDialog, mixin=True):
    """A dialog that may ask back before it does what its form says.

    The answer is the same button, pressed by somebody who has seen the question, about the same
    fields: `form_dialog` asks, and sends with the form what it has asked.
    """

    question: str = ""

    _asked: dict[str, str] = {}  # the fields that the question is about

    def _recheck(self, form: object) -> bool:
        """Void the question, too, once something else is typed."""
        is_other = super()._recheck(form)
        if is_other:
            self.question = ""
        return is_other

    def _is_answered(self, sent: object) -> bool:
        """Return whether a press answers the question, which is over with it."""
        question, asked = self.question, self._asked
        self.question, self._asked = "", self.FIELDS.typed(sent)
        return question != "" and agreed(sent) == question and self._asked == asked
