"""The filters of the list of leads; on a phone a button opens them."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.kit import contact
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.list import filter_select
from fuel_app.leads.rules import (
    ANSWER_FILTERS,
    FILTER_LABELS,
    NEXT_FILTERS,
    NOBODY,
    SOURCES,
    STATUS_FILTERS,
)
from fuel_app.submissions.state.leads import LeadsState

_FORM = "lead-filters"


def filters_button() -> rx.Component:
    """Return the button that opens them where they would fill the screen."""
    return button(
        rx.icon("sliders-horizontal", size=18, aria_hidden=True),
        "Filters",
        rx.cond(LeadsState.filters > 0, rx.el.span(f"({LeadsState.filters})"), rx.fragment()),
        kind="secondary",
        aria_expanded=LeadsState.filters_open,
        aria_controls=_FORM,
        on_click=LeadsState.show_filters,
        class_name="shrink-0 tabular-nums lg:hidden",
    )


def lead_filters() -> rx.Component:
    tied = partial(filter_select, LeadsState, form=_FORM)
    return live_form(
        tied("Type", "type", _options(FILTER_LABELS), everything=FILTER_LABELS[""]),
        tied("Status", "status", _options(STATUS_FILTERS), everything=STATUS_FILTERS[""]),
        tied("Lead source", "source", [(each, each) for each in SOURCES], everything="All sources"),
        _typed(
            "ZIP code",
            "zip",
            input_mode="numeric",
            max_length=contact.ZIP_DIGITS,
            placeholder="Any",
        ),
        _typed("From", "since", type="date"),
        _typed("To", "until", type="date"),
        tied(
            "Owner",
            "owner",
            rx.fragment(
                rx.el.option("Nobody", value=NOBODY),
                rx.foreach(LeadsState.office, _owner),
            ),
            everything="All owners",
            key=LeadsState.office.length(),
        ),
        tied("Answer", "answer", _options(ANSWER_FILTERS), everything=ANSWER_FILTERS[""]),
        tied("Next step", "next", _options(NEXT_FILTERS), everything=NEXT_FILTERS[""]),
        rx.cond(
            LeadsState.filters > 0,
            button(
                "Clear filters",
                kind="quiet",
                on_click=LeadsState.clear_filters,
                class_name="justify-self-start px-3 -ml-3 max-lg:col-span-2",
            ),
            rx.fragment(),
        ),
        id=_FORM,
        on_edit=LeadsState.narrow,
        on_submit=LeadsState.narrow,
        class_name=rx.cond(
            LeadsState.filters_open, f"grid {_GRID}", f"max-lg:hidden lg:grid {_GRID}"
        ),
    )


_GRID = "mb-3 grid-cols-2 items-end gap-x-3 gap-y-2 lg:grid-cols-[repeat(6,minmax(0,1fr))]"


def _owner(person: Any) -> rx.Component:
    you = rx.cond(person[0] == LeadsState.me, " (you)", "")
    return rx.el.option(f"{person[1]}{you}", value=person[0])


def _options(labels: dict[str, str]) -> list[tuple[str, str]]:
    return [(value, label) for value, label in labels.items() if value]


def _typed(label: str, name: str, **props: object) -> rx.Component:
    return field(
        label,
        name,
        form=_FORM,
        optional=False,
        default_value=getattr(LeadsState.question, name),
        key=f"{name} {LeadsState.epoch} {rx.State.is_hydrated}",
        auto_complete="off",
        **props,
    )
