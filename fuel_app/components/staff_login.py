"""The staff's way in, from the footer."""

import reflex as rx

from fuel_app.components.button import button, submit_button
from fuel_app.components.dialog import dialog
from fuel_app.components.fields import field
from fuel_app.states.staff_login import StaffLoginState


def staff_login_link(class_name: str) -> rx.Component:
    return rx.el.button(
        "Staff Login", type="button", class_name=class_name, on_click=StaffLoginState.show(True)
    )


def staff_login_modal() -> rx.Component:
    return dialog(
        rx.el.form(
            field(
                "Password",
                "password",
                form="staff",
                error=StaffLoginState.error,
                type="password",
                auto_complete="current-password",
            ),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=StaffLoginState.show(False)),
                submit_button("Login", busy=StaffLoginState.busy, busy_text="Checking..."),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_submit=StaffLoginState.login,
            no_validate=True,
        ),
        title="Staff Login",
        open=StaffLoginState.opened,
        on_open_change=StaffLoginState.show,
        width="sm:max-w-sm",
    )
