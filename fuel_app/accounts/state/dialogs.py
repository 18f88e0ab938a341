"""Forms of the staff, which are sent once: on a page, or in a dialog that is open or not."""

from typing import Any
from uuid import uuid4

from fuel_app.accounts.state.session import Opening, StaffScreen, screen_only
from fuel_app.kit.ui.forms import FormData, FormState, agreed


class StaffDialog(StaffScreen, Opening, mixin=True):
    """A dialog of the staff, which forgets what it showed as it closes."""

    @screen_only
    async def close(self, _opened: bool):
        """Close it, whatever its button or Escape says."""
        self._close()

    def _open(self) -> None:
        """Start anew and open."""
        self._start_over()
        self.opened = True

    def _close(self) -> None:
        self._start_over()


class StaffForm(StaffScreen, FormState, mixin=True):
    """A form on a page. Its fields start anew once it is sent: `edition_of` goes with them."""

    @screen_only
    async def edit(self, form: FormData[str, Any]):
        """Check the refused fields again once something else is typed."""
        self._edit(form)

    @screen_only
    async def submit(self, form: FormData[str, Any]):
        """Do what the button says. A second press does nothing."""
        async for event in self._submit(form):
            yield event


class FormDialog(StaffDialog, StaffForm, mixin=True):
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

    _key: str = ""  # of what it does, which happens once; made as it opens

    def _takes(self, form: object) -> bool:
        return self.opened

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
