"""Forms: the state of one whose fields the browser holds, one that tells its state what is typed,
and one that the browser itself sends.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, ClassVar

import reflex as rx
from reflex_base.event import FORM_SUBMIT_MAPPING
from reflex_base.utils.form import FormData as FormData
from reflex_components_core.el.elements.base import BaseHTML
from reflex_components_core.el.elements.forms import Form as FormElement

from fuel_app.kit.errors import FAILED, Failure, InvalidForm, attempt
from fuel_app.kit.forms import Form
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import field, focus_field
from fuel_app.kit.ui.script import Script, alert_in_view

AGREED = "agreed"  # the hidden field that says what a press of the button has seen


class NoFields(Form):
    """The form of a dialog that only asks."""


class FormState(rx.State, mixin=True):
    """The messages of a form, whether it is being sent, and what sends it once.

    A state of it names its fields, makes `errors` blank, says in `_send` what its button does and
    adds two events with its own guard, which call `_edit` and `_submit`. After a refusal, or a
    failure, what is typed stays; a second press sends nothing, as `_takes` finds out.
    """

    FORM: ClassVar[str]  # begins the ids of its fields
    FIELDS: ClassVar[type[Form]]
    MANY: ClassVar[tuple[str, ...]] = ()  # the fields with several values, such as what is ticked
    EVENT: ClassVar[str]  # the log's name of an unexpected failure,
    FAILURE: ClassVar[str] = FAILED  # and the words for it

    errors: dict[str, str] = {}
    error: str = ""
    busy: bool = False
    edition: int = 0  # the fields start anew when it rises

    _sent: int = 0  # fingerprint of what was sent, until something else is typed

    async def _send(self, sent: object) -> Any:
        """Do what the form asks. Return the event that follows, such as one that moves the focus.

        Raises:
            Refusal: It stands beside the fields, or at the button.
        """
        raise NotImplementedError

    async def _renew(self) -> None:
        """Show what it is about as it is now: it was refused, perhaps as another changed it."""

    def _takes(self, form: object) -> bool:
        """Return whether a form is what is shown: a second press was filled in before it."""
        return not is_stale(form, str(self.edition))

    def _edit(self, form: object) -> None:
        """Check the refused fields again once something else is typed."""
        if self._takes(form):
            self._recheck(self._whole(form))

    async def _submit(self, form: object) -> AsyncIterator[Any]:
        """Send the form. A second press does nothing."""
        if self._takes(form) and not self.busy:
            sent = self._whole(form)
            async for event in self._run(self._send(sent), sent):
                yield event

    async def _run(self, change: Awaitable[Any], form: object = None) -> AsyncIterator[Any]:
        """Await a change while the form is busy, and show why it failed."""
        self._begin(form)
        yield
        yield await self._finish(change)
        if self.error and not isinstance(self.error, Failure):
            await self._renew()

    def _begin(self, form: object = None) -> None:
        """Note that the form is being sent."""
        self.errors, self.error, self.busy = self.FIELDS.blank(), "", True
        self._sent = self.FIELDS.fingerprint(form)

    async def _finish(self, change: Awaitable[Any]) -> Any:
        """Await what was sent for, and show why it failed.

        Return the event that follows: the outcome, or the focus of the first wrong field.
        """
        try:
            follows, problem = await attempt(change, self.EVENT, self.FAILURE)
            self.error = problem or self.error
            return follows
        except InvalidForm as wrong:
            self.errors = self.FIELDS.blank() | wrong.messages
            return focus_field(self.FORM, next(iter(wrong.messages)))
        finally:
            self.busy = False

    def _recheck(self, form: object) -> bool:
        """Check the refused fields again once something else is typed. Return whether it is.

        Until then what only the server knows stays: a field's blur, or the button's, sends the
        form, too.
        """
        if self.FIELDS.fingerprint(form) == self._sent:
            return False
        self._sent, self.errors = 0, self.errors | self._rules().recheck(self.errors, form)
        return True

    def _rules(self) -> type[Form]:
        """Return the rules of the fields that are shown."""
        return self.FIELDS

    def _whole(self, form: object) -> object:
        """Return the form with every value of the fields that have several."""
        if isinstance(form, FormData):
            return {**form} | {name: form.getlist(name) for name in self.MANY}
        return form


def field_of(
    state: Any, label: str, name: str, *, make: Callable[..., rx.Component] = field, **props: Any
) -> rx.Component:
    """Render a field of a `FormState`, with its error."""
    return make(label, name, form=state.FORM, error=state.errors[name], **props)


def agreed_to(shown: Any) -> rx.Component:
    """Return the hidden field that says what a press of the form's button agrees to."""
    return rx.el.input(type="hidden", name=AGREED, value=shown)


