"""Areas: their list, form and hours, and the questions about who lives or is booked there."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.areas.rules.areas import OPEN, PAUSED, WAITLIST, Point
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.areas.state import AreaCard, AreasState
from fuel_app.kit.ui.button import button, link_button
from fuel_app.kit.ui.cards import H2, TEXT, alert, badge, card
from fuel_app.kit.ui.dialog import dismissing
from fuel_app.kit.ui.fields import (
    checkbox,
    checkbox_group,
    textarea_field,
)
from fuel_app.kit.ui.forms import field_of, form_dialog, send_button
from fuel_app.launch.state.areas import AreaFormState, AreaStepState, ResidentLine, ZipsState
from fuel_app.launch.state.hours import HoursState
from fuel_app.launch.ui.booked import LINES, answer_button, booked

_SR = "sr-only"
_ICON = "mt-0.5 shrink-0"


def areas_list() -> rx.Component:
    """Render every area as a card; without one, say what an area is for."""
    return rx.fragment(
        rx.el.div(
            rx.el.p(
                "An area is a set of ZIP codes. Opening the first one opens the company: "
                "customers sign up, and the preview ends.",
                class_name=f"max-w-[60ch] {TEXT}",
            ),
            rx.cond(AreasState.areas.length() > 0, _new_button()),
            class_name="flex flex-wrap items-start justify-between gap-3",
        ),
        area_cards(AreasState, _area, _none(), "grid gap-4 lg:grid-cols-2"),
        rx.el.p(rx.cond(AreasState.loading, "Loading areas...", ""), role="status", class_name=_SR),
        area_dialogs(),
    )


def area_cards(state: Any, one: Any, none: rx.Component, class_name: str) -> rx.Component:
    """Render a card for each of a state's areas; without any, `none`."""
    return rx.fragment(
        alert(rx.cond(state.failed, "The areas cannot be read just now.", "")),
        rx.cond(
            state.loading,
            rx.el.div(class_name="skeleton h-40 rounded-card", aria_hidden=True),
            rx.cond(
                state.areas.length() > 0,
                rx.el.ul(rx.foreach(state.areas, one), class_name=class_name),
                rx.cond(state.failed, rx.fragment(), none),
            ),
        ),
    )


def area_dialogs() -> rx.Component:
    """Return the form of an area, and the questions before a step or the loss of ZIPs."""
    return rx.fragment(_area_form(), _step_question(), _zips())


def _new_button() -> rx.Component:
    return button(
        rx.icon("plus", size=18, aria_hidden=True), "New area", on_click=AreaFormState.begin("")
    )


def _none() -> rx.Component:
    return card(
        rx.el.h3("No area yet", class_name=H2),
        rx.el.p(
            "Start with the ZIP codes that one truck can serve. You can change them later.",
            class_name=f"mb-4 mt-1 {TEXT}",
        ),
        _new_button(),
    )


def _area(area: rx.Var[AreaCard]) -> rx.Component:
    return rx.el.li(
        card(
            rx.el.div(
                rx.el.h3(area.name, class_name=f"min-w-0 wrap-anywhere {H2}"),
                badge(area.label, area.color),
                class_name="flex items-start justify-between gap-3",
            ),
            rx.el.p(
                area.count,
                rx.cond(area.opened != "", rx.fragment(", first opened on ", area.opened), ""),
                class_name=f"mt-1 {TEXT}",
            ),
            rx.el.p(
                area.zips,
                class_name="mt-2 max-h-32 overflow-y-auto text-base tabular-nums text-ink",
            ),
            rx.el.div(
                _act("Edit", area, AreaFormState.begin(area.id)),
                _act("Hours", area, HoursState.show(area.id)),
                rx.match(
                    area.status,
                    (WAITLIST, _step("Open", "open", area, "primary")),
                    (OPEN, _step("Pause", "pause", area)),
                    (PAUSED, _step("Resume", "resume", area, "primary")),
                    rx.fragment(),
                ),
                rx.cond(area.status != WAITLIST, _step("Close", "close", area)),
                rx.cond(area.opened == "", _step("Delete", "delete", area)),
                class_name="mt-auto grid grid-cols-2 gap-2 pt-4 sm:flex sm:flex-wrap",
            ),
            class_name="flex h-full flex-col",
        )
    )


def _step(text: str, kind: str, area: Any, look: Any = "secondary") -> rx.Component:
    return _act(text, area, AreaStepState.ask(kind, area.id), look)


def _act(text: str, area: Any, event: Any, look: Any = "secondary") -> rx.Component:
    return button(text, rx.el.span(area.name, class_name=_SR), kind=look, on_click=event)


