"""Account Settings: personal information, e-mail, own data, closing; verifying a sign-up."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import CookieState
from fuel_app.accounts.ui.sign_in import cookie_fetcher
from fuel_app.customers.rules.customers import ENDS_TOO
from fuel_app.customers.rules.sign_up import VERIFY_FORM
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.account import (
    own_neighborhood,
    preferences,
    vehicles,
)
from fuel_app.customers.ui.locations import addresses
from fuel_app.customers.ui.page import is_known, is_sample, loading, settings_page
from fuel_app.customers.ui.security import reauthentication_dialog
from fuel_app.kit.ui.button import busy_button, button, submit_button
from fuel_app.kit.ui.cards import GAP, H2, TEXT, alert, arriving, email_text, panel
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.kit.ui.fields import bound, code_field, field, phone_field
from fuel_app.kit.ui.forms import live_form
from fuel_app.membership.state import (
    CODE_BUTTON,
    EDIT_BUTTON,
    EMAIL_FORM,
    PERSONAL_FORM,
    AccountState,
    EmailState,
    VerifyState,
)


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
            "It expires in 10 minutes. Until then your e-mail stays as it is.",
            class_name=f"mb-4 {TEXT}",
        ),
        rx.el.form(
            code_field(form=EMAIL_FORM, error=EmailState.error),
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


def own_data() -> rx.Component:
    """Return the download, for a signed-in person."""
    return rx.cond(
        CustomerState.is_own,
        panel(
            "Your Data",
            button(
                "Download your data",
                kind="secondary",
                on_click=AccountState.download_data,
                class_name="mt-4",
            ),
            lead="All that we store about you, in one file",
        ),
    )


def ending() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Delete Account", class_name=H2),
        rx.el.p(
            rx.cond(
                is_sample(),
                "Deleting your account removes all your data and cancels active subscriptions.",
                arriving(AccountState.closing, "w-64"),
            ),
            class_name=f"mt-0.5 {TEXT}",
        ),
        dialog(
            rx.el.div(
                dismissing(button("Cancel", kind="secondary")),
                dismissing(
                    button("Delete Account", kind="danger", on_click=AccountState.ask_to_delete)
                ),
                class_name="mt-4 flex flex-wrap justify-end gap-3",
            ),
            trigger=button("Delete Account", kind="danger", class_name="mt-4"),
            title="Confirm Deletion",
            description=rx.cond(
                AccountState.closing != "",
                f"Are you sure you want to delete your account? {ENDS_TOO} "
                "We ask for your password next.",
                "Are you sure you want to delete your account? This action cannot be undone.",
            ),
            width="sm:max-w-md",
        ),
        class_name="rounded-card border border-danger/40 bg-[#FEF6F5] p-5 sm:p-6",
    )


_bound = partial(
    bound, form=PERSONAL_FORM, errors=AccountState.field_errors, values=AccountState.form
)


_PAIR = "grid gap-4 sm:grid-cols-2"


def personal() -> rx.Component:
    return panel(
        "Personal Information",
        waiting_email(),
        live_form(
            rx.el.fieldset(
                rx.el.legend("Personal Information", class_name="sr-only"),
                rx.el.div(
                    _field("First name", "first_name", auto_complete="given-name"),
                    _field("Last name", "last_name", auto_complete="family-name"),
                    class_name=_PAIR,
                ),
                rx.el.div(
                    _field("Email", "email", type="email", auto_complete="email"),
                    phone_field("Phone", **_bound("phone")),
                    class_name=_PAIR,
                ),
                rx.cond(CustomerState.is_customer, _address()),
                disabled=~AccountState.editing,
                key=AccountState.edition,  # the fields start anew with what is stored
                class_name="mt-4 flex flex-col gap-4",
            ),
            rx.cond(
                AccountState.editing,
                rx.el.div(
                    button("Save Changes", type="submit", class_name="max-sm:w-full"),
                    class_name="mt-6 flex sm:justify-end",
                ),
            ),
            on_edit=AccountState.edit,
            on_submit=AccountState.save,
        ),
        action=button(
            rx.cond(AccountState.editing, "Cancel", "Edit"),
            kind="secondary",
            id=EDIT_BUTTON,
            on_click=rx.cond(AccountState.editing, AccountState.cancel(), AccountState.begin()),
        ),
    )


def _address() -> rx.Component:
    return rx.fragment(
        _field("Address", "address", auto_complete="street-address"),
        rx.el.div(
            rx.el.div(
                _field("City", "city", auto_complete="address-level2"),
                class_name="max-sm:col-span-2",
            ),
            _field("State", "state", auto_complete="address-level1"),
            _field(
                "ZIP code",
                "zip_code",
                input_mode="numeric",
                auto_complete="postal-code",
                max_length=5,
            ),
            class_name="grid grid-cols-2 gap-4 sm:grid-cols-[2fr_1fr_1fr]",
        ),
    )


def _field(label: str, name: str, **props: Any) -> rx.Component:
    return field(label, **_bound(name), **props)


def verify_card() -> rx.Component:
    """Return the card, which is there for a sign-up only, and the page's `cookie_fetcher`.

    The page loads it by `VerifyState.arrive`.
    """
    return rx.fragment(
        cookie_fetcher(),
        rx.cond(VerifyState.email != "", rx.el.div(_verify_card(), class_name=GAP)),
        rx.cond(
            VerifyState.verified & (CookieState.error != ""),
            rx.el.div(_sign_in_instead(), class_name=GAP),
        ),
    )


def _verify_card() -> rx.Component:
    return panel(
        "Verify your email",
        rx.el.p(
            "We have sent a code of 6 digits to ",
            email_text(VerifyState.email, "block font-semibold text-ink"),
            "It expires in 10 minutes.",
            class_name=f"mt-1 {TEXT}",
        ),
        rx.el.form(
            code_field(form=VERIFY_FORM, error=VerifyState.error, class_name=_CODE_CLASS),
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


_CODE_CLASS = (
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


def account() -> rx.Component:
    return settings_page(
        "Account Settings",
        rx.cond(is_known(), rx.cond(CustomerState.is_customer, vehicles()), loading()),
        rx.cond(CustomerState.is_own & CustomerState.is_customer, addresses()),
        personal(),
        own_neighborhood(),
        rx.cond(CustomerState.is_customer, preferences()),
        own_data(),
        ending(),
        email_dialog(),
        reauthentication_dialog(),
        current=routes.ACCOUNT,
    )
