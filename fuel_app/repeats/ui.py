"""Repeats: starting one from a booking, and one's own with what can be done with them."""

import reflex as rx

from fuel_app.kit.ui.button import button, line_button
from fuel_app.kit.ui.cards import GAP, H2, TEXT, alert, card
from fuel_app.repeats.rules import TERMS, WEEKS, label
from fuel_app.repeats.state import RepeatLine, RepeatState


def repeat_card() -> rx.Component:
    """Return what repeats the booking of the page, or the repeat of its cars."""
    return rx.cond(
        RepeatState.may_start | (RepeatState.lines.length() > 0),
        card(
            rx.el.h2("Repeat", class_name=H2),
            alert(RepeatState.error),
            rx.cond(
                RepeatState.other != "",
                rx.el.a("See that repeat", href=RepeatState.other, class_name="link"),
            ),
            rx.cond(
                RepeatState.may_start,
                rx.fragment(
                    rx.el.p(TERMS, class_name=f"mb-3 mt-1 text-pretty {TEXT}"),
                    rx.el.div(
                        *[
                            button(
                                label(weeks),
                                kind="secondary",
                                on_click=RepeatState.start(weeks),
                            )
                            for weeks in WEEKS
                        ],
                        class_name="flex flex-wrap gap-3 max-sm:[&>button]:w-full",
                    ),
                ),
                _lines(),
            ),
            class_name=GAP,
        ),
    )


def own_repeats() -> rx.Component:
    """Return all repeats of the customer; nothing where there is none."""
    return rx.cond(
        RepeatState.lines.length() > 0,
        card(rx.el.h2("Repeats", class_name=H2), _lines(), class_name=GAP),
    )


def _lines() -> rx.Component:
    return rx.el.ul(rx.foreach(RepeatState.lines, _line), class_name="mt-2 divide-y divide-line")


def _line(line: rx.Var[RepeatLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.h3(
                rx.el.a(line.title, href=line.href, class_name="link"),
                class_name="text-base font-semibold",
            ),
            rx.el.p(line.cars, class_name="text-base text-ink"),
            rx.el.p(line.status, class_name=TEXT),
            class_name="min-w-0 grow basis-56 break-words",
        ),
        rx.el.div(
            rx.cond(  # one button for React: it keeps the focus
                line.is_paused,
                line_button("Resume", line.title, on_click=RepeatState.resume(line.id)),
                line_button("Pause", line.title, on_click=RepeatState.pause(line.id)),
            ),
            line_button("End", line.title, on_click=RepeatState.end(line.id)),
            class_name="flex flex-wrap gap-1 max-sm:-ml-3",
        ),
        key=line.id,
        class_name="flex flex-wrap items-center justify-between gap-x-4 py-3",
    )
