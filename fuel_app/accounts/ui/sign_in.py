"""The staff's way in, from the footer."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.sign_in import StaffLoginState
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import field

# The cookie has to come by HTTP, and the page stays as it is, with all that was typed in it.
_COOKIE_FETCHER = """
const CookieFetcher = ({ ticket, address, onOutcome }) => {
  useEffect(() => {
    if (ticket) fetch(address, { method: "POST", body: ticket })
      .then((answer) => onOutcome(answer.ok), () => onOutcome(false));
  }, [ticket]);
  return null;
};
"""


class _CookieFetcher(rx.Component):
    tag = "CookieFetcher"
    ticket: rx.Var[str]
    address: rx.Var[str]
    on_outcome: rx.EventHandler[rx.event.passthrough_event_spec(bool)]

    def add_imports(self) -> rx.ImportDict:
        return {"react": "useEffect"}

    def add_custom_code(self) -> list[str]:
        return [_COOKIE_FETCHER]


def staff_login_link(class_name: str) -> rx.Component:
    return rx.el.button(
        "Staff Login", type="button", class_name=class_name, on_click=StaffLoginState.show(True)
    )


def staff_login_modal(opened: Any = StaffLoginState.opened) -> rx.Component:
    return rx.fragment(
        _CookieFetcher.create(
            ticket=StaffLoginState.ticket,
            address=routes.STAFF_SESSION,
            on_outcome=StaffLoginState.enter,
        ),
        _modal(opened),
    )


def _modal(opened: Any) -> rx.Component:
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
        description=rx.cond(
            StaffLoginState.over_page, "Your session has ended. Sign in to go on here.", ""
        ),
        open=opened,
        on_open_change=StaffLoginState.show,
        width="sm:max-w-sm",
    )
