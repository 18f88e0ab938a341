"""Choosing a window, with what is booked for what price. The preview lists all windows."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.bookings.rules.bookings import CARS_MOST
from fuel_app.bookings.rules.estimates import Line
from fuel_app.bookings.rules.slots import CUTOFF_TEXT, FULL, SlotDay, SlotOffer
from fuel_app.bookings.state.cards import Choice
from fuel_app.bookings.state.slots import SOON, HeldSlot, PricedSlots, Slots
from fuel_app.bookings.state.waiting import WaitingSlots
from fuel_app.kit.ui.button import busy_button, line_button, submit_button
from fuel_app.kit.ui.cards import alert, panel
from fuel_app.kit.ui.fields import tick
from fuel_app.kit.ui.forms import agreed_to
from fuel_app.kit.ui.frame import phone_link
from fuel_app.kit.ui.wizard import back_link

CHOICE = (
    "cursor-pointer rounded-control border border-[#8FA3AB] bg-surface text-ink hover:border-muted "
    "has-[:checked]:border-gulf has-[:checked]:bg-seafoam has-[:checked]:ring-1 "
    "has-[:checked]:ring-gulf has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-gulf"
)
_CLOSED = (
    "has-[:disabled]:cursor-not-allowed has-[:disabled]:border-line has-[:disabled]:bg-sand "
    "has-[:disabled]:text-muted"
)


def slot_strip(
    state: type[Slots], beside: Callable[[rx.Var[SlotOffer]], rx.Component] | None = None
) -> rx.Component:
    """Return the two groups of radio buttons; what is full or closed says so.

    Args:
        beside: What stands below a window.
    """

    def slot_of(slot: rx.Var[SlotOffer]) -> rx.Component:
        return _slot(state, slot, beside(slot)) if beside else _slot(state, slot)

    return rx.el.div(
        rx.el.fieldset(
            rx.el.legend("Day", class_name="sr-only"),
            rx.el.div(
                rx.foreach(state.days, lambda day: _day(state, day)),
                class_name="-mx-1 flex gap-2 overflow-x-auto px-1 pb-2 pt-1",
            ),
            class_name="min-w-0",
        ),
        rx.foreach(
            state.days,
            lambda day: rx.cond(
                state.day == day.id,
                rx.el.fieldset(
                    rx.el.legend(day.name, class_name="mb-2 text-base font-bold text-ink"),
                    rx.el.div(
                        rx.foreach(day.slots, slot_of),
                        class_name="grid gap-2 sm:grid-cols-3 sm:gap-3",
                    ),
                    key=day.id,
                ),
            ),
        ),
        rx.cond(
            state.days.length() == 0,
            rx.el.p("No times are open just now.", class_name="text-base text-muted"),
        ),
        class_name="flex flex-col gap-4",
    )


def _day(state: type[Slots], day: rx.Var[SlotDay]) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="day",
            value=day.id,
            checked=state.day == day.id,
            on_change=state.choose_day(day.id),
            class_name="absolute inset-0 h-full w-full cursor-pointer opacity-0",
        ),
        rx.el.span(day.weekday, class_name="text-sm font-semibold"),
        rx.el.span(day.date, class_name="text-sm tabular-nums whitespace-nowrap"),
        rx.cond(~day.is_open, rx.el.span("Full", class_name="text-xs text-muted")),
        key=day.id,
        class_name="relative flex min-h-14 min-w-16 shrink-0 flex-col items-center justify-center "
        "max-sm:min-w-22 "  # so that one is cut: there are more
        f"px-3 {CHOICE}",
    )


def _slot(
    state: type[Slots], slot: rx.Var[SlotOffer], below: rx.Component | None = None
) -> rx.Component:
    choice = rx.el.label(
        rx.el.input(
            type="radio",
            name="slot",
            value=slot.id,
            checked=state.slot == slot.id,
            disabled=~slot.is_open,
            on_change=state.choose_slot(slot.id),
            class_name="h-5 w-5 shrink-0 accent-gulf scroll-mb-40",
        ),
        rx.el.span(
            rx.el.span(slot.time, class_name="block tabular-nums"),
            rx.cond(
                slot.note != "",
                rx.el.span(slot.note, class_name="block text-sm font-semibold text-[#6B4700]"),
            ),
        ),
        key=slot.id,
        class_name=f"flex min-h-12 items-center gap-3 px-3 py-2 text-base sm:text-sm {CHOICE} "
        f"{_CLOSED}",
    )
    return choice if below is None else rx.el.div(choice, below, key=slot.id)


def wait_button(state: type[WaitingSlots], slot: rx.Var[SlotOffer]) -> rx.Component:
    """Return the button by which a customer waits for a full window, or leaves again."""
    return rx.cond(
        state.waits_for.contains(slot.id) & (state.held_slot != slot.id),
        line_button(
            "You are on the waiting list · Leave", slot.when, on_click=state.leave_wait(slot.id)
        ),
        rx.cond(
            state.may_wait & (slot.note == FULL),
            line_button("Tell me if a place opens", slot.when, on_click=state.wait_for(slot.id)),
        ),
    )


PROMISE = "You pay the lower of today's price and that day's."


def car_ticks(state: Any) -> rx.Component:
    """Return the customer's cars to tick: one visit fills several."""

    def card(option: rx.Var[Choice]) -> rx.Component:
        is_chosen = state.vehicle_ids.contains(option.id)
        box = tick(
            name="vehicle",
            value=option.id,
            checked=is_chosen,
            disabled=~is_chosen & ~state.may_add,
            on_change=lambda ticked: state.choose_vehicle(option.id, ticked),
        )
        return choice_card(option, box)

    return rx.el.fieldset(
        rx.el.legend("Vehicles", class_name="sr-only"),
        rx.foreach(state.vehicles, card),
        rx.cond(
            state.vehicles.length() > 1,
            rx.el.p(
                f"Tick every car that stands there: one visit fills up to {CARS_MOST}.",
                class_name="text-base text-muted",
            ),
        ),
        class_name="flex min-w-0 flex-col gap-3",
    )


