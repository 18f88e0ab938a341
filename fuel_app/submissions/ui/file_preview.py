"""A file of leads before its import: its columns, what would be imported, and its first rows."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import busy_button, button
from fuel_app.kit.ui.cards import alert
from fuel_app.kit.ui.fields import tick
from fuel_app.kit.ui.mapping import column_selects
from fuel_app.submissions.rules.imports import FIELDS, PreviewRow
from fuel_app.submissions.state.imports import LeadImportState

_preview = LeadImportState.preview
_is_checked = _preview.done == _preview.whole


def bullets(texts: Any) -> rx.Component:
    return rx.el.ul(
        rx.foreach(texts, lambda text: rx.el.li(text)),
        class_name="mt-2 list-disc space-y-1 break-words pl-5 text-base text-ink tabular-nums",
    )


def file_preview() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            rx.el.strong(LeadImportState.file_name, class_name="break-words"),
            rx.el.span(" · ", _grouped(_preview.whole), " rows", class_name="text-muted"),
            class_name="mb-3 text-base text-ink tabular-nums",
        ),
        alert(LeadImportState.mapping_problem),
        rx.cond(
            LeadImportState.repeated != "",
            rx.el.p(
                LeadImportState.repeated,
                ". Choose the column that counts.",
                class_name="mb-3 text-base text-[#6B4700]",
            ),
        ),
        column_selects(
            FIELDS,
            LeadImportState.columns,
            LeadImportState.places,
            on_choose=LeadImportState.choose_column,
        ),
        _rest(),
        rx.cond(LeadImportState.mapping_problem == "", _outcome(), rx.fragment()),
        _buttons(),
    )


def _grouped(number: rx.Var[int]) -> rx.Var[str]:
    """Format a number with commas."""
    data = number._get_all_var_data()
    return rx.Var(f"({number!s}).toLocaleString('en-US')", _var_type=str, _var_data=data)


def _rest() -> rx.Component:
    names = LeadImportState.rest.join(", ")
    return rx.cond(
        LeadImportState.rest.length() > 0,
        rx.el.div(
            rx.el.p("Columns that fill no field: ", names, class_name="break-words text-base"),
            rx.el.label(
                tick(checked=LeadImportState.keeps_rest, on_change=LeadImportState.keep_rest),
                "Keep them as a note of the lead",
                class_name="flex min-h-11 cursor-pointer items-center gap-3 text-base",
            ),
            class_name="mt-4 border-t border-line pt-3 text-ink",
        ),
    )


def _outcome() -> rx.Component:
    counts = rx.el.p(
        rx.el.strong(_grouped(_preview.good), " to import"),
        " · ",
        _grouped(_preview.known),
        " already known · ",
        rx.el.span(
            _grouped(_preview.refused),
            " refused",
            class_name=rx.cond(_preview.refused > 0, "font-semibold text-[#6B4700]", ""),
        ),
        class_name="text-base text-ink",
    )
    checking = rx.el.div(
        rx.el.p("Checking the rows...", class_name="text-base text-muted"),
        rx.el.progress(
            value=_preview.done, max=_preview.whole, aria_label="Rows checked", class_name="meter"
        ),
    )
    return rx.el.section(
        rx.el.h3("What would be imported", class_name="mb-1 text-base font-semibold text-ink"),
        rx.el.div(
            rx.cond(_is_checked, counts, checking),
            role="status",
            class_name="min-h-7 tabular-nums",
        ),
        rx.cond(LeadImportState.refusals.length() > 0, bullets(LeadImportState.refusals)),
        rx.el.h3("First rows", class_name="mb-1 mt-4 text-base font-semibold text-ink"),
        rx.el.ol(rx.foreach(_preview.first, _row), class_name="min-h-20"),
        class_name="mt-4 border-t border-line pt-3",
    )


def _row(row: rx.Var[PreviewRow]) -> rx.Component:
    return rx.el.li(
        rx.el.span(row.name, class_name="font-medium text-ink"),
        rx.el.span(row.about, class_name="block text-muted empty:hidden"),
        rx.el.span(row.notes, class_name="block whitespace-pre-line text-muted empty:hidden"),
        rx.cond(
            row.reason != "",
            rx.el.span(
                "Line ", row.line, ": ", row.reason, class_name="block font-medium text-[#6B4700]"
            ),
        ),
        class_name="break-words border-t border-line py-2 text-base first:border-t-0",
    )


def _buttons() -> rx.Component:
    return rx.el.div(
        button("Choose another file", kind="secondary", on_click=LeadImportState.drop),
        busy_button(
            rx.el.span("Import ", _grouped(_preview.good), " rows"),
            busy=LeadImportState.starting,
            busy_text="Starting...",
            disabled=(LeadImportState.mapping_problem != "")
            | ~_is_checked
            | (_preview.good == 0)
            | LeadImportState.starting,
            on_click=LeadImportState.begin,
        ),
        class_name="sticky -bottom-6 -mx-5 -mb-6 mt-4 flex flex-wrap justify-end gap-3 border-t "
        "border-line bg-surface max-sm:flex-col-reverse px-5 py-4 sm:-mx-6 sm:px-6",
    )
