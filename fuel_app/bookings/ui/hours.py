"""The hours of an area: its windows, days that differ, and the question about bookings."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.areas.rules.hours import REASON_MAX, WEEKDAYS, hour_text
from fuel_app.bookings.state.hours import (
    DAY,
    FORM,
    QUESTION,
    WINDOW,
    BookedLine,
    DayLine,
    HoursState,
    WindowLine,
)
from fuel_app.kit.ui.button import busy_button, button, line_button, submit_button
from fuel_app.kit.ui.cards import H2, TEXT, alert, card
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import bound, checkbox_group, field, select_field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.stacked_table import Column, stacked_table

_NEW = -1
_BUTTONS = "mt-6 flex flex-wrap justify-end gap-3"
_ROW = "flex flex-wrap items-center gap-2 py-2"
_SR = "sr-only"


def hours_button(area: Any) -> rx.Component:
    """Return the button of an area's card."""
    return button(
        "Hours",
        rx.el.span(area.name, class_name=_SR),
        kind="secondary",
        on_click=HoursState.show(area.id),
    )


def area_hours() -> rx.Component:
    """Render the hours of the area that was chosen."""
    error = rx.cond(HoursState.dialog == "", HoursState.error, "")
    return rx.fragment(alert(error), rx.cond(HoursState.area != "", _panel()), _dialog())


def _panel() -> rx.Component:
    return card(
        rx.el.h3("Hours of ", HoursState.area, id=FORM, tab_index=-1, class_name=H2),
        rx.el.p(
            "Windows are in New York time; each takes so many fills a day.",
            class_name=f"mb-4 mt-0.5 {TEXT}",
        ),
        rx.el.ul(
            *[_weekday(number, name) for number, name in enumerate(WEEKDAYS)],
            aria_label="Delivery windows",
            class_name="mb-4 divide-y divide-line border-y border-line",
        ),
        button("Add window", kind="secondary", on_click=HoursState.begin_window(0, _NEW)),
        rx.el.h4("Days that differ", class_name=f"mt-8 {H2}"),
        stacked_table(
            HoursState.days,
            (
                Column("Day", lambda line: line.text),
                Column("Window", lambda line: line.window),
                Column("Capacity", lambda line: line.capacity),
                Column("Reason", lambda line: line.reason),
                Column("Change", _remove),
            ),
            caption="Days that differ",
            loading=False,
            empty_text="Every day is as on its weekday.",
        ),
        button("Close or change a day", kind="secondary", on_click=HoursState.begin_day),
    )


def _remove(line: rx.Var[DayLine]) -> rx.Component:
    return line_button("Remove", line.text, on_click=HoursState.remove_day(line.day, line.opens))


def _weekday(number: int, name: str) -> rx.Component:
    windows = HoursState.week[number]
    return rx.el.li(
        rx.el.span(name, class_name="w-28 text-base font-semibold text-ink"),
        rx.foreach(windows, lambda window: _window(number, name, window)),
        rx.cond(windows.length() == 0, rx.el.span("Closed", class_name=TEXT)),
        class_name=_ROW,
    )


def _window(number: int, name: str, window: rx.Var[WindowLine]) -> rx.Component:
    return button(
        rx.el.span(f"{name} ", class_name=_SR),
        rx.el.span(window.text, class_name="tabular-nums"),
        rx.el.span(window.capacity, class_name="font-normal text-muted"),
        kind="secondary",
        class_name="max-sm:w-full max-sm:justify-between",
        on_click=HoursState.begin_window(number, window.opens),
    )


def _dialog() -> rx.Component:
    return dialog(
        live_form(
            alert(HoursState.error),
            rx.match(
                HoursState.dialog,
                (WINDOW, _window_fields()),
                (DAY, _day_fields()),
                (QUESTION, _question()),
                rx.fragment(),
            ),
            on_edit=HoursState.edit,
            on_submit=HoursState.submit,
        ),
        title=HoursState.title,
        open=HoursState.dialog != "",
        on_open_change=HoursState.close,
        closes_when_left=True,
    )


def _field(label: str, name: str, make: Any = field, **props: Any) -> rx.Component:
    tie = bound(name, form=FORM, errors=HoursState.errors, values=HoursState.values)
    return make(label, **tie, auto_complete="off", **props)


def _hours(label: str, name: str, hours: range) -> rx.Component:
    options = [rx.el.option(hour_text(hour), value=str(hour)) for hour in hours]
    make = partial(select_field, options=rx.fragment(*options), placeholder="Choose an hour")
    return _field(label, name, make)


def _window_fields() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.el.div(
                _hours("Opens", "opens", range(24)),
                _hours("Closes", "closes", range(1, 25)),
                class_name="grid gap-4 sm:grid-cols-2",
            ),
            _field("Fills at most", "capacity", input_mode="numeric"),
            checkbox_group(
                "On each",
                "weekdays",
                [(str(number), name) for number, name in enumerate(WEEKDAYS)],
                form=FORM,
                ticked=HoursState.ticked,
                error=HoursState.errors["weekdays"],
            ),
            class_name="flex flex-col gap-4",
        ),
        _buttons(
            rx.cond(HoursState.ticked.length() > 0, _busy("Delete", HoursState.remove_window)),
            submit_button("Save window", busy=HoursState.busy, busy_text="Saving..."),
        ),
    )


def _day_fields() -> rx.Component:
    options = rx.foreach(
        HoursState.windows, lambda window: rx.el.option(window.text, value=window.opens.to_string())
    )
    make = partial(select_field, options=options, placeholder="The whole day", optional=True)
    return rx.fragment(
        rx.el.div(
            _field("Day", "day", type="date"),
            _field("Window", "window", make),
            _field("Fills at most", "capacity", input_mode="numeric", hint="0 closes it."),
            _field(
                "Reason",
                "reason",
                hint=f"Customers see why it is closed. At most {REASON_MAX} characters.",
                optional=True,
            ),
            class_name="flex flex-col gap-4",
        ),
        _buttons(submit_button("Save day", busy=HoursState.busy, busy_text="Saving...")),
    )


def _question() -> rx.Component:
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
        rx.cond(
            HoursState.booked.length() > 0,
            rx.fragment(
                _booked_fields(),
                _buttons(
                    _busy("Keep them", HoursState.keep),
                    submit_button(
                        "Cancel them",
                        busy=HoursState.busy,
                        busy_text="Cancelling...",
                        kind="danger",
                    ),
                ),
            ),
            _buttons(_busy("Save", HoursState.keep)),
        ),
    )


def _booked_fields() -> rx.Component:
    return rx.fragment(
        rx.el.ul(
            rx.foreach(HoursState.booked, booked_line),
            aria_label="Bookings",
            class_name="mb-4 max-h-72 divide-y divide-line overflow-y-auto text-base text-ink",
        ),
        rx.el.p(
            "Kept bookings stay as they are; nothing new can be booked. Cancelled ones cost "
            "nothing, and their customers are told. To move one, open its customer first.",
            class_name=f"mb-4 text-pretty {TEXT}",
        ),
        _field("Reason for cancelling", "reason", hint="The customers are told."),
    )


def booked_line(line: rx.Var[BookedLine]) -> rx.Component:
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


def _busy(text: str, event: Any) -> rx.Component:
    props = {"busy": HoursState.busy, "busy_text": "Saving...", "kind": "secondary"}
    return busy_button(text, **props, on_click=event)


def _buttons(*buttons: rx.Component) -> rx.Component:
    leave = button("Back", kind="secondary", on_click=HoursState.close(False))
    return rx.el.div(leave, *buttons, class_name=_BUTTONS)
