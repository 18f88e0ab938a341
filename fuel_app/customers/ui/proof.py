"""The dialog that asks for the password again."""

import reflex as rx

from fuel_app.customers.state.security.proof import FORM, ProofState
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import password_field


def proof_dialog() -> rx.Component:
    """Return the dialog, once on each page that needs it."""
    return dialog(
        rx.el.form(
            password_field("Password", "password", form=FORM, error=ProofState.error),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=ProofState.show(False)),
                submit_button("Confirm", busy=ProofState.busy, busy_text="Checking..."),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_submit=ProofState.confirm,
            no_validate=True,
        ),
        title="Confirm it is you",
        description="This needs your password again.",
        open=ProofState.opened,
        on_open_change=ProofState.show,
        width="sm:max-w-sm",
    )
