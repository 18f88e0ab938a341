"""The imports that were: what each file brought, and the way to take it back."""

import reflex as rx

from fuel_app.kit.ui.button import button, button_class
from fuel_app.kit.ui.cards import badge
from fuel_app.states.admin.lead_import import LeadImportState
from fuel_app.states.admin.lead_import_line import ImportLine

_LABELS = {
    "done": "Imported",
    "undone": "Undone",
    "cancelled": "Cancelled",
    "failed": "Failed",
}


def import_history() -> rx.Component:
    return rx.el.section(
        rx.el.h3("History", class_name="mb-1 text-base font-semibold text-ink"),
        rx.cond(
            LeadImportState.failed,
            rx.el.p("They could not be loaded just now.", class_name="text-base text-muted"),
            rx.cond(
                LeadImportState.history.length() > 0,
                rx.el.ul(rx.foreach(LeadImportState.history, _line)),
                rx.el.p("None yet", class_name="text-base text-muted"),
            ),
        ),
        class_name="mt-6",
    )


def _line(line: rx.Var[ImportLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(line.file_name, class_name="min-w-0 break-words font-medium text-ink"),
            badge(
                rx.match(line.phase, *_LABELS.items(), ""),
                rx.match(line.phase, ("done", "green"), ("failed", "yellow"), "grey"),
            ),
            class_name="flex items-start justify-between gap-3",
        ),
        rx.el.p(
            rx.cond(line.message != "", line.message, line.counts),
            class_name="text-base text-ink tabular-nums empty:hidden",
        ),
        rx.el.p(line.when, " · ", line.who, class_name="text-sm text-muted"),
        rx.cond(LeadImportState.asked == line.id, _question(line), _actions(line)),
        key=line.id,
        class_name="border-t border-line py-3 first:border-t-0",
    )


def _actions(line: rx.Var[ImportLine]) -> rx.Component:
    return rx.el.div(
        rx.cond(
            line.rejected > 0,
            rx.el.A.create(
                rx.icon("download", size=16, aria_hidden=True),
                "Rejected rows",
                href=line.rejected_address,
                download=True,
                aria_label="Rejected rows of " + line.file_name,
                class_name=button_class("quiet", "-ml-3 px-3"),
            ),
        ),
        rx.cond(
            (line.phase == "done") & (LeadImportState.running.id == ""),
            button(
                rx.icon("undo-2", size=16, aria_hidden=True),
                "Undo",
                kind="quiet",
                class_name="px-3 first:-ml-3",
                id="undo-" + line.id,
                aria_label="Undo the import of " + line.file_name,
                on_click=LeadImportState.ask_to_undo(line.id),
            ),
        ),
        class_name="flex flex-wrap gap-2 empty:hidden",
    )


def _question(line: rx.Var[ImportLine]) -> rx.Component:
    return rx.el.div(
        rx.el.p(
            "All leads that this file brought will be deleted, whatever was done with them since.",
            id="undo-question",
            class_name="text-base text-ink",
        ),
        rx.el.div(
            button("Keep", kind="secondary", on_click=LeadImportState.ask_to_undo("")),
            button(
                "Undo import",
                kind="danger",
                auto_focus=True,
                aria_describedby="undo-question",
                on_click=LeadImportState.undo,
            ),
            class_name="mt-2 flex flex-wrap gap-2",
        ),
        class_name="mt-2 rounded-control border border-danger/30 bg-[#FEF1EF] p-3",
    )
