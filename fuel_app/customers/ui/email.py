"""The dialog of a change of the e-mail."""

import reflex as rx

from fuel_app.customers.state.email import CODE_BUTTON, FORM, EmailState
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.cards import TEXT, email_text
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import code_field


def waiting_email() -> rx.Component:
    """Return the line that says which new e-mail waits for its code."""
    return rx.el.div(
        rx.cond(
            EmailState.pending != "",
            rx.el.div(
                rx.el.p(
                    email_text(EmailState.pending, "block font-semibold"),
                    "waits for its code. Until then your e-mail stays as it is.",
                    class_name="min-w-0 text-base text-ink",
                ),
                rx.el.div(
                    button(
                        "Enter code",
                        kind="secondary",
                        id=CODE_BUTTON,
                        on_click=EmailState.show(True),
                    ),
                    button(
                        "Cancel",
                        rx.el.span(" the change of your e-mail", class_name="sr-only"),
                        kind="quiet",
                        on_click=EmailState.cancel,
                    ),
                    class_name="mt-3 flex flex-wrap gap-3",
                ),
                class_name="mt-4 rounded-control bg-seafoam p-4",
            ),
        ),
        role="status",
    )


def email_dialog() -> rx.Component:
    """Return the dialog for the code that was sent to a new e-mail."""
    return dialog(
        rx.el.p(
            "We have sent a code of 6 digits to ",
            email_text(EmailState.pending, "block font-semibold text-ink"),
            "It is good for 10 minutes. Until then your e-mail stays as it is.",
            class_name=f"mb-4 {TEXT}",
        ),
        rx.el.form(
            code_field(form=FORM, error=EmailState.error),
            rx.el.p(EmailState.notice, role="status", class_name=f"mt-2 {TEXT} empty:mt-0"),
            rx.el.div(
                button("Send again", kind="secondary", on_click=EmailState.send_again),
                submit_button("Confirm", busy=EmailState.busy, busy_text="Checking..."),
                class_name="mt-6 flex flex-wrap justify-end gap-3",
            ),
            on_submit=EmailState.confirm,
            no_validate=True,
        ),
        title="Confirm your new e-mail",
        open=EmailState.opened,
        on_open_change=EmailState.show,
        width="sm:max-w-md",
    )
