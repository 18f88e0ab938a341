"""The step that chooses the time, and what is booked for what price."""

from typing import Any

import reflex as rx

from fuel_app.bookings.rules.estimates import Line
from fuel_app.bookings.state.cards import AGREED
from fuel_app.bookings.state.holding import SOON, Holding
from fuel_app.bookings.state.slots import Quote
from fuel_app.bookings.ui.slots import slot_strip
from fuel_app.kit.ui.button import busy_button, submit_button
from fuel_app.kit.ui.cards import alert, panel
from fuel_app.kit.ui.support import phone_link
from fuel_app.kit.ui.wizard import back_link

PROMISE = "You pay the lower of today's price and that day's."


def refusal(state: type[Quote]) -> rx.Component:
    """Return why something was refused, with a link to what can be done next."""
    return rx.el.div(
        alert(state.refusal),
        rx.cond(
            (state.refusal != "") & (state.way != ""),
            rx.el.a(state.way, href=state.way_to, class_name="link mb-3 inline-flex min-h-11"),
        ),
    )


def summary(state: type[Quote]) -> rx.Component:
    """Return vehicle, place and window, and each part of the price."""
    return panel(
        "Your fill-up",
        rx.el.ul(
            rx.el.li(state.car_name),
            rx.el.li(state.place_name),
            rx.el.li(state.window),
            aria_label="Your fill-up",
            class_name="mt-1 text-base text-ink wrap-anywhere",
        ),
        price_parts(state),
    )


def price_parts(state: type[Quote]) -> rx.Component:
    """Return each part of the price and the total."""
    return rx.cond(
        state.price.total != "",
        rx.el.div(
            rx.el.dl(
                rx.foreach(state.price.lines, _part),
                rx.el.div(
                    rx.el.dt("Total"),
                    rx.el.dd(state.price.total, class_name="whitespace-nowrap tabular-nums"),
                    class_name="flex justify-between gap-3 font-bold text-ink",
                ),
                class_name="mt-4 flex flex-col gap-1 border-t border-line pt-3 text-base text-ink",
            ),
            rx.el.p(
                f"{PROMISE} ",
                state.price.source,
                ". Cancelling later than 2 hours before the window costs ",
                state.price.late_fee,
                ".",
                class_name="mt-2 text-pretty text-sm text-muted",
            ),
            rx.el.p(state.price.held, class_name="mt-2 text-base text-ink empty:hidden"),
        ),
    )


def free_fill_note(note: Any) -> rx.Component:
    """Return why a promised free first fill is not taken off, and how to reach us about it."""
    return rx.cond(
        note != "",
        rx.el.p(
            note,
            " Call us if this is wrong: ",
            phone_link(),
            class_name="mt-1 text-pretty font-semibold text-ink",
        ),
    )


def _part(line: rx.Var[Line]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(line.label),
        rx.el.dd(line.amount, class_name="shrink-0 text-right tabular-nums max-w-[55%]"),
        class_name="flex justify-between gap-3",
    )


def time_step(state: Any, *, back: str, act: rx.Component) -> rx.Component:
    """Return the windows and what is booked; `act` is the button beside the one that leads back."""
    return rx.el.form(
        slot_strip(state),
        rx.el.div(summary(state), class_name="mt-6"),
        _bar(state, back_link(back), act),
        on_submit=state.schedule,
    )


def _bar(state: type[Quote], back: rx.Component, act: rx.Component) -> rx.Component:
    """Return the bar at the foot of the screen: low, so that a phone shows the windows above it."""
    return rx.el.div(
        refusal(state),
        rx.el.div(
            rx.el.p(state.car_name, " · ", state.place_name, class_name="truncate text-muted"),
            rx.el.p(
                rx.el.span(state.when),
                rx.el.span(state.price.total, class_name="shrink-0 text-base tabular-nums"),
                class_name="flex items-baseline justify-between gap-3 font-bold text-ink",
            ),
            rx.el.p(state.price.brief, class_name="tabular-nums text-muted"),
            free_fill_note(state.price.free_note),
            class_name="text-sm",
        ),
        rx.el.div(back, act, class_name="mt-2 flex items-center justify-between gap-3"),
        class_name="sticky bottom-0 z-20 -mx-4 mt-6 max-h-[70dvh] overflow-y-auto border-t "
        "border-line bg-surface px-4 py-3 shadow-[0_-6px_20px_rgba(11,37,48,0.08)] "
        "sm:mx-0 sm:rounded-t-card sm:border-x",
    )


def add_card(state: type[Holding]) -> rx.Component:
    """Return the button that leads to the provider's page, and what it does meanwhile."""
    return busy_button(
        "Add a card",
        busy=state.busy,
        busy_text="Opening...",
        on_click=state.add_card,
        class_name="w-full sm:w-auto",
    )


def kept_until(state: type[Holding]) -> rx.Component:
    """Return until when the window is kept: calm, red in the last minute."""
    until = f"We keep this time for you until {state.held_until}."
    return rx.cond(
        state.hold == SOON,
        rx.el.p(until, class_name="text-base font-semibold text-danger"),
        rx.el.p(until, class_name="text-base text-muted"),
    )


def book_button(text: Any, state: type[Quote], **props: Any) -> rx.Component:
    return rx.fragment(
        agreed_to(state.price.total),
        submit_button(
            text, busy=state.busy, busy_text="Booking...", class_name="w-full sm:w-auto", **props
        ),
    )


def agreed_to(shown: Any) -> rx.Component:
    """Return the hidden field that says what a press of the form's button agrees to."""
    return rx.el.input(type="hidden", name=AGREED, value=shown)