def _area_form() -> rx.Component:
    is_new, tied = AreaFormState.area.id == "", partial(field_of, AreaFormState)
    return form_dialog(
        AreaFormState,
        rx.el.div(
            tied("Area name", "name", default_value=AreaFormState.area.name, auto_complete="off"),
            tied(
                "ZIP codes",
                "zips",
                make=textarea_field,
                default_value=AreaFormState.area.zips,
                hint="Separated by spaces or commas. A ZIP code belongs to one area.",
                auto_complete="off",
            ),
            tied(
                "Grades on offer",
                "grades",
                make=checkbox_group,
                options=tuple(GRADE_LABELS.items()),
                ticked=AreaFormState.area.grades,
            ),
            tied(
                "Sales tax in percent",
                "tax",
                default_value=AreaFormState.area.tax,
                hint="Of fees and plans. Fuel prices contain their taxes.",
                input_mode="decimal",
                auto_complete="off",
            ),
            checkbox(
                "Fills at the side of a street are allowed",
                "streets",
                form=AreaFormState.FORM,
                value="yes",
                default_checked=AreaFormState.area.streets,
            ),
            # The fields appear anew after a concurrent change of the area.
            key=AreaFormState.area.to_string(),
            class_name="flex flex-col gap-4",
        ),
        leave="Cancel",
        send="Save area",
        title=rx.cond(is_new, "New area", "Edit area"),
    )


def _step_question() -> rx.Component:
    state = AreaStepState
    people = dismissing(link_button("Go to People", href=routes.SETTINGS_PEOPLE))
    return form_dialog(
        state,
        rx.cond(state.points.length() > 0, _checklist()),
        rx.cond(
            state.problem != "",
            rx.el.p(state.problem, class_name="mt-4 text-base font-medium text-danger"),
            rx.cond(
                state.missing != "",
                rx.el.p(
                    rx.el.strong("Open without these? "),
                    state.missing,
                    ". This is possible because the site runs on this computer only.",
                    class_name="mt-4 text-pretty text-base text-ink",
                ),
            ),
        ),
        leave="Cancel",
        buttons=rx.cond(
            state.problem != "",
            rx.cond(SessionState.is_person, rx.fragment(), people),
            send_button(
                state,
                rx.cond(state.missing != "", "Open without them", state.button),
                "Working...",
            ),
        ),
        title=state.title,
        description=state.text,
    )


def _zips() -> rx.Component:
    """Ask about who lives in ZIP codes that leave an open area."""
    return form_dialog(
        ZipsState,
        rx.cond(
            ZipsState.customers.length() > 0,
            rx.el.div(
                rx.el.p(
                    "They keep their accounts, and can book at other addresses that are served.",
                    class_name=f"text-pretty {TEXT}",
                ),
                rx.cond(
                    ZipsState.ending != "",
                    rx.el.p(
                        rx.el.strong(ZipsState.ending, " will end with the paid period"),
                        ", since no address of its customer is served any more. They are told, "
                        "and can undo it until then.",
                        class_name="mt-2 text-pretty text-base text-ink",
                    ),
                ),
                rx.el.ul(
                    rx.foreach(ZipsState.customers, _resident),
                    rx.cond(ZipsState.more != "", rx.el.li(ZipsState.more, class_name="py-2")),
                    aria_label="Customers",
                    class_name=LINES,
                ),
            ),
        ),
        rx.el.p(
            ZipsState.companies,
            class_name="mt-2 text-pretty text-base font-semibold text-ink empty:hidden",
        ),
        booked(ZipsState),
        leave="Back",
        buttons=answer_button(ZipsState),
        title=ZipsState.title,
        description="They are in ZIP codes that no open area would have any more.",
    )


def _resident(line: rx.Var[ResidentLine]) -> rx.Component:
    return rx.el.li(
        rx.el.a(line.name, href=line.link, class_name="link font-semibold"),
        rx.el.span(line.note, class_name="block text-sm text-muted"),
        class_name="py-2",
    )


def _checklist() -> rx.Component:
    return rx.el.ul(
        rx.foreach(AreaStepState.points, _point),
        aria_label="Checklist",
        class_name="flex flex-col divide-y divide-line",
    )


def _point(point: rx.Var[Point]) -> rx.Component:
    return rx.el.li(
        rx.cond(
            point.done,
            rx.icon("circle-check", size=20, aria_hidden=True, class_name=f"{_ICON} text-gulf"),
            rx.icon("circle-alert", size=20, aria_hidden=True, class_name=f"{_ICON} text-danger"),
        ),
        rx.el.span(
            rx.el.span(rx.cond(point.done, "Done: ", "Missing: "), class_name=_SR),
            rx.el.span(point.label, class_name="font-semibold"),
            rx.cond(
                point.href != "",
                dismissing(rx.el.a(point.note, href=point.href, class_name="link block py-2")),
                rx.el.span(point.note, class_name="block text-sm text-muted"),
            ),
        ),
        class_name="flex gap-2 py-2 text-base text-ink",
    )
