"""The page of a proposal at its contact's: reading, accepting by a code, declining."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import busy_button, button, submit_button
from fuel_app.kit.ui.cards import GAP, H2, TEXT, alert, card, email_text
from fuel_app.kit.ui.fields import checkbox, code_field, error_text, textarea_field
from fuel_app.kit.ui.forms import field_of, live_form
from fuel_app.kit.ui.frame import SECTION, brand, call_us, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading, alert_in_view
from fuel_app.proposals.rules.documents import BINDS, CONSENTS
from fuel_app.proposals.state.link import ACCEPT, DECLINE, AcceptState, DeclineState, OfferState
from fuel_app.proposals.ui.document import document_view, facts_list

_PRINT = rx.Var("() => window.print()").to(rx.EventChain)
_offer = OfferState.offer


def proposal_view() -> rx.Component:
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(brand(), class_name=f"flex h-16 items-center {SECTION}"),
            class_name="border-b border-line bg-surface",
        ),
        rx.el.main(
            PageHeading.create("Our proposal", class_name=TITLE),
            rx.cond(
                OfferState.problem != "",
                card(
                    rx.el.p(OfferState.problem, role="status", class_name=H2),
                    class_name="mt-4",
                ),
                rx.cond(_offer.document.name != "", _shown(), _loading()),
            ),
            call_us(),
            id="content",
            class_name="mx-auto w-full max-w-3xl px-4 py-6 sm:px-6 sm:py-10",
        ),
    )


def _loading() -> rx.Component:
    return rx.el.div(class_name="skeleton mt-4 h-96 rounded-card", aria_hidden=True)


def _shown() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.el.p(
                "For ",
                rx.el.strong(_offer.document.company, class_name="text-ink"),
                " · ",
                _offer.document.name,
                class_name=f"min-w-0 wrap-anywhere {TEXT}",
            ),
            button(
                rx.icon("printer", size=18, aria_hidden=True),
                "Print",
                kind="secondary",
                on_click=_PRINT,
                class_name="print:hidden",
            ),
            class_name="mb-4 mt-1 flex flex-wrap items-center justify-between gap-3",
        ),
        rx.cond(_offer.over != "", _over()),
        card(document_view(_offer.document)),
        rx.cond(
            _offer.over == "",
            rx.cond(_offer.opens_soon != "", _opens_soon(), _answer()),
        ),
    )


def _over() -> rx.Component:
    """Say how it ended; of an accepted one with the evidence."""
    return card(
        rx.el.p(_offer.over, role="status", class_name="text-balance text-lg font-bold text-ink"),
        rx.cond(
            _offer.is_accepted,
            rx.fragment(
                rx.el.p(
                    "The signed proposal and the invitation to your company's account are on "
                    "their way by e-mail.",
                    class_name=f"mb-2 mt-1 {TEXT}",
                ),
                facts_list(_offer.evidence),
            ),
        ),
        class_name="mb-4 border-gulf",
    )


def _opens_soon() -> rx.Component:
    return card(
        rx.el.p(_offer.opens_soon, role="status", class_name="text-base font-semibold text-ink"),
        _decline_button(),
        rx.cond(OfferState.stage == DECLINE, _decline()),
        class_name=f"{GAP} print:hidden",
    )


def _answer() -> rx.Component:
    return card(
        rx.match(
            OfferState.stage,
            (ACCEPT, _accept()),
            (DECLINE, _decline()),
            rx.fragment(
                rx.el.h2("Your answer", class_name=H2),
                rx.el.p(
                    "To accept, we send a code to ",
                    email_text(_offer.email, "font-semibold text-ink"),
                    ": only who reads that mail can sign.",
                    class_name=f"mb-4 mt-1 {TEXT}",
                ),
                alert(OfferState.error),
                rx.el.div(
                    busy_button(
                        "Accept",
                        busy=OfferState.busy,
                        busy_text="Sending the code...",
                        on_click=OfferState.begin_acceptance,
                    ),
                    button("Decline", kind="secondary", on_click=OfferState.begin_decline),
                    class_name="flex flex-wrap gap-3",
                ),
            ),
        ),
        class_name=f"{GAP} print:hidden",
    )


def _decline_button() -> rx.Component:
    return rx.cond(
        OfferState.stage == "",
        button("Decline", kind="secondary", on_click=OfferState.begin_decline, class_name="mt-4"),
    )


def _accept() -> rx.Component:
    return live_form(
        rx.el.h2("Accept this proposal", class_name=H2),
        rx.el.p(
            "We have sent a code to ",
            email_text(OfferState.sent_to, "font-semibold text-ink"),
            ". It works for 10 minutes.",
            role="status",
            class_name=f"mb-4 mt-1 {TEXT}",
        ),
        alert(OfferState.error),
        code_field(form=AcceptState.FORM, error=AcceptState.errors["code"]),
        busy_button(
            "Send another code",
            busy=OfferState.busy,
            busy_text="Sending...",
            kind="quiet",
            on_click=OfferState.begin_acceptance,
            class_name="-ml-3 mt-1 px-3",
        ),
        rx.el.div(
            _text("Your name", "name", auto_complete="name"),
            _text("Your title", "title", auto_complete="organization-title"),
            class_name="mt-3 grid gap-4 sm:grid-cols-2",
        ),
        rx.el.div(_tick(BINDS, "binds"), _tick(CONSENTS, "consents"), class_name="my-3"),
        _text("Signature", "signature", hint="Type your name", auto_complete="off"),
        alert_in_view(AcceptState.error, class_name="mt-4"),
        _foot(submit_button("Sign and accept", busy=AcceptState.busy, busy_text="Accepting...")),
        on_edit=AcceptState.edit,
        on_submit=AcceptState.submit,
    )


def _text(label: str, name: str, **props: Any) -> rx.Component:
    return field_of(AcceptState, label, name, **props)


def _tick(label: str, name: str) -> rx.Component:
    form, error = AcceptState.FORM, AcceptState.errors[name]
    error_id = f"{form}-{name}-error"
    return rx.el.div(
        checkbox(
            label,
            name,
            form=form,
            aria_describedby=error_id,
            aria_invalid=rx.cond(error != "", "true", "false"),
        ),
        error_text(error_id, error),
    )


def _decline() -> rx.Component:
    return live_form(
        rx.el.h2("Decline this proposal", class_name=H2),
        rx.el.p("We may find a way.", class_name=f"mb-3 mt-1 {TEXT}"),
        field_of(DeclineState, "Why?", "reason", make=textarea_field),
        alert_in_view(DeclineState.error, class_name="mt-4"),
        _foot(submit_button("Decline", busy=DeclineState.busy, busy_text="Sending...")),
        on_edit=DeclineState.edit,
        on_submit=DeclineState.submit,
    )


def _foot(send: rx.Component) -> rx.Component:
    return rx.el.div(
        send,
        button("Back", kind="secondary", on_click=OfferState.leave),
        class_name="mt-5 flex flex-wrap gap-3",
    )
