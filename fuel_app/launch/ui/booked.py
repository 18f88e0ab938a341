"""The question what becomes of bookings that a change would end."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.forms import field_of, send_button
from fuel_app.launch.rules import CANCEL, KEEP, OFFER
from fuel_app.launch.state.booked import HOW, BookedLine

LINES = "my-3 max-h-52 divide-y divide-line overflow-y-auto text-base text-ink"


def booked(state: Any, **props: Any) -> rx.Component:
    """List the bookings that a change would end, and ask what becomes of them."""
    return rx.cond(
        state.booked.length() > 0,
        rx.el.div(
            rx.el.ul(
                rx.foreach(state.booked, _booked_line), aria_label="Bookings", class_name=LINES
            ),
            rx.el.fieldset(
                rx.el.legend("What becomes of them?", class_name="sr-only"),
                _choice(state, KEEP, "Keep them", "We come as booked. Nothing new can be booked."),
                rx.cond(
                    state.is_offered,
                    _choice(
                        state,
                        OFFER,
                        "Offer other times",
                        "They are on hold. Their customers are told why, and choose a free window "
                        "or cancel, free of charge.",
                    ),
                ),
                _choice(
                    state,
                    CANCEL,
                    "Cancel them",
                    "Free of charge. Their customers are told why.",
                ),
                class_name="mb-4 flex flex-col gap-2",
            ),
            rx.cond(
                state.how != KEEP,
                field_of(
                    state,
                    "Reason",
                    "reason",
                    hint="The customers are told.",
                    auto_complete="off",
                    **props,
                ),
            ),
        ),
    )


def _choice(state: Any, value: str, label: str, text: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name=HOW,
            value=value,
            default_checked=state.how == value,
            class_name="mt-1 h-5 w-5 shrink-0 accent-gulf",
        ),
        rx.el.span(
            rx.el.span(label, class_name="block font-semibold"),
            rx.el.span(text, class_name="block text-sm text-muted"),
        ),
        class_name="flex min-h-11 cursor-pointer items-start gap-3 rounded-control border "
        "border-[#8FA3AB] p-3 text-base text-ink hover:border-muted has-[:checked]:border-gulf "
        "has-[:checked]:bg-seafoam",
    )


def _booked_line(line: rx.Var[BookedLine]) -> rx.Component:
    """Return one line of the bookings that a change would end."""
    return rx.el.li(
        rx.cond(
            line.link != "",
            rx.el.a(line.name, href=line.link, class_name="link font-semibold"),
            rx.el.span(line.name, class_name="font-semibold"),
        ),
        ", ",
        line.car,
        rx.el.span(line.when, class_name="block text-sm tabular-nums text-muted"),
        class_name="py-2",
    )


def answer_button(state: Any) -> rx.Component:
    """Return the button that does what is chosen; it says how many customers are told."""
    return rx.cond(
        state.how == CANCEL,
        send_button(state, state.button, "Cancelling...", kind="danger"),
        send_button(state, state.button),
    )
