"""Upload CSV: the button, and the modal in which files are sent, watched and taken back."""

import reflex as rx

from fuel_app.components.admin.csv_drop import csv_drop
from fuel_app.components.admin.lead_import_history import import_history
from fuel_app.kit.ui.button import button, button_class
from fuel_app.kit.ui.cards import alert, progress_bar
from fuel_app.kit.ui.dialog import dialog
from fuel_app.states.admin.lead_import import LeadImportState

_running, _result = LeadImportState.running, LeadImportState.result


def lead_import() -> rx.Component:
    return rx.fragment(_button(), _modal())


def _button() -> rx.Component:
    """While an import runs, it says how far that is."""
    return button(
        rx.icon("upload", size=18, aria_hidden=True),
        rx.cond(
            _running.id != "",
            rx.cond(
                _running.phase == "running",
                rx.el.span("Importing... ", _running.percent, "%"),
                "Taking back...",
            ),
            "Upload CSV",
        ),
        kind="secondary",
        class_name="tabular-nums",
        on_click=LeadImportState.open,
    )


def _modal() -> rx.Component:
    return dialog(
        alert(LeadImportState.problem),
        _said(),
        rx.cond(_running.id != "", _progress(), csv_drop(on_sent=LeadImportState.sent)),
        import_history(),
        title="Upload CSV",
        description="The first row names the columns: first_name, last_name and email, and if "
        "you have them phone and zip_code.",
        open=LeadImportState.opened,
        on_open_change=LeadImportState.close,
        width="sm:max-w-2xl",
    )


def _said() -> rx.Component:
    """What a reader is told as it happens: that an import runs, and what came of it."""
    return rx.el.div(
        rx.cond(
            _running.id != "",
            rx.el.p(_doing(), class_name="mb-2 text-base font-semibold text-ink"),
            rx.cond(_result.id != "", _what_came_of_it()),
        ),
        role="status",
    )


def _doing() -> rx.Var[str]:
    return rx.match(
        _running.phase,
        ("cancelling", "Cancelling: what has been imported is taken back"),
        ("undoing", "Undoing: what was imported is taken back"),
        "Importing",
    )  # type: ignore[return-value]


def _progress() -> rx.Component:
    return rx.el.div(
        rx.el.p(_running.file_name, class_name="mb-2 break-words text-base text-muted"),
        progress_bar(_running.done, _running.whole, "Import", "gulf"),
        rx.el.div(
            rx.el.p(_running.progress, class_name="text-sm text-muted tabular-nums"),
            rx.cond(
                _running.phase == "running",
                button("Cancel import", kind="secondary", on_click=LeadImportState.cancel),
            ),
            class_name="mt-2 flex min-h-11 flex-wrap items-center justify-between gap-2",
        ),
        rx.el.p(
            "You can close this window or leave the page: it goes on.",
            class_name="mt-1 text-sm text-muted",
        ),
        class_name="rounded-card border border-gulf bg-seafoam p-4",
    )


def _what_came_of_it() -> rx.Component:
    """Of the file that was sent from here."""
    rejected = rx.el.div(
        rx.el.ul(
            rx.foreach(LeadImportState.reasons, lambda reason: rx.el.li(reason)),
            class_name="mt-2 list-disc space-y-1 break-words pl-5 text-base text-ink",
        ),
        rx.el.A.create(
            rx.icon("download", size=18, aria_hidden=True),
            "Download rejected rows",
            href=_result.rejected_address,
            download=True,
            class_name=button_class("secondary", "mt-3"),
        ),
        rx.el.p("Correct them there and upload that file.", class_name="mt-1 text-sm text-muted"),
    )
    return rx.el.div(
        rx.el.p(_result.file_name, class_name="break-words font-semibold text-ink"),
        rx.el.p(
            rx.match(
                _result.phase,
                ("done", _result.counts),
                ("undone", "Undone: its leads are not in the list any more."),
                ("cancelled", "Cancelled: nothing was imported."),
                _result.message,
            ),
            class_name="text-base text-ink tabular-nums",
        ),
        rx.cond((_result.phase == "done") & (_result.rejected > 0), rejected),
        class_name="mb-4 rounded-card border border-line bg-seafoam p-4",
    )
