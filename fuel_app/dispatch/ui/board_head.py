"""The head of the dispatch board: the day, what is done with it, what is wrong, and the search."""

from typing import Any

import reflex as rx

from fuel_app.accounts.state.screens import UndoState
from fuel_app.dispatch.state.board import ONLY, BoardState
from fuel_app.dispatch.state.cards import PLAN, PUBLISH
from fuel_app.dispatch.state.dialogs import MovingState, PublishState, WeatherHoldState
from fuel_app.dispatch.state.due_near import DueNearState
from fuel_app.dispatch.state.trucks import ShiftsState
from fuel_app.dispatch.ui.board import RED, SMALL, SR, is_over
from fuel_app.dispatch.ui.questions import questions_link
from fuel_app.kit.ui.button import busy_button, button, icon_button
from fuel_app.kit.ui.cards import TEXT, alert, badge
from fuel_app.kit.ui.fields import CONTROL

_AMBER = "bg-[#FFF0CC] text-[#6B4700]"
_SMALL = "max-sm:px-3 sm:px-3"


def board_head() -> rx.Component:
    """Render it as high whatever is said: nothing below it moves."""
    return rx.el.div(
        rx.el.div(
            rx.el.h1("Dispatch", class_name="text-2xl font-bold text-ink max-sm:sr-only"),
            _days(),
            rx.el.div(
                _actions(),
                class_name="flex gap-2 max-sm:-m-1 max-sm:w-[calc(100%+0.5rem)] "
                "max-sm:overflow-x-auto max-sm:p-1 max-sm:*:shrink-0 sm:ml-auto sm:flex-wrap",
            ),
            class_name="flex flex-wrap items-center gap-x-3 gap-y-2 max-lg:sticky max-lg:top-0 "
            "max-lg:z-20 max-lg:-mx-4 max-lg:bg-sand max-lg:px-4 max-lg:py-2",
        ),
        rx.el.div(
            rx.cond(
                BoardState.status != "",
                badge(
                    BoardState.status, rx.cond(BoardState.status == "Published", "green", "grey")
                ),
            ),
            rx.cond(
                MovingState.held != "",
                rx.el.p(
                    f"Moving {MovingState.name}: choose a place. Escape cancels.",
                    class_name="min-w-0 truncate text-base font-semibold text-gulf-deep",
                ),
                rx.el.p(BoardState.title, class_name=f"min-w-0 truncate {TEXT}"),
            ),
            rx.cond(
                BoardState.day != BoardState.today,
                rx.el.button(
                    "Today",
                    type="button",
                    on_click=BoardState.show_day(BoardState.today),
                    class_name=SMALL,
                ),
            ),
            _counts(),
            questions_link(),
            rx.el.div(
                rx.cond(
                    BoardState.found_count >= 0,
                    rx.el.p(
                        rx.cond(
                            BoardState.found_count > 0,
                            f"{BoardState.found_count} found",
                            "No stop matches",
                        ),
                        role="status",
                        class_name="whitespace-nowrap text-sm text-muted",
                    ),
                ),
                _search(),
                _only(),
                class_name="flex items-center gap-2 max-sm:w-full sm:ml-auto",
            ),
            class_name="flex flex-wrap items-center gap-x-3 gap-y-2 max-lg:mb-3 sm:min-h-11 "
            "lg:flex-nowrap",
        ),
        alert(rx.cond(BoardState.failed, "The board cannot be read just now.", "")),
        # On small screens the first row sticks to the top of the whole board.
        class_name="mb-3 flex flex-col gap-2 max-lg:contents",
    )


def _actions() -> rx.Component:
    return rx.fragment(
        busy_button(
            "Plan the day",
            busy=BoardState.busy == "plan",
            busy_text=BoardState.progress,
            kind=BoardState.next_step == PLAN,
            on_click=BoardState.plan,
            disabled=(BoardState.busy != "") | is_over(),
            class_name=f"tabular-nums {_SMALL}",
        ),
        rx.cond(
            BoardState.busy == "plan",
            _secondary("Cancel", BoardState.stop_plan, disabled=BoardState.is_stopping),
        ),
        busy_button(
            rx.cond(
                BoardState.status == "Published",
                "Unpublish",
                rx.cond(
                    (BoardState.status == "Open") & (BoardState.notified_by_publishing > 0),
                    f"Publish, tell {BoardState.notified_by_publishing}",
                    "Publish",
                ),
            ),
            busy=(BoardState.busy == "publish") | (BoardState.busy == "unpublish"),
            busy_text=rx.cond(BoardState.busy == "publish", "Publishing...", "Unpublishing..."),
            kind=BoardState.next_step == PUBLISH,
            on_click=PublishState.ask,
            disabled=(BoardState.busy != "") | is_over() | BoardState.has_begun,
            title=rx.cond(BoardState.has_begun, "A technician has set off already.", ""),
            class_name=_SMALL,
        ),
        _secondary("Shifts", ShiftsState.open(BoardState.day)),
        _secondary("Weather hold", WeatherHoldState.open, disabled=is_over()),
        _secondary("Due nearby", DueNearState.open, disabled=is_over()),
        _last_change(),
    )


