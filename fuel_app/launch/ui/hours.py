"""The hours of an area: its week as a table, days that differ, and the question about bookings."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.areas.rules.hours import CLOSES, OPENS, REASON_MAX, WINDOWS_MAX
from fuel_app.kit.clock import hour_of_day
from fuel_app.kit.ui.button import button, line_button, submit_button
from fuel_app.kit.ui.cards import H2, TEXT, card
from fuel_app.kit.ui.fields import CONTROL, bound, error_text, field, field_id, select_field
from fuel_app.kit.ui.forms import edition_of, form_dialog, live_form, send_button
from fuel_app.kit.ui.script import Script, alert_in_view
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.launch.state.hours import (
    DAY,
    HOURS_FORM,
    QUESTION,
    WEEK_FORM,
    DayLine,
    HoursState,
    WeekdayRow,
    WeekState,
    WindowCell,
    WindowColumn,
)
from fuel_app.launch.ui.booked import answer_button, booked


def area_hours() -> rx.Component:
    """Render the hours of the area that was chosen."""
    error = rx.cond(HoursState.opened, "", HoursState.error)
    panel = rx.cond(HoursState.area != "", _panel())
    return rx.fragment(panel, alert_in_view(error, class_name="mt-4"), _hours_dialog())


def _panel() -> rx.Component:
    return card(
        rx.el.h3("Hours of ", HoursState.area, id=HOURS_FORM, tab_index=-1, class_name=H2),
        rx.el.p(
            "How many fills each window takes at most, in New York time; an empty one is closed. "
            "Below it what is booked there the next time.",
            class_name=f"mb-4 mt-0.5 max-w-[68ch] {TEXT}",
        ),
        _week(),
        rx.el.h4("Days that differ", class_name=f"mt-8 {H2}"),
        stacked_table(
            HoursState.days,
            (
                Column("Day", lambda line: line.text),
                Column("Window", lambda line: line.window),
                Column("Capacity", lambda line: line.capacity),
                Column("Booked", lambda line: line.booked, number=True),
                Column("Reason", lambda line: line.reason),
                Column("Change", _remove),
            ),
            caption="Days that differ",
            loading=False,
            empty_text="Every day is as on its weekday.",
        ),
        button("Close or change a day", kind="secondary", on_click=HoursState.begin_day),
    )


class _GridKeys(Script):
    tag = "GridKeys"
    FILE = "grid_keys.js"
    first_wrong: rx.Var[str]


def _week() -> rx.Component:
    """Return the table of weekdays and windows; on a phone a list of windows for each weekday."""
    state = WeekState
    table = rx.el.table(
        rx.el.caption("Fills at most by weekday and window", class_name="sr-only"),
        rx.el.thead(
            rx.el.tr(
                rx.el.th(
                    rx.el.span("Weekday", class_name="sr-only"),
                    scope="col",
                    role="columnheader",
                    class_name="max-sm:sr-only",
                ),
                rx.foreach(state.columns, _window_head),
                role="row",
                class_name="max-sm:block",
            ),
            role="rowgroup",
            class_name="max-sm:block",
        ),
        rx.el.tbody(rx.foreach(state.rows, _weekday), role="rowgroup", class_name="max-sm:block"),
        role="table",
        class_name="border-collapse text-left text-base max-sm:block max-sm:w-full",
    )
    return live_form(
        rx.el.div(
            table, _GridKeys.create(first_wrong=state.first_wrong), class_name="overflow-x-auto"
        ),
        edition_of(state),
        alert_in_view(state.error, class_name="mt-3"),
        rx.el.div(
            button(
                rx.icon("plus", size=18, aria_hidden=True),
                "Add a window",
                kind="quiet",
                on_click=state.add_window,
                disabled=state.columns.length() >= WINDOWS_MAX,
            ),
            rx.cond(
                state.is_changed,
                button("Discard changes", kind="secondary", on_click=state.discard),
            ),
            submit_button("Save week", busy=state.busy, busy_text="Saving..."),
            class_name="mt-4 flex flex-wrap items-center gap-3",
        ),
        on_edit=state.edit,
        on_submit=state.submit,
        id=f"{WEEK_FORM}-form",
    )


_SELECT = f"{CONTROL} min-w-24 pl-2 pr-1"


def _window_head(column: rx.Var[WindowColumn]) -> rx.Component:
    """Return the head of a window: its hours, and the button that deletes it."""
    errors = WeekState.errors
    return rx.el.th(
        rx.el.span(column.text, class_name="sr-only"),
        rx.el.div(
            _hour(column, OPENS, "from", range(24)),
            rx.el.span("to", aria_hidden=True, class_name="text-sm font-normal text-muted"),
            _hour(column, CLOSES, "to", range(1, 25)),
            rx.el.button(
                rx.icon("trash-2", size=18, aria_hidden=True),
                type="button",
                title="Delete this window",
                aria_label=f"Delete {column.text}",
                on_click=WeekState.remove_window(column.id),
                class_name="inline-flex h-11 w-11 shrink-0 cursor-pointer items-center "
                "justify-center rounded-control text-muted hover:bg-seafoam "
                "hover:text-gulf-deep",
            ),
            class_name="flex items-center gap-1 sm:flex-col sm:items-start",
        ),
        # No live region, which would leave the head of the table open under a dialog.
        rx.el.p(
            rx.cond(
                errors.get(f"{OPENS}-{column.id}", "") != "",
                errors.get(f"{OPENS}-{column.id}", ""),
                errors.get(f"{CLOSES}-{column.id}", ""),
            ),
            id=f"{WEEK_FORM}-window-{column.id}",
            class_name="mt-1 text-sm font-medium text-danger empty:mt-0",
        ),
        scope="col",
        role="columnheader",
        key=column.id,
        class_name="px-1 pb-2 align-bottom max-sm:block max-sm:px-0",
    )


def _hour(column: rx.Var[WindowColumn], kind: str, word: str, hours: range) -> rx.Component:
    name, value = f"{kind}-{column.id}", column.opens if kind == OPENS else column.closes
    error = WeekState.errors.get(name, "")
    return rx.el.select(
        rx.el.option("Hour", value=""),
        *[rx.el.option(hour_of_day(hour), value=str(hour)) for hour in hours],
        id=field_id(WEEK_FORM, name),
        name=name,
        key=f"{name} {WeekState.edition}",
        default_value=value,
        aria_label=f"{column.text}: {word}",
        aria_describedby=f"{WEEK_FORM}-window-{column.id}",
        aria_invalid=rx.cond(error != "", "true", "false"),
        auto_complete="off",
        class_name=_SELECT,
    )


def _weekday(row: rx.Var[WeekdayRow]) -> rx.Component:
    return rx.el.tr(
        rx.el.th(
            row.name,
            rx.el.span(row.coming, class_name="block text-sm font-normal text-muted"),
            scope="row",
            role="rowheader",
            class_name="py-2 pr-4 align-top font-semibold text-ink max-sm:flex "
            "max-sm:items-baseline max-sm:justify-between max-sm:pr-0",
        ),
        rx.foreach(row.cells, _cell),
        role="row",
        key=row.name,
        class_name="border-t border-line max-sm:block max-sm:py-2",
    )


def _cell(cell: rx.Var[WindowCell]) -> rx.Component:
    """Return how many fills a window takes on a weekday; Tab and arrows lead on, Enter saves."""
    control = field_id(WEEK_FORM, cell.name)
    error = WeekState.errors.get(cell.name, "")
    return rx.el.td(
        rx.el.span(cell.window, aria_hidden=True, class_name="text-base text-ink sm:hidden"),
        rx.el.div(
            rx.el.input(
                id=control,
                name=cell.name,
                key=f"{cell.name} {WeekState.edition}",
                default_value=cell.value,
                aria_label=f"{cell.label}: fills at most",
                aria_describedby=f"{control}-error {control}-booked",
                aria_invalid=rx.cond(error != "", "true", "false"),
                input_mode="numeric",
                auto_complete="off",
                max_length=20,
                class_name=f"{CONTROL} w-24 text-right tabular-nums max-sm:ml-auto",
            ),
            error_text(f"{control}-error", error),
            rx.el.p(
                rx.cond(
                    cell.booked != "",
                    rx.el.span(
                        cell.booked,
                        class_name=rx.cond(cell.is_full, "font-semibold text-ink", "text-muted"),
                    ),
                ),
                rx.cond(cell.note != "", rx.el.span(cell.note, class_name="block text-danger")),
                id=f"{control}-booked",
                class_name="mt-1 w-24 pr-1 text-right text-sm tabular-nums wrap-anywhere "
                "max-sm:ml-auto max-sm:w-auto",
            ),
        ),
        role="cell",
        key=cell.name,
        class_name="px-1 py-2 align-top max-sm:flex max-sm:items-start max-sm:justify-between "
        "max-sm:gap-4 max-sm:px-0 max-sm:py-1 max-sm:[&>span]:pt-2",
    )


def _remove(line: rx.Var[DayLine]) -> rx.Component:
    return line_button("Remove", line.text, on_click=HoursState.remove_day(line.day, line.opens))


def _hours_dialog() -> rx.Component:
    state = HoursState
    return form_dialog(
        state,
        rx.match(
            state.dialog,
            (DAY, _day_fields()),
            (QUESTION, _booked_question()),
            rx.fragment(),
        ),
        leave="Back",
        buttons=rx.match(
            state.dialog,
            (DAY, send_button(state, "Save day")),
            (QUESTION, answer_button(state)),
            rx.fragment(),
        ),
        title=state.title,
    )


def _field(label: Any, name: str, make: Any = field, **props: Any) -> rx.Component:
    tie = bound(name, form=HOURS_FORM, errors=HoursState.errors, values=HoursState.values)
    return make(label, **tie, auto_complete="off", **props)


def _day_fields() -> rx.Component:
    options = rx.foreach(
        HoursState.windows, lambda window: rx.el.option(window.text, value=window.opens.to_string())
    )
    make = partial(select_field, options=options, placeholder="The whole day", optional=True)
    return rx.fragment(
        rx.el.div(
            _field("Day", "day", type="date"),
            _field("Window", "window", make),
            _field(
                rx.cond(
                    HoursState.is_whole_day,
                    "Fills at most in each window",
                    "Fills at most in this window",
                ),
                "capacity",
                input_mode="numeric",
                hint="0 closes it.",
            ),
            _field(
                "Reason, if it is closed",
                "reason",
                hint=f"Customers see it. At most {REASON_MAX} characters.",
            ),
            class_name="flex flex-col gap-4",
        ),
    )


def _booked_question() -> rx.Component:
    return rx.fragment(
        rx.cond(
            HoursState.over.length() > 0,
            rx.el.div(
                rx.el.ul(
                    rx.foreach(HoursState.over, lambda text: rx.el.li(text)),
                    class_name="max-h-60 overflow-y-auto",
                ),
                rx.el.p("They stay. No new ones until there is room.", class_name="mb-4 mt-1"),
                class_name="text-base text-ink",
            ),
        ),
        booked(HoursState, default_value=HoursState.values["reason"]),
    )
