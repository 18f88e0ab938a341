"""The card that leads a new customer to the first fill-up."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.billing.state.steps import CARD_ID, StepsState
from fuel_app.billing.ui.parts import amounts, payments_note, refusal_beside
from fuel_app.customers.rules.steps import Step
from fuel_app.customers.state.customer import CustomerState
from fuel_app.kit.ui.button import Kind, busy_button, link_button
from fuel_app.kit.ui.cards import GAP, alert, panel
from fuel_app.kit.ui.support import phone_link


def next_card() -> rx.Component:
    """Return the card for a signed-in customer; nothing in a preview.

    A sign-up has the card that asks for the code instead.
    """
    following = CustomerState.following
    return rx.cond(
        (following.title != "") & CustomerState.email_verified,
        rx.el.div(
            panel(
                rx.fragment("Next: ", following.title),
                rx.el.ol(
                    rx.foreach(following.steps, _step), class_name="mt-3 divide-y divide-line"
                ),
                lead=rx.cond(
                    CustomerState.card.has_booking
                    | (CustomerState.card.past_services.length() > 0),
                    "What is left to do",
                    "The way to your first fill-up",
                ),
            ),
            id=CARD_ID,
            tab_index=-1,
            class_name=f"{GAP} focus:outline-none",
        ),
    )


def due_notice() -> rx.Component:
    """Return what is unpaid, with the way to pay it; nothing where nothing is."""
    due = StepsState.due
    return rx.cond(
        due != "",
        rx.el.div(
            alert(f"A payment of {due} is open. Please pay it, so that we can come again."),
            link_button("Pay ", due, href=routes.BILLING, class_name="max-sm:w-full"),
            class_name=GAP,
        ),
    )


def _step(step: rx.Var[Step]) -> rx.Component:
    return rx.el.li(
        refusal_beside(StepsState, step.kind),
        rx.cond(
            step.done,
            rx.icon("circle-check", size=20, aria_hidden=True, class_name="shrink-0 text-gulf"),
            rx.icon("circle", size=20, aria_hidden=True, class_name="shrink-0 text-[#8FA3AB]"),
        ),
        rx.el.div(
            rx.el.p(step.title, class_name="font-semibold text-ink"),
            rx.cond(
                step.note != "",
                rx.el.p(
                    step.note,
                    rx.cond(
                        step.asks_to_call,
                        rx.fragment(" Call us if this is wrong: ", phone_link()),
                    ),
                    class_name="text-pretty text-sm text-muted",
                ),
            ),
            class_name="min-w-0 grow basis-48",
        ),
        rx.match(
            step.kind,
            ("card", _button(step, step.action, StepsState.add_card, "Opening...")),
            ("plan", _start(step)),
            rx.cond(
                step.action != "",
                _next_first(
                    step,
                    lambda kind: link_button(
                        step.action, href=step.href, kind=kind, class_name=_WIDE
                    ),
                ),
            ),
        ),
        class_name="flex flex-wrap items-center gap-3 py-3 text-base",
    )


_WIDE = "max-sm:w-full"


def _start(step: rx.Var[Step]) -> rx.Component:
    """Return the button that starts the plan, with how its amount is made up."""
    start = StepsState.start
    return rx.cond(
        start.button != "",
        rx.el.div(
            amounts(start.parts),
            _button(step, start.button, StepsState.start_plan(start.button), "Starting..."),
            payments_note("mt-2"),
            class_name="w-full sm:w-auto",
        ),
    )


def _button(step: rx.Var[Step], text: Any, on_click: Any, busy_text: str) -> rx.Component:
    return _next_first(
        step,
        lambda kind: busy_button(
            text,
            busy=StepsState.busy == step.kind,
            busy_text=busy_text,
            kind=kind,
            on_click=on_click,
            class_name=_WIDE,
        ),
    )


def _next_first(step: rx.Var[Step], make: Callable[[Kind], rx.Component]) -> rx.Component:
    """Return a step's button; only that of the next step is a primary one."""
    is_next = step.title == CustomerState.following.title
    return rx.cond(is_next, make("primary"), make("secondary"))
