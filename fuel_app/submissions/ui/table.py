"""The staff's list of leads, each with its controls."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import icon_button
from fuel_app.kit.ui.list import CELL, ROW, alphabetic, cell, list_table
from fuel_app.kit.ui.share import copyable_email
from fuel_app.leads.rules import SOURCES, STATUSES
from fuel_app.submissions.state.dialogs import LeadDeletionState, LeadDetailsState
from fuel_app.submissions.state.leads import LeadsState

_SELECT = (
    "min-h-11 w-40 max-w-full cursor-pointer rounded-control border border-[#8FA3AB] bg-surface "
    "px-2 text-sm text-ink hover:border-muted lg:min-h-9 lg:w-33"
)


_COLUMNS = {
    "Type": "type",
    "Status": "status",
    "Submission Date": "date",
    "Name": "name",
    "Lead Source": "source",
    "Email": "",
    "Actions": "",
}
_ORDERS = {"-date": "Newest", "date": "Oldest"} | alphabetic(
    name="Name", type="Type", status="Status", source="Lead source"
)


def lead_table() -> rx.Component:
    return list_table(
        LeadsState,
        _row,
        _COLUMNS,
        caption="Leads and quote requests",
        loading="Loading submissions...",
        failed="The list could not be loaded just now.",
        filtered=(LeadsState.question.q != "") | (LeadsState.question.type != ""),
        nothing_found="No submissions match this search.",
        nothing="No submissions yet. Whoever joins or asks for a quote appears here at once.",
        orders=_ORDERS,
        select_page=_checkbox(
            "Select all rows on this page", LeadsState.page_is_chosen, LeadsState.choose_page
        ),
    )


def _checkbox(label: Any, checked: Any, on_change: Any) -> rx.Component:
    return rx.el.input(
        type="checkbox",
        checked=checked,
        on_change=lambda _: on_change(),
        aria_label=label,
        class_name="h-5 w-5 shrink-0 cursor-pointer accent-gulf",
    )


def _row(row: Any) -> rx.Component:
    chosen = LeadsState.chosen.contains(row.id) | LeadsState.all_matching
    box = _checkbox(f"Select {row.name}", chosen, lambda: LeadsState.choose(row.id))
    return rx.el.tr(
        rx.el.td(box, role="cell", class_name=f"{CELL} max-lg:absolute max-lg:left-0 max-lg:top-3"),
        cell("Type", _type_badge(row)),
        cell("Status", _status(row)),
        cell("Submission Date", _date(row)),
        cell("", _name(row), class_name="max-lg:order-first max-lg:justify-start max-lg:pl-15"),
        cell("Lead Source", _source(row)),
        cell("Email", copyable_email(row.email, "lg:min-w-41")),
        cell(
            "Actions",
            icon_button("trash-2", f"Delete {row.name}", on_click=LeadDeletionState.ask(row.id)),
        ),
        key=row.id,
        role="row",
        aria_selected=chosen,
        class_name=f"{ROW} aria-selected:bg-seafoam/60",
    )


def _type_badge(row: Any) -> rx.Component:
    shape = "inline-flex rounded-full px-2.5 py-0.5 text-xs font-semibold"
    colors = rx.match(
        row.type,
        ("fleet", "bg-[#FFF1D6] text-[#6B4400]"),
        ("business", "bg-[#E5ECFB] text-[#23407E]"),
        "bg-seafoam text-gulf-deep",
    )
    return rx.el.span(row.type_label, class_name=f"{colors} {shape}")


def _date(row: Any) -> rx.Component:
    return rx.el.time(
        row.day,
        rx.el.span(row.time, class_name="text-xs text-muted max-lg:ml-2 lg:block"),
        custom_attrs={"dateTime": row.moment},
        class_name="whitespace-nowrap",
    )


def _name(row: Any) -> rx.Component:
    return rx.el.div(
        rx.el.button(
            row.name,
            type="button",
            on_click=LeadDetailsState.open(row.id),
            aria_haspopup="dialog",
            class_name="max-w-full cursor-pointer break-words text-left font-semibold text-ink "
            "hover:text-gulf-deep hover:underline max-lg:text-base",
        ),
        rx.cond(
            row.company != "", rx.el.div(row.company, class_name="break-words text-xs text-muted")
        ),
        class_name="min-w-0 lg:min-w-28 lg:max-w-60",
    )


def _status(row: Any) -> rx.Component:
    """The four statuses, and before them what the list shows when it is none of them."""
    return rx.el.div(
        _control(
            f"Status of {row.name}",
            row.status,
            STATUSES,
            lambda value: LeadsState.set_status(row.id, row.revision, value),
        ),
        rx.cond(
            row.stored_status != "",
            rx.el.div("Stored: ", row.stored_status, class_name="mt-0.5 text-xs text-muted"),
        ),
    )


def _source(row: Any) -> rx.Component:
    return _control(
        f"Lead source of {row.name}",
        row.source,
        SOURCES,
        lambda value: LeadsState.set_source(row.id, row.revision, value),
    )


def _control(label: Any, value: Any, options: tuple[str, ...], on_change: Any) -> rx.Component:
    known = rx.Var.create(list(options)).contains(value)
    return rx.el.select(
        rx.cond(known, rx.fragment(), rx.el.option(value, value=value)),
        *[rx.el.option(option, value=option) for option in options],
        value=value,
        on_change=on_change,
        aria_label=label,
        class_name=_SELECT,
    )
