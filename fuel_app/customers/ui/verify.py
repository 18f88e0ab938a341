"""The card that asks for the code of the verification mail."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.sign_in import CookieState
from fuel_app.accounts.ui.sign_in import cookie_fetcher
from fuel_app.customers.rules.sign_up import VERIFY_FORM
from fuel_app.customers.state.verify import VerifyState
from fuel_app.kit.ui.button import busy_button, submit_button
from fuel_app.kit.ui.cards import GAP, TEXT, alert, email_text, panel
from fuel_app.kit.ui.fields import code_field


def verify_card() -> rx.Component:
    """Return the card, which is there for a sign-up only, and the page's `cookie_fetcher`.

    The page loads it by `VerifyState.arrive`.
    """
    return rx.fragment(
        cookie_fetcher(),
        rx.cond(VerifyState.email != "", rx.el.div(_card(), class_name=GAP)),
        rx.cond(
            VerifyState.verified & (CookieState.error != ""),
            rx.el.div(_sign_in_instead(), class_name=GAP),
        ),
    )


def _card() -> rx.Component:
    return panel(
        "Verify your email",
        rx.el.p(
            "We have sent a code of 6 digits to ",
            email_text(VerifyState.email, "block font-semibold text-ink"),
            "It is good for 10 minutes.",
            class_name=f"mt-1 {TEXT}",
        ),
        rx.el.form(
            code_field(form=VERIFY_FORM, error=VerifyState.error, class_name=_CODE),
            rx.el.div(
                submit_button("Verify", busy=VerifyState.busy, busy_text="Checking..."),
                busy_button(
                    "Send again",
                    busy=VerifyState.sending,
                    busy_text="Sending...",
                    kind="secondary",
                    on_click=VerifyState.resend,
                ),
                class_name="mt-4 flex flex-wrap gap-3",
            ),
            on_submit=VerifyState.verify,
            no_validate=True,
            class_name="mt-4",
        ),
        rx.el.p(VerifyState.notice, role="status", class_name=f"mt-3 {TEXT} empty:mt-0"),
        rx.el.p(
            "Nothing came? Look into your spam folder, too. A wrong address? ",
            rx.el.a("Sign up again", href=routes.ONBOARDING, class_name="link"),
            class_name=f"mt-3 {TEXT}",
        ),
    )


_CODE = (
    "block min-h-11 w-40 rounded-control border border-[#8FA3AB] bg-surface px-3 py-2 text-lg "
    "tabular-nums tracking-widest text-ink hover:border-muted aria-[invalid=true]:border-danger "
    "aria-[invalid=true]:bg-[#FEF6F5]"
)


def _sign_in_instead() -> rx.Component:
    return panel(
        "Your email is verified",
        rx.el.div(alert(CookieState.error), class_name="mt-3"),
        rx.el.p(
            rx.el.a("Sign in", href=routes.SIGN_IN, class_name="link"),
            " to go on.",
            class_name=TEXT,
        ),
    )
