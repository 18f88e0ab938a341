"""The card that leads a new customer to the first fill-up."""

import reflex as rx

from fuel_app.customers.rules.steps import Step
from fuel_app.customers.state.customer import CustomerState
from fuel_app.kit.ui.cards import GAP, panel


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
                rx.cond(
                    following.note != "",
                    rx.el.p(following.note, class_name="mt-2 text-pretty text-base text-ink"),
                ),
                rx.el.ol(rx.foreach(following.steps, _step), class_name="mt-3 grid gap-3"),
                lead="The way to your first fill-up",
            ),
            class_name=GAP,
        ),
    )


def _step(step: rx.Var[Step]) -> rx.Component:
    return rx.el.li(
        rx.cond(
            step.done,
            rx.icon("circle-check", size=20, aria_hidden=True, class_name="shrink-0 text-gulf"),
            rx.icon("circle", size=20, aria_hidden=True, class_name="shrink-0 text-[#8FA3AB]"),
        ),
        rx.el.span(step.title, class_name="font-semibold text-ink"),
        rx.el.span(step.note, class_name="ml-auto text-right text-sm text-muted"),
        class_name="flex items-center gap-3 text-base",
    )
