"""Bulk changes of leads, and the confirmation before deleting."""

import reflex as rx

from fuel_app.kit.ui.button import button, download_link
from fuel_app.kit.ui.dialog import dialog
from fuel_app.leads.rules import STATUSES
from fuel_app.submissions.state.dialogs import LeadDeletionState
from fuel_app.submissions.state.leads import LeadsState


def bulk_bar() -> rx.Component:
    """Shows while rows are chosen."""
    chosen = (LeadsState.chosen.length() > 0) | LeadsState.all_matching
    return rx.el.div(
        rx.cond(
            chosen | LeadsState.working,
            rx.el.div(
                rx.el.p(_count(), class_name="text-base font-semibold text-ink"),
                _choose_all(),
                button(
                    "Clear",
                    kind="quiet",
                    on_click=LeadsState.choose_none,
                    class_name="max-sm:ml-auto",
                ),
                rx.el.div(
                    _set_status(),
                    download_link(
                        "Export",
                        LeadsState.export_chosen_address,
                        class_name="max-sm:[&>svg]:hidden",
                    ),
                    button(
                        rx.icon("trash-2", size=18, aria_hidden=True, class_name="max-sm:hidden"),
                        "Delete",
                        kind="secondary",
                        on_click=LeadDeletionState.ask(""),
                        disabled=LeadsState.working,
                    ),
                    class_name="flex w-full items-center gap-2 sm:ml-auto sm:w-auto",
                ),
                class_name="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border "
                "border-gulf bg-seafoam px-4 py-2 max-sm:fixed max-sm:inset-x-2 max-sm:bottom-2 "
                "max-sm:z-30 max-sm:mb-0 max-sm:shadow-2xl",
            ),
        ),
        role="status",
    )


def _count() -> rx.Component:
    return rx.cond(
        LeadsState.working,
        rx.el.span("Working... ", LeadsState.progress),
        rx.cond(
            LeadsState.all_matching,
            "All that match are selected",
            rx.el.span(LeadsState.chosen.length(), " selected"),
        ),
    )


def _choose_all() -> rx.Component:
    return rx.cond(
        LeadsState.page_is_chosen
        & (LeadsState.pages > 1)
        & ~LeadsState.all_matching
        & ~LeadsState.working,
        rx.el.button(
            "Select all that match",
            type="button",
            on_click=LeadsState.choose_all,
            class_name="min-h-11 cursor-pointer text-base text-gulf-deep underline",
        ),
    )


def _set_status() -> rx.Component:
    return rx.el.select(
        rx.el.option("Status...", value=""),
        *[rx.el.option(status, value=status) for status in STATUSES],
        value="",
        on_change=lambda status: LeadsState.change_chosen("status", status),
        disabled=LeadsState.working,
        aria_label="Set the status of the selected leads",
        class_name="min-h-11 cursor-pointer rounded-control border border-[#8FA3AB] bg-surface "
        "px-3 text-base text-ink max-sm:w-0 max-sm:flex-1",
    )


def delete_dialog() -> rx.Component:
    what = rx.cond(
        LeadDeletionState.lead.id != "",
        rx.el.span(
            rx.el.strong(LeadDeletionState.lead.name, class_name="break-words"), " will be deleted."
        ),
        rx.fragment(
            rx.el.span(rx.el.strong(LeadDeletionState.count), " will be deleted:"),
            rx.el.ul(
                rx.foreach(
                    LeadDeletionState.names, lambda name: rx.el.li(name, class_name="break-words")
                ),
                rx.cond(LeadDeletionState.left_out != "", rx.el.li(LeadDeletionState.left_out)),
                class_name="mt-2 list-disc pl-5",
            ),
        ),
    )
    return dialog(
        rx.el.div(what, class_name="text-base text-ink"),
        rx.cond(
            LeadDeletionState.customers != "",
            rx.el.p(
                LeadDeletionState.customers,
                class_name="mt-3 max-h-48 overflow-y-auto break-words text-base text-ink",
            ),
        ),
        rx.el.div(
            button("Cancel", kind="secondary", on_click=LeadDeletionState.close(False)),
            button("Delete", kind="danger", on_click=LeadDeletionState.confirm),
            class_name="mt-6 flex justify-end gap-3",
        ),
        title="Confirm Delete",
        description="This action cannot be undone.",
        open=LeadDeletionState.opened,
        on_open_change=LeadDeletionState.close,
        closes_when_left=True,
    )
