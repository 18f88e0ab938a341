"""The dialog of whose cars are due near the stops of the board's day."""

import reflex as rx

from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.due_near import DueNearState, NearLine
from fuel_app.forecasts.rules.near_stops import MOST
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import TEXT, alert
from fuel_app.kit.ui.dialog import dialog


def due_near_dialog() -> rx.Component:
    return dialog(
        alert(DueNearState.error),
        rx.el.p(
            rx.cond(DueNearState.loading, "Looking for cars...", DueNearState.note),
            role="status",
            class_name=rx.cond(DueNearState.loading, "sr-only", f"{TEXT} empty:hidden"),
        ),
        rx.cond(
            DueNearState.loading,
            rx.el.div(class_name="skeleton h-40 rounded-card", aria_hidden=True),
            rx.el.ul(
                rx.foreach(DueNearState.rows, _line),
                aria_label="Due near this route",
                class_name="divide-y divide-line empty:hidden",
            ),
        ),
        title="Due within 3 days near this route",
        description=f"{BoardState.title}. Not booked yet, the nearest first, {MOST} at most. "
        "Distances are straight lines to the nearest stop that is left.",
        open=DueNearState.opened,
        on_open_change=DueNearState.close,
        width="sm:max-w-xl",
    )


def _line(line: rx.Var[NearLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.a(line.customer, href=line.link, class_name="link py-2.5 font-semibold"),
            rx.el.p(line.car, class_name="text-base text-ink"),
            rx.el.p(line.when, class_name="text-base text-ink"),
            rx.el.p(line.distance, class_name=TEXT),
            class_name="min-w-0 flex-1 basis-56 wrap-anywhere",
        ),
        link_button(
            "Book",
            rx.el.span(f" for {line.customer}, {line.car}", class_name="sr-only"),
            href=line.desk,
            kind="secondary",
        ),
        key=line.id,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-3",
    )
