"""Imports of leads: the upload, its progress and outcome, and the history with Undo."""

import reflex as rx

from fuel_app import routes
from fuel_app.kit.table_file import BYTES_MAX, NOT_CSV, FileTooLarge
from fuel_app.kit.ui.button import button, download_link
from fuel_app.kit.ui.cards import alert, badge, progress_bar
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.upload import upload
from fuel_app.submissions.rules.imports import ImportLine
from fuel_app.submissions.state.imports import NOT_SENT, LeadImportState
from fuel_app.submissions.ui.file_preview import bullets, file_preview

_EXPIRED = "Your session has ended. Please sign in and choose the file again."

_LABELS = {"done": "Imported", "undone": "Undone", "cancelled": "Cancelled", "failed": "Failed"}


def _history() -> rx.Component:
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
                rx.cond(
                    (line.phase == "done") & (line.invalid > 0),
                    "Imported in part",
                    rx.match(line.phase, *_LABELS.items(), ""),
                ),
                rx.match(
                    line.phase,
                    ("done", rx.cond(line.invalid > 0, "yellow", "green")),
                    ("failed", "yellow"),
                    "grey",
                ),
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
            download_link(
                "Rejected rows",
                routes.rejected_rows(line.id),
                kind="quiet",
                class_name="-ml-3 px-3",
                aria_label="Rejected rows of " + line.file_name,
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
        rx.cond(
            _running.id != "",
            rx.fragment(_progress(), _history()),
            rx.cond(LeadImportState.upload != "", file_preview(), rx.fragment(_file(), _history())),
        ),
        title="Upload CSV",
        description=rx.cond(
            LeadImportState.upload != "",
            "Nothing is imported yet.",
            "The first row names the columns: first_name, last_name and email, and if you have "
            "them phone and zip_code. You see what is in it before anything is imported.",
        ),
        open=LeadImportState.opened,
        on_open_change=LeadImportState.close,
        width="sm:max-w-2xl",
    )


def _file() -> rx.Component:
    return upload(
        "Choose a CSV file",
        id="csv-file",
        address=routes.LEAD_IMPORTS,
        accept=".csv,text/csv",
        suffix=".csv",
        wrong_kind=NOT_CSV,
        most=BYTES_MAX,
        too_large=str(FileTooLarge()),
        failed=NOT_SENT,
        expired=_EXPIRED,
        hint="or drop it here. Up to 20 MB and 200,000 rows.",
        on_done=LeadImportState.sent,
        on_lost=LeadImportState.sent(""),
    )


def _said() -> rx.Component:
    """Announce to screen readers that an import runs, and its outcome."""
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
        ("running", "Importing"),
        ("undoing", "Undoing: what was imported is taken back"),
        "Cancelling: what has been imported is taken back",
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
        bullets(LeadImportState.reasons),
        rx.el.details(
            rx.el.summary(
                "The first of them", class_name="min-h-11 cursor-pointer py-2.5 text-base"
            ),
            bullets(LeadImportState.examples),
            class_name="mt-1",
        ),
        download_link(
            "Download rejected rows", routes.rejected_rows(_result.id), class_name="mt-3"
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
        class_name=rx.cond(
            (_result.phase == "done") & (_result.invalid == 0),
            "mb-4 rounded-card border border-line bg-seafoam p-4",
            "mb-4 rounded-card border border-[#E3B341] bg-[#FFF8E6] p-4",
        ),
    )
