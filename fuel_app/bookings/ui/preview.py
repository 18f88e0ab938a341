"""Form fields for choosing a slot, grouped by day."""

from typing import Any

import reflex as rx

from fuel_app.bookings.rules.slots import SlotDay, SlotOffer
from fuel_app.bookings.state.slots import Slots
from fuel_app.kit.ui.wizard import back_link, step_buttons


def slot_picker(state: Any, *, back: str) -> rx.Component:
    """Return the step. All days are one radio group, so the arrow keys cross from day to day."""
    return rx.el.form(
        rx.el.fieldset(
            rx.el.legend("Available times", class_name="sr-only"),
            rx.foreach(state.days, lambda day, number: _day(state, day, number)),
            rx.cond(
                state.days.length() == 0,
                rx.el.p("No times are open just now.", class_name="text-base text-muted"),
            ),
            class_name="flex flex-col gap-6",
        ),
        step_buttons(back_link(back), "Schedule Service"),
        on_submit=state.schedule,
        no_validate=True,
    )


def _day(state: type[Slots], day: rx.Var[SlotDay], number: rx.Var[int]) -> rx.Component:
    heading = f"slots-{number}"
    return rx.el.div(
        rx.el.h2(day.name, id=heading, class_name="mb-2 text-base font-bold text-ink"),
        rx.el.div(
            rx.foreach(day.slots, lambda slot: _slot(state, slot)),
            class_name="grid gap-3 sm:grid-cols-3",
        ),
        role="group",
        aria_labelledby=heading,
    )


def _slot(state: type[Slots], slot: rx.Var[SlotOffer]) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="slot",
            value=slot.id,
            default_checked=state.slot == slot.id,
            on_change=state.choose_slot(slot.id),
            class_name="h-5 w-5 shrink-0 accent-gulf",
        ),
        rx.el.span(slot.time, class_name="tabular-nums"),
        class_name="flex min-h-12 cursor-pointer items-center gap-3 rounded-control border "
        "border-[#8FA3AB] bg-surface px-3 text-base text-ink hover:border-muted "
        "has-[:checked]:border-gulf has-[:checked]:bg-seafoam has-[:checked]:font-semibold "
        "sm:text-sm",
    )
