"""The pages before an account: sign-in, forgotten passwords, invitations, undoing an e-mail."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import GOOD_FOR, Purpose
from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.accounts.rules.security import APP, PASSKEY, RECOVERY, SMS
from fuel_app.accounts.state.session import CookieState
from fuel_app.accounts.state.sign_in_pages import (
    SECOND_FORM,
    SENT_HEADING,
    EmailUndoState,
    ForgotPasswordState,
    InvitationState,
    ResetPasswordState,
    SignInState,
)
from fuel_app.accounts.ui.invitation import invitation_page
from fuel_app.accounts.ui.sign_in import (
    cookie_fetcher,
    entrance_page,
    heading,
    loading,
    passkey_sign_in,
    sign_in_error,
)
from fuel_app.kit.ui.button import busy_button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, email_text
from fuel_app.kit.ui.fields import field, new_password_field, password_field
from fuel_app.kit.ui.forms import field_of
from fuel_app.kit.ui.frame import call_us, email_link, phone_link
from fuel_app.kit.ui.script import TITLE

_LINK = "link inline-flex min-h-11 cursor-pointer items-center"
_NO_TEXT = (
    "No text? Send another code. If you have once sent STOP to the number of our text messages, "
    "text START to it first."
)
_OTHER_WAYS = (
    (APP, "Use your authenticator app"),
    (SMS, "Get a code by text message"),
    (PASSKEY, "Use your passkey"),
    (RECOVERY, "Use a recovery code"),
)


def sign_in() -> rx.Component:
    return entrance_page(
        cookie_fetcher(),
        rx.el.span(hidden=True, on_unmount=SignInState.start_over),
        rx.cond(SignInState.methods.length() > 0, _second_step(), _first_step()),
        below=rx.cond(
            SignInState.methods.length() == 0,
            rx.fragment(
                "New here? ",
                rx.el.a("Get started", href=routes.ONBOARDING, class_name=_LINK),
                call_us(),
            ),
        ),
    )


def _first_step() -> rx.Component:
    return rx.fragment(
        heading("Sign In"),
        alert(sign_in_error(SignInState.error)),
        rx.el.form(
            rx.el.div(
                field_of(SignInState, "Email", "email", type="email", auto_complete="username"),
                field_of(SignInState, "Password", "password", make=password_field),
                class_name="flex flex-col gap-4",
            ),
            rx.el.a("Forgot password?", href=routes.FORGOT_PASSWORD, class_name=f"mt-2 {_LINK}"),
            _submit("Sign In", SignInState.busy | CookieState.fetching, "Signing in..."),
            on_submit=SignInState.sign_in,
            no_validate=True,
        ),
        rx.el.div(passkey_sign_in(SignInState.then), class_name="mt-3"),
    )


def _second_step() -> rx.Component:
    return rx.fragment(
        heading("Confirm it is you", _second_lead()),
        alert(sign_in_error(SignInState.error)),
        rx.cond(SignInState.method == PASSKEY, passkey_sign_in(SignInState.then), _code_form()),
        rx.cond(SignInState.method == SMS, rx.el.p(_NO_TEXT, class_name=f"mt-4 {TEXT}")),
        rx.el.div(
            *[_other_way(method, text) for method, text in _OTHER_WAYS],
            rx.cond(SignInState.method == SMS, _way("Send another code", SignInState.choose(SMS))),
            _way("Back to email and password", SignInState.start_over),
            class_name="mt-4 flex flex-col items-start",
        ),
        _no_phone(),
    )


def _no_phone() -> rx.Component:
    has_another = SignInState.methods.contains(RECOVERY) | SignInState.methods.contains(PASSKEY)
    return rx.el.details(
        rx.el.summary("No phone at hand?", class_name=_LINK),
        rx.el.p(
            rx.cond(
                has_another,
                "Use a recovery code or a passkey, as offered above. Else write",
                "Write",
            ),
            " to ",
            email_link(),
            ". If you work here, one of our admins can help you, too.",
            class_name=f"text-pretty {TEXT}",
        ),
        class_name="mt-2",
    )


def _second_lead() -> rx.Component:
    return rx.match(
        SignInState.method,
        (APP, "Enter the 6-digit code that your authenticator app shows."),
        (SMS, "Enter the 6-digit code that we have texted to your phone."),
        (RECOVERY, "Enter one of the recovery codes that you have kept. Each works once."),
        "Use the passkey that you have set up.",
    )


def _code_form() -> rx.Component:
    is_recovery = SignInState.method == RECOVERY
    return rx.el.form(
        field(
            rx.cond(is_recovery, "Recovery code", "Code"),  # type: ignore[arg-type]
            "code",
            form=SECOND_FORM,
            error=SignInState.code_error,
            key=SignInState.method,  # empty again for another way
            auto_focus=True,
            input_mode=rx.cond(is_recovery, "text", "numeric"),
            auto_complete=rx.cond(is_recovery, "off", "one-time-code"),
            auto_capitalize="none",
            spell_check=False,
            max_length=40,
        ),
        _submit("Continue", SignInState.busy | CookieState.fetching, "Checking..."),
        on_submit=SignInState.finish,
        no_validate=True,
    )


def _other_way(method: str, text: str) -> rx.Component:
    is_other = SignInState.methods.contains(method) & (SignInState.method != method)
    return rx.cond(is_other, _way(text, SignInState.choose(method)))


def _way(text: str, on_click: Any) -> rx.Component:
    return rx.el.button(text, type="button", on_click=on_click, class_name=_LINK)


def _submit(text: str, busy: Any, busy_text: str) -> rx.Component:
    return submit_button(text, busy=busy, busy_text=busy_text, class_name="mt-4 w-full")


def forgot_password() -> rx.Component:
    state = ForgotPasswordState
    return entrance_page(
        rx.cond(
            state.sent_to != "",
            rx.el.div(
                rx.el.h1(
                    "Check your email", id=SENT_HEADING, tab_index=-1, class_name=f"mb-5 {TITLE}"
                ),
                rx.el.p(
                    "If an account exists for ",
                    email_text(state.sent_to, "font-semibold text-ink"),
                    ", we have sent a link.",
                    class_name=TEXT,
                ),
                rx.el.p("It works once, for 30 minutes.", class_name=f"mt-2 {TEXT}"),
                _way("Send another link", state.ask_again),
                role="status",
            ),
            rx.fragment(
                heading("Forgot password?", "We send you a link to choose a new one."),
                alert(state.error),
                rx.el.form(
                    field_of(state, "Email", "email", type="email", auto_complete="username"),
                    _submit("Send Link", state.busy, "Sending..."),
                    on_submit=state.ask,
                    no_validate=True,
                ),
            ),
        ),
        below=rx.el.a("Back to sign-in", href=routes.SIGN_IN, class_name=_LINK),
    )


def reset_password() -> rx.Component:
    state = ResetPasswordState
    return entrance_page(
        rx.match(
            state.link,
            ("open", _new_password()),
            ("gone", _link_gone()),
            loading("Choose a new password"),
        )
    )


def _new_password() -> rx.Component:
    state = ResetPasswordState
    return rx.fragment(
        heading("Choose a new password", "You are then signed out everywhere and sign in with it."),
        alert(state.error),
        rx.el.form(
            field_of(
                state, "New Password", "password", make=new_password_field, hint=PASSWORD_RULE
            ),
            _submit("Set Password", state.busy, "Saving..."),
            on_submit=state.set_password,
            no_validate=True,
        ),
    )


def _link_gone() -> rx.Component:
    return rx.fragment(
        heading(
            "This link does not work any more",
            "It has been used, or it is older than 30 minutes. Your password is as it was.",
        ),
        link_button("Send a New Link", href=routes.FORGOT_PASSWORD, class_name="w-full"),
        rx.el.a("Back to sign-in", href=routes.SIGN_IN, class_name=f"mt-3 {_LINK}"),
    )


def invitation() -> rx.Component:
    return invitation_page(
        InvitationState,
        "Join the team",
        rx.fragment(
            InvitationState.by,
            " invites ",
            email_text(InvitationState.email, "font-semibold text-ink"),
            " to work here as: ",
            InvitationState.roles,
            ".",
        ),
        days=GOOD_FOR[Purpose.INVITE].days,
    )


_UNDO_BUTTON = "mt-6 w-full"


def undo_email() -> rx.Component:
    return entrance_page(
        rx.match(
            EmailUndoState.link, ("used", _undo_done()), ("gone", _undo_gone()), _undo_question()
        )
    )


def _undo_question() -> rx.Component:
    return rx.fragment(
        heading(
            "Undo the change",
            "Your account gets its former e-mail back, is signed out everywhere, and needs a new "
            "password.",
        ),
        alert(EmailUndoState.error),
        busy_button(
            "Restore my e-mail",
            busy=EmailUndoState.busy,
            busy_text="Restoring...",
            on_click=EmailUndoState.undo,
            disabled=EmailUndoState.busy | (EmailUndoState.link == ""),
            class_name=_UNDO_BUTTON,
        ),
    )


def _undo_done() -> rx.Component:
    return _undo_answer(
        "Your e-mail is restored",
        "All devices are signed out, and the old password does not work any more. Choose a new one "
        "to sign in.",
        link_button("Choose a new password", href=routes.FORGOT_PASSWORD, class_name=_UNDO_BUTTON),
    )


def _undo_gone() -> rx.Component:
    return _undo_answer(
        "This link no longer works",
        rx.fragment(
            "It has been used, or is older than 7 days. If your e-mail was changed without you, "
            "please call us, ",
            phone_link(),
            ", or write to ",
            email_link(),
            ".",
        ),
        link_button("Sign In", href=routes.SIGN_IN, class_name=_UNDO_BUTTON),
    )


def _undo_answer(title: str, text: Any, way: rx.Component) -> rx.Component:
    return rx.fragment(heading(title), rx.el.p(text, role="status", class_name=TEXT), way)
