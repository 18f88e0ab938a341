"""The staff's way in, from the footer."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.sign_in import CookieState, StaffLoginState
from fuel_app.accounts.ui.cookie import cookie_fetcher
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import password_field


def staff_login_link(class_name: str) -> rx.Component:
    return rx.el.button(
        "Staff Login", type="button", class_name=class_name, on_click=StaffLoginState.show(True)
    )


def staff_login_modal(opened: Any = StaffLoginState.opened) -> rx.Component:
    modal = dialog(
        rx.el.form(
            password_field(
                "Password",
                "password",
                form="staff",
                error=rx.cond(
                    StaffLoginState.error != "", StaffLoginState.error, CookieState.error
                ),
            ),
            rx.cond(
                StaffLoginState.retired,
                rx.el.p(
                    rx.el.a(
                        "Sign in with your own account", href=routes.SIGN_IN, class_name="link"
                    ),
                    class_name="mt-3 text-base",
                ),
            ),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=StaffLoginState.show(False)),
                submit_button(
                    "Login",
                    busy=StaffLoginState.busy | CookieState.fetching,
                    busy_text="Checking...",
                ),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_submit=StaffLoginState.login,
            no_validate=True,
        ),
        title="Staff Login",
        description=rx.cond(
            StaffLoginState.over_page, "Your session has ended. Sign in to go on here.", ""
        ),
        open=opened,
        on_open_change=StaffLoginState.show,
        width="sm:max-w-sm",
    )
    return rx.fragment(cookie_fetcher(), modal)
