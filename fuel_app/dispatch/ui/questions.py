"""Questions about fills: their cards, the dialog of an answer, a link to them, their photos."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.bookings.rules.fills import GALLONS, KEPT, REASON_MAX, TICKET, TICKET_MAX
from fuel_app.dispatch.state.questions import (
    CHARGE,
    CONFIRM,
    CORRECT,
    SEE,
    WAIVE,
    AnswerState,
    QuestionLine,
    QuestionsState,
)
from fuel_app.kit.ui.button import button, link_button
from fuel_app.kit.ui.cards import TEXT, card
from fuel_app.kit.ui.forms import field_of, form_dialog


def photo_links(addresses: Any, of: Any) -> rx.Component:
    """Render a link for each photo; a reader hears of which fill it is."""
    return rx.foreach(
        addresses,
        lambda address, place: rx.el.A.create(
            f"Photo {place + 1}",
            rx.el.span(f" of {of} (opens in a new tab)", class_name="sr-only"),
            href=address,
            target="_blank",
            rel="noopener noreferrer",
            class_name="link mr-3 inline-flex min-h-11 items-center text-sm",
        ),
    )


_ONLY_ADMIN = "More than two tanks: only an admin can answer."
_EITHER = "To 0.001, or both readings of the meter"
_OFFERS = {
    CHARGE: "Charge",
    WAIVE: "Waive",
    CONFIRM: "Confirm gallons",
    CORRECT: "Correct",
    SEE: "Seen",
}
_MEANS = {
    CHARGE: "The booking is completed with these gallons, and its customer pays for them.",
    WAIVE: "The booking stays as it is. Nothing is charged, and the gallons stay noted here.",
    CONFIRM: "The customer pays for these gallons.",
    CORRECT: "The customer pays for what you enter.",
    SEE: "Both fills stay as they are.",
}


def questions_link() -> rx.Component:
    """Render a link to what waits for an answer, with how much it is; nothing for nothing."""
    return rx.cond(
        QuestionsState.total > 0,
        link_button(
            f"Needs an answer ({QuestionsState.total})",
            href=f"{routes.DASHBOARD}#{routes.NEEDS_AN_ANSWER}",
            kind="secondary",
        ),
    )


def question_cards(name: Any) -> rx.Component:
    """Render the questions that wait for an answer, the oldest first, as a list of this name."""
    more = QuestionsState.total - QuestionsState.rows.length()
    return rx.fragment(
        rx.el.ul(
            rx.foreach(QuestionsState.rows, _question),
            aria_label=name,
            class_name="mt-2 grid gap-4 lg:grid-cols-2",
        ),
        rx.cond(
            more > 0,
            rx.el.p(f"{more} more follow as these are answered.", class_name=f"mt-3 {TEXT}"),
        ),
    )


def _question(line: rx.Var[QuestionLine]) -> rx.Component:
    is_open = ~line.needs_admin | SessionState.is_admin
    return rx.el.li(
        card(
            rx.el.h4(line.title, class_name="text-lg font-bold text-ink"),
            rx.el.p(
                rx.el.a(line.customer, href=line.link, class_name="link py-2.5"),
                class_name="mt-1 font-semibold text-ink",
            ),
            rx.el.p(line.when, class_name=TEXT),
            rx.el.p(line.what, class_name="text-base font-semibold tabular-nums text-ink"),
            rx.el.p(line.who, class_name=TEXT),
            rx.el.p(line.why, class_name="mt-1 text-base text-ink empty:hidden"),
            photo_links(line.photos, line.customer),
            rx.cond(is_open, rx.fragment(), rx.el.p(_ONLY_ADMIN, class_name=f"mt-1 {TEXT}")),
            rx.el.div(
                rx.match(
                    line.kind,
                    (
                        KEPT,
                        rx.fragment(
                            _offer(line, CHARGE, line.can_charge & is_open, f"Charge {line.cost}"),
                            _offer(line, WAIVE, is_open),
                        ),
                    ),
                    (
                        GALLONS,
                        rx.fragment(_offer(line, CONFIRM, is_open), _offer(line, CORRECT, is_open)),
                    ),
                    (TICKET, _offer(line, SEE)),
                    rx.fragment(),
                ),
                class_name="mt-3 flex flex-wrap gap-3",
            ),
        ),
        key=line.id,
    )


def _offer(
    line: rx.Var[QuestionLine], act: str, shown: Any = True, text: Any = None
) -> rx.Component:
    offered = button(
        _OFFERS[act] if text is None else text,
        rx.el.span(f" for {line.customer}", class_name="sr-only"),
        kind="secondary",
        on_click=AnswerState.begin(line.id, act),
    )
    return rx.cond(shown, offered, rx.fragment())


def answer_dialog() -> rx.Component:
    """Render the dialog of one answer, once in a page."""
    act, line = AnswerState.act, AnswerState.line
    offer = rx.match(act, *_OFFERS.items(), "")
    return form_dialog(
        AnswerState,
        rx.el.div(
            rx.cond(act == CORRECT, _figures()),
            rx.cond(
                act != SEE,
                field_of(
                    AnswerState,
                    "Reason",
                    "reason",
                    hint="Kept in the audit log",
                    max_length=REASON_MAX,
                    auto_complete="off",
                ),
            ),
            class_name="flex flex-col gap-4",
        ),
        leave="Not now",
        send=rx.cond(AnswerState.question != "", "Yes, record it", offer),
        title=rx.match(
            act,
            (CHARGE, f"Charge {line.customer} {line.cost} at most?"),
            (WAIVE, f"Waive {line.what}?"),
            (CONFIRM, f"Confirm {line.what}?"),
            (CORRECT, f"Correct the fill of {line.customer}"),
            f"Ticket of {line.customer} seen?",
        ),
        description=rx.match(
            act,
            (CHARGE, f"{_MEANS[CHARGE]} {line.charge_means}"),
            *[(each, means) for each, means in _MEANS.items() if each != CHARGE],
            "",
        ),
    )


def _figures() -> rx.Component:
    known = AnswerState.line.fields
    return rx.fragment(
        _typed("Gallons", "gallons", known, input_mode="decimal", hint=_EITHER),
        rx.el.div(
            _typed("Meter at the start", "meter_start", known, input_mode="decimal"),
            _typed("Meter at the end", "meter_end", known, input_mode="decimal"),
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        _typed("Ticket number", "ticket", known, max_length=TICKET_MAX + 1),
    )


def _typed(label: str, name: str, known: Any, **more: Any) -> rx.Component:
    return field_of(
        AnswerState, label, name, default_value=known[name], auto_complete="off", **more
    )
