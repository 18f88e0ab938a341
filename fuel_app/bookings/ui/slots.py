"""Choosing a window: a strip of days with the windows of the picked one; the preview lists all."""

from typing import Any

import reflex as rx

from fuel_app.bookings.rules.slots import SlotDay, SlotOffer
from fuel_app.bookings.state.slots import Slots
from fuel_app.kit.ui.wizard import back_link, step_buttons

CHOICE = (
    "cursor-pointer rounded-control border border-[#8FA3AB] bg-surface text-ink hover:border-muted "
    "has-[:checked]:border-gulf has-[:checked]:bg-seafoam has-[:checked]:ring-1 "
    "has-[:checked]:ring-gulf has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-gulf"
)
_CLOSED = (
    "has-[:disabled]:cursor-not-allowed has-[:disabled]:border-line has-[:disabled]:bg-sand "
    "has-[:disabled]:text-muted"
)


def slot_strip(state: type[Slots]) -> rx.Component:
    """Return the two groups of radio buttons; what is full or closed says so."""
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
                        rx.foreach(day.slots, lambda slot: _slot(state, slot)),
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
        f"px-3 {CHOICE}",
    )


def _slot(state: type[Slots], slot: rx.Var[SlotOffer]) -> rx.Component:
    return rx.el.label(
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


def slot_picker(state: Any, *, back: str) -> rx.Component:
    """Return the preview's step. All days are one radio group: arrow keys cross from day to day."""
    return rx.el.form(
        rx.el.fieldset(
            rx.el.legend("Available times", class_name="sr-only"),
            rx.foreach(state.days, lambda day, number: _preview_day(state, day, number)),
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


def _preview_day(state: type[Slots], day: rx.Var[SlotDay], number: rx.Var[int]) -> rx.Component:
    heading = f"slots-{number}"
    return rx.el.div(
        rx.el.h2(day.name, id=heading, class_name="mb-2 text-base font-bold text-ink"),
        rx.el.div(
            rx.foreach(day.slots, lambda slot: _preview_slot(state, slot)),
            class_name="grid gap-3 sm:grid-cols-3",
        ),
        role="group",
        aria_labelledby=heading,
    )


def _preview_slot(state: type[Slots], slot: rx.Var[SlotOffer]) -> rx.Component:
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
