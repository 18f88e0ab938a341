"""The head of the board: the day, its state, and what is done with the whole of it."""

from typing import Any

import reflex as rx

from fuel_app.accounts.state.undo import UndoState
from fuel_app.dispatch.state.board.board import BoardState
from fuel_app.dispatch.state.board.hold import HoldState
from fuel_app.dispatch.state.shifts import ShiftsState
from fuel_app.dispatch.ui.board.parts import RED, SR, is_over, small_button
from fuel_app.dispatch.ui.questions import questions_link
from fuel_app.kit.ui.button import busy_button, button, icon_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, card
from fuel_app.kit.ui.fields import CONTROL
from fuel_app.kit.ui.script import TITLE

_ROW = "flex flex-wrap items-center gap-2"


def head() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h1("Dispatch", class_name=TITLE),
            rx.cond(
                BoardState.status != "",
                badge(
                    BoardState.status, rx.cond(BoardState.status == "Published", "green", "grey")
                ),
            ),
            rx.el.p(BoardState.title, class_name=TEXT),
            questions_link(),
            class_name="flex flex-wrap items-center gap-x-3 gap-y-1",
        ),
        rx.el.div(
            _days(),
            rx.el.div(
                busy_button(
                    "Plan the day",
                    busy=BoardState.busy == "plan",
                    busy_text="Planning...",
                    on_click=BoardState.plan,
                    disabled=(BoardState.busy != "") | is_over(),
                ),
                busy_button(
                    "Publish",
                    busy=BoardState.busy == "publish",
                    busy_text="Publishing...",
                    kind="secondary",
                    on_click=BoardState.publish,
                    disabled=(BoardState.busy != "") | is_over() | (BoardState.status != "Open"),
                ),
                _secondary("Shifts", ShiftsState.open(BoardState.day)),
                _secondary("Weather hold", HoldState.open, disabled=is_over()),
                class_name="grid grid-cols-2 gap-2 max-sm:w-full sm:flex",
            ),
            class_name=f"{_ROW} justify-between gap-y-3",
        ),
        _last_change(),
        alert(rx.cond(BoardState.failed, "The board cannot be read just now.", "")),
        rx.el.div(
            _red("user-x", BoardState.left),
            _red("clock-alert", BoardState.late),
            rx.foreach(
                BoardState.warnings,
                lambda text: rx.el.p(
                    rx.icon("info", size=18, aria_hidden=True, class_name="mt-0.5 shrink-0"),
                    rx.el.span(text),
                    class_name="flex gap-2 rounded-control bg-seafoam px-3 py-2 text-base text-ink",
                ),
            ),
            role="status",
            class_name="flex flex-col gap-2 empty:hidden",
        ),
        class_name="mb-4 flex flex-col gap-3",
    )


def _red(icon: str, text: Any) -> rx.Component:
    """Say in red what a dispatcher must mend of some routes, if there is anything."""
    return rx.cond(
        text != "",
        rx.el.p(
            rx.icon(icon, size=18, aria_hidden=True, class_name="mt-0.5 shrink-0"),
            rx.el.span(text),
            class_name=f"flex gap-2 rounded-control px-3 py-2 text-base {RED}",
        ),
    )


def _last_change() -> rx.Component:
    """Keep Undo in sight until the next change."""
    return rx.cond(
        (UndoState.action_id != "")
        & (UndoState.board_day == BoardState.day)
        & ~UndoState.is_offered
        & ~is_over(),
        rx.el.p(
            UndoState.text,
            small_button("Undo", UndoState.text, UndoState.undo(UndoState.action_id)),
            class_name=f"flex flex-wrap items-center gap-x-2 {TEXT}",
        ),
    )


def _days() -> rx.Component:
    return rx.el.div(
        icon_button(
            "chevron-left", "Previous day", on_click=BoardState.show_day(BoardState.before)
        ),
        rx.el.label("Day", html_for="board-day", class_name=SR),
        rx.el.input(
            id="board-day",
            type="date",
            default_value=BoardState.day,
            key=BoardState.day,
            on_change=BoardState.show_day,
            class_name=f"{CONTROL} max-w-40 shrink",
        ),
        icon_button("chevron-right", "Next day", on_click=BoardState.show_day(BoardState.after)),
        rx.cond(
            BoardState.day != BoardState.today,
            _secondary("Today", BoardState.show_day(BoardState.today)),
        ),
        class_name="flex min-w-0 items-center gap-1",
    )


def _secondary(text: str, event: Any, **props: Any) -> rx.Component:
    return button(text, kind="secondary", on_click=event, class_name="max-sm:px-3", **props)


def no_shifts() -> rx.Component:
    """Say that no truck is on shift."""
    return card(
        rx.el.h2("No truck is on shift this day", class_name="text-lg font-bold text-ink"),
        rx.el.p(
            "A shift is a truck with its technician and their hours. Routes are planned for them.",
            class_name=f"mb-4 mt-1 {TEXT}",
        ),
        button("Add a shift", on_click=ShiftsState.open(BoardState.day)),
    )