def _last_change() -> rx.Component:
    """Keep Undo in its place, also when the offer at the foot is gone."""
    can_be = (
        (UndoState.action_id != "")
        & (UndoState.board_day == BoardState.day)
        & ~UndoState.is_offered
        & ~is_over()
    )
    text = rx.cond(can_be, f"Undo: {UndoState.text}", "Undo the last change")
    return button(
        rx.icon("undo-2", size=20, aria_hidden=True),
        rx.el.span("Undo", aria_hidden=True, class_name="sm:sr-only"),
        kind="secondary",
        on_click=UndoState.undo(UndoState.action_id),
        disabled=~can_be | UndoState.busy,
        aria_label=text,
        title=text,
        class_name=_SMALL,
    )


_CHIP = (
    "inline-flex min-h-9 max-md:min-h-11 cursor-pointer items-center gap-1.5 rounded-full px-3 "
    "text-sm font-semibold tabular-nums aria-pressed:ring-2 aria-pressed:ring-ink"
)


def _counts() -> rx.Component:
    """Render what is wrong with the day; each number shows its stops alone."""
    unserved = BoardState.unassigned.length()
    return rx.el.div(
        _chip("late", "clock-alert", f"{BoardState.late_count} late", BoardState.late_count, RED),
        _chip(
            "unserved",
            "circle-help",
            f"{unserved} unassigned",
            unserved,
            rx.cond(BoardState.status == "Published", RED, _AMBER),
        ),
        _chip(
            "moved_pin",
            "map-pin",
            rx.cond(BoardState.pin_count == 1, "1 pin moved", f"{BoardState.pin_count} pins moved"),
            BoardState.pin_count,
            _AMBER,
        ),
        _chip(
            "unsent",
            "mail-warning",
            f"{BoardState.unsent_count} unsent",
            BoardState.unsent_count,
            RED,
        ),
        rx.cond(
            (BoardState.left != "") | (BoardState.warnings.length() > 0),
            rx.el.details(
                rx.el.summary(
                    rx.icon("info", size=16, aria_hidden=True),
                    "Notes",
                    class_name=rx.cond(
                        BoardState.left != "", f"{_CHIP} {RED}", f"{_CHIP} bg-seafoam text-ink"
                    ),
                ),
                rx.el.div(
                    _note(BoardState.left),
                    _note(BoardState.late),
                    rx.foreach(BoardState.warnings, _note),
                    class_name="absolute left-0 top-full z-30 mt-1 flex w-96 max-w-[90vw] flex-col "
                    "gap-2 rounded-card border border-line bg-surface p-4 shadow-2xl",
                ),
                class_name="relative",
            ),
        ),
        # Heard, and not in the way of the work.
        rx.el.div(
            _note(BoardState.left),
            _note(BoardState.late),
            rx.foreach(BoardState.warnings, _note),
            role="status",
            class_name=SR,
        ),
        class_name="flex shrink-0 flex-wrap items-center gap-2",
    )


def _chip(only: str, icon: str, text: Any, count: Any, look: Any) -> rx.Component:
    return rx.cond(
        count > 0,
        rx.el.button(
            rx.icon(icon, size=16, aria_hidden=True),
            text,
            type="button",
            aria_pressed=BoardState.only == only,
            on_click=BoardState.show_only(only),
            class_name=f"{_CHIP} {look}",
        ),
    )


def _note(text: Any) -> rx.Component:
    return rx.cond(text != "", rx.el.p(text, class_name="text-base text-ink"))


def _search() -> rx.Component:
    return rx.el.div(
        rx.el.label("Search by name, plate or street", html_for="board-search", class_name=SR),
        rx.icon(
            "search",
            size=18,
            aria_hidden=True,
            class_name="pointer-events-none absolute left-3 top-1/2 -translate-y-1/2 text-muted",
        ),
        rx.el.input(
            id="board-search",
            key=BoardState.day,
            type="search",
            placeholder="Name, plate, street",
            max_length=100,
            auto_complete="off",
            spell_check=False,
            on_change=BoardState.search.debounce(250),
            class_name=f"{CONTROL} pl-10",
        ),
        class_name="relative min-w-0 sm:w-56 max-sm:flex-1",
    )


def _only() -> rx.Component:
    return rx.el.div(
        rx.el.label("Stops to show", html_for="board-only", class_name=SR),
        rx.el.select(
            rx.el.option("All stops", value=""),
            *[rx.el.option(text, value=name) for name, (text, _) in ONLY.items()],
            id="board-only",
            value=BoardState.only,
            on_change=BoardState.show_only,
            class_name=f"{CONTROL} pl-2",
        ),
        class_name="w-36 shrink-0",
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
        class_name="flex min-w-0 items-center gap-1",
    )


def _secondary(text: str, event: Any, **props: Any) -> rx.Component:
    return button(text, kind="secondary", on_click=event, class_name=_SMALL, **props)