def choice_card(option: rx.Var[Choice], control: rx.Component) -> rx.Component:
    """Return a card with its checkbox or radio button."""
    return rx.el.label(
        control,
        rx.el.span(
            rx.el.span(option.title, class_name="block text-base font-bold text-ink"),
            rx.el.span(option.details, class_name="block text-base text-muted"),
            class_name="min-w-0 wrap-anywhere",
        ),
        key=option.id,
        class_name=f"flex min-h-16 items-center gap-4 p-4 {CHOICE}",
    )


def refusal(state: type[PricedSlots]) -> rx.Component:
    """Return why something was refused, with a link to what can be done next."""
    return rx.el.div(
        alert(state.refusal),
        rx.cond(
            (state.refusal != "") & (state.way != ""),
            rx.el.a(state.way, href=state.way_to, class_name="link mb-3 inline-flex min-h-11"),
        ),
    )


def summary(state: type[PricedSlots]) -> rx.Component:
    """Return vehicle, place and window, and each part of the price."""
    return panel(
        "Your fill-up",
        rx.el.ul(
            rx.el.li(state.car_name),
            rx.el.li(state.location_name),
            rx.el.li(state.window),
            aria_label="Your fill-up",
            class_name="mt-1 text-base text-ink wrap-anywhere",
        ),
        price_parts(state),
    )


def price_parts(state: type[PricedSlots]) -> rx.Component:
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
                f". Cancelling later than {CUTOFF_TEXT} before the window costs ",
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


def _spent_note(price: Any) -> rx.Component:
    """Return why a customer of a plan pays the fee, with the way to a plan that covers it."""
    return rx.cond(
        price.spent_note != "",
        rx.el.p(
            price.spent_note,
            " ",
            rx.cond(
                price.larger_plan != "",
                rx.el.a(
                    f"The {price.larger_plan} would cover it.",
                    href=routes.BILLING,
                    class_name="link",
                ),
            ),
            class_name="mt-1 text-pretty font-semibold text-ink",
        ),
    )


def _part(line: rx.Var[Line]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(line.label),
        rx.el.dd(line.amount, class_name="shrink-0 text-right tabular-nums max-w-[55%]"),
        class_name="flex justify-between gap-3",
    )


def time_step(
    state: Any,
    *,
    back: str,
    act: rx.Component,
    beside: Callable[[rx.Var[SlotOffer]], rx.Component] | None = None,
) -> rx.Component:
    """Return the windows and what is booked; `act` is the button beside the one that leads back."""
    return rx.el.form(
        slot_strip(state, beside),
        rx.el.div(summary(state), class_name="mt-6"),
        _bar(state, back_link(back), act),
        on_submit=state.schedule,
    )


def _bar(state: type[PricedSlots], back: rx.Component, act: rx.Component) -> rx.Component:
    """Return the bar at the foot of the screen: low, so that a phone shows the windows above it."""
    return rx.el.div(
        refusal(state),
        rx.el.div(
            rx.el.p(state.car_name, " · ", state.location_name, class_name="truncate text-muted"),
            rx.el.p(
                rx.el.span(state.when),
                rx.el.span(state.price.total, class_name="shrink-0 text-base tabular-nums"),
                class_name="flex items-baseline justify-between gap-3 font-bold text-ink",
            ),
            rx.el.p(state.price.brief, class_name="tabular-nums text-muted"),
            free_fill_note(state.price.free_note),
            _spent_note(state.price),
            class_name="text-sm",
        ),
        rx.el.div(back, act, class_name="mt-2 flex items-center justify-between gap-3"),
        class_name="bar-at-the-foot sticky bottom-0 z-20 -mx-4 mt-6 max-h-[70dvh] "
        "overflow-y-auto border-t border-line bg-surface px-4 py-3 "
        "shadow-[0_-6px_20px_rgba(11,37,48,0.08)] sm:mx-0 sm:rounded-t-card sm:border-x",
    )


def add_card(state: type[HeldSlot]) -> rx.Component:
    """Return the button that leads to the provider's page, and what it does meanwhile."""
    return busy_button(
        "Add a card",
        busy=state.busy,
        busy_text="Opening...",
        on_click=state.add_card,
        class_name="w-full sm:w-auto",
    )


def kept_until(state: type[HeldSlot]) -> rx.Component:
    """Return until when the window is kept: calm, red in the last minute."""
    until = f"We keep this time for you until {state.held_until}."
    return rx.cond(
        state.hold == SOON,
        rx.el.p(until, class_name="text-base font-semibold text-danger"),
        rx.el.p(until, class_name="text-base text-muted"),
    )


def book_button(text: Any, state: type[PricedSlots], **props: Any) -> rx.Component:
    return rx.fragment(
        agreed_to(state.price.total),
        submit_button(
            text, busy=state.busy, busy_text="Booking...", class_name="w-full sm:w-auto", **props
        ),
    )