def edition_of(state: Any) -> rx.Component:
    """Send with the form which edition of its fields it holds."""
    return agreed_to(state.edition.to_string())


def agreed(form: object) -> str | None:
    """Return what a press agrees to; None if its form does not say so."""
    sent = form.get(AGREED) if isinstance(form, Mapping) else None
    return sent if isinstance(sent, str) else None


def is_stale(form: object, shown: str) -> bool:
    """Return whether a press agrees to what is not shown any more.

    The second press of a double click comes after what the first one has changed, but was made
    before anyone could read it.
    """
    return agreed(form) not in (None, shown)


# FORM_SUBMIT_MAPPING stands for the mapping that the handler takes.
def _whole(event: rx.Var[Any]) -> tuple[rx.Var[FORM_SUBMIT_MAPPING]]:  # pyright: ignore[reportInvalidTypeVarUse]
    return (rx.Var(f"getFormData({event}.currentTarget)"),)


def _field_and_whole(
    event: rx.Var[Any],
) -> tuple[rx.Var[str], rx.Var[FORM_SUBMIT_MAPPING]]:  # pyright: ignore[reportInvalidTypeVarUse]
    return (rx.Var(f"({event}.target.name ?? '')"), *_whole(event))


class _LiveForm(FormElement):
    on_change: rx.EventHandler[_whole]
    on_blur: rx.EventHandler[_field_and_whole]


class _PendingEdit(Script):
    tag = "PendingEdit"
    FILE = "live_form.js"
    on_remove: rx.EventHandler[_whole]

    def add_imports(self) -> rx.ImportDict:
        return {"$/utils/state": "getFormData"}


def live_form(
    *children: Any, on_edit: Any, on_submit: Any, on_leave: Any = None, **props: Any
) -> rx.Component:
    """Render a form of uncontrolled fields; errors are ours, beside each field.

    One debounced event carries the whole form: the browser may fill several fields at once.

    Args:
        on_edit: Takes the form a moment after a change, or at once if the form is removed before.
        on_leave: Takes the name of a field that lost the focus, and the form; by default
            `on_edit` takes the form at once.
    """
    return _LiveForm.create(
        *children,
        _PendingEdit.create(on_remove=on_edit),
        on_change=on_edit.debounce(250),
        on_blur=on_leave or (lambda _field, form: on_edit(form)),
        on_submit=on_submit,
        no_validate=True,
        **props,
    )


def form_dialog(
    state: Any,
    *fields: Any,
    leave: str,
    send: Any = "",
    busy_text: str = "Saving...",
    buttons: Any = None,
    refused: Any = "",
    **props: Any,
) -> rx.Component:
    """Render the dialog of a `FormDialog`; its foot stays in sight, with what was refused or asked.

    Args:
        leave: The button that closes it.
        send: The button that submits the form.
        buttons: In place of that one, such as some with a `send_button`.
        refused: Why it cannot be done, where the state says so apart from its `error`.
    """
    asks = hasattr(state, "question")
    return dialog(
        live_form(
            agreed_to(state.question) if asks else rx.fragment(),
            *fields,
            id=_form_id(state),
            on_edit=state.edit,
            on_submit=state.submit,
        ),
        footer=rx.fragment(
            alert_in_view(rx.cond(state.error != "", state.error, refused)),
            rx.el.p(
                state.question,
                role="alert",
                class_name="mb-4 text-base font-semibold text-danger empty:hidden",
            )
            if asks
            else rx.fragment(),
            rx.el.div(
                button(leave, kind="secondary", on_click=state.close(False)),
                send_button(state, send, busy_text) if buttons is None else buttons,
                class_name="flex flex-wrap justify-end gap-3 max-sm:*:flex-auto",
            ),
        ),
        **{"open": state.opened} | props,
        on_open_change=state.close,
    )


def send_button(state: Any, text: Any, busy_text: str = "Saving...", **props: Any) -> rx.Component:
    """Render the button that submits a dialog's form, from wherever it stands."""
    return submit_button(text, busy=state.busy, busy_text=busy_text, form=_form_id(state), **props)


def _form_id(state: Any) -> str:
    return f"{state.FORM}-form"


class _PlainForm(BaseHTML):
    """`rx.el.form` never sends."""

    tag = "form"
    method: rx.Var[str]
    action: rx.Var[str]


def plain_form(*children: Any, action: str, class_name: str = "") -> rx.Component:
    """Render a form that posts to `action`, whatever the page is doing."""
    return _PlainForm.create(*children, method="post", action=action, class_name=class_name)
