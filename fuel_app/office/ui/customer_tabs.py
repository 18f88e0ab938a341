"""One customer with tabs. A tab is one entry of `_TABS` and a state with its key."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app.accounts.rules.changes import PersonChange
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.people import deactivate_dialog
from fuel_app.customers.rules.listing import NOTE_MAX, Note
from fuel_app.customers.ui.addresses import place_marks
from fuel_app.dashboard.ui import customer_view
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.cards import H2, TEXT, alert, badge, card
from fuel_app.kit.ui.fields import textarea_field
from fuel_app.kit.ui.forms import edition_of, field_of, live_form
from fuel_app.kit.ui.list import nothing_here
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.kit.ui.tabs import tabs
from fuel_app.messages.ui import queued
from fuel_app.office.state.customer_access import CustomerAccessState
from fuel_app.office.state.customer_bookings import BookingsTab
from fuel_app.office.state.customer_invoices import InvoicesTab
from fuel_app.office.state.customer_ledger import LedgerTab
from fuel_app.office.state.customer_tabs import (
    AuditTab,
    DashboardTab,
    MessagesTab,
    NotesTab,
    VehiclesTab,
)
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.office.ui.customer_bookings import customer_bookings
from fuel_app.office.ui.customer_head import about_customer, customer_head, fact, shown_or
from fuel_app.office.ui.customer_invoices import invoices
from fuel_app.office.ui.customer_ledger import ledger
from fuel_app.office.ui.customers import missing


def customer() -> rx.Component:
    """Return the chosen customer; where there is none such, that it is so."""
    profile = CustomerDashboardState.profile
    return rx.fragment(
        button(
            rx.icon("arrow-left", size=20, aria_hidden=True),
            "All customers",
            kind="quiet",
            on_click=CustomerDashboardState.choose(""),
            class_name="-ml-3 mb-2 px-3",
        ),
        rx.cond(
            CustomerDashboardState.failed,
            nothing_here(
                "This customer cannot be read just now.", "Try again", CustomerDashboardState.load
            ),
            rx.cond(CustomerDashboardState.missing, missing(), _known()),
        ),
        deactivate_dialog(CustomerAccessState, profile.name),
    )


def _known() -> rx.Component:
    return rx.fragment(
        customer_head(),
        tabs(
            list(map(_tab, _TABS)),
            value=CustomerDashboardState.tab,
            on_change=CustomerDashboardState.open_tab,
            label="Customer",
        ),
    )


def _tab(entry: tuple[Any, str, Callable[[], rx.Component]]) -> tuple[str, str, rx.Component]:
    state, title, shows = entry
    failed = alert(rx.cond(state.failed, "This cannot be read just now.", ""))
    return state.KEY, title, rx.fragment(failed, shows())


def _dashboard() -> rx.Component:
    """Return what customers see of their month, and below it the account."""
    return rx.fragment(
        rx.cond(DashboardTab.card.name != "", customer_view(DashboardTab.card, own=True)),
        rx.el.div(_account(), class_name="mt-4 first:mt-0 sm:mt-6"),
    )


def _account() -> rx.Component:
    profile = CustomerDashboardState.profile
    return card(
        rx.el.h3("Account", class_name=H2),
        rx.el.dl(
            fact("Address", shown_or(profile.address)),
            fact("Customer since", profile.since),
            fact("Last sign-in", shown_or(profile.last_sign_in, "Never")),
            class_name="mt-3 grid gap-x-6 gap-y-4 sm:grid-cols-3",
        ),
        rx.cond(
            SessionState.is_admin,
            rx.el.div(
                rx.cond(
                    profile.active,
                    button("Deactivate", kind="secondary", on_click=CustomerAccessState.ask),
                    button("Reactivate", kind="secondary", on_click=CustomerAccessState.reactivate),
                ),
                class_name="mt-6",
            ),
        ),
    )


_LINES = "whitespace-pre-line"


def _vehicles() -> rx.Component:
    return card(
        rx.el.h3("Vehicles", class_name=H2),
        stacked_table(
            VehiclesTab.vehicles,
            [
                Column("Vehicle", lambda line: line.title),
                Column("Color and plate", lambda line: line.details),
                Column("Fuel", lambda line: line.fuel),
                Column("Tank", lambda line: line.tank),
            ],
            caption="Vehicles",
            loading=VehiclesTab.loading,
            empty_text="No vehicles yet",
        ),
        rx.el.h3("Addresses", class_name=f"mt-8 {H2}"),
        stacked_table(
            VehiclesTab.places,
            [
                Column("Address", lambda line: line.label),
                Column("Car stands", lambda line: line.details),
                Column("Notes", lambda line: rx.el.span(line.notes, class_name=_LINES)),
                Column("Marked", place_marks),
            ],
            caption="Addresses",
            loading=VehiclesTab.loading,
            empty_text="No addresses yet",
        ),
    )


def _messages() -> rx.Component:
    return card(
        stacked_table(
            MessagesTab.rows,
            [
                Column("Message", lambda line: line.what),
                Column("Channel", lambda line: line.channel),
                Column("Queued", queued),
                Column("State", lambda line: badge(line.state, line.color)),
            ],
            caption="Messages",
            loading=MessagesTab.loading,
            empty_text=rx.cond(MessagesTab.failed, "", "No messages yet"),
        )
    )


def _notes() -> rx.Component:
    return card(
        live_form(
            alert(NotesTab.error),
            field_of(
                NotesTab,
                "Note",
                "text",
                make=textarea_field,
                max_length=NOTE_MAX + 1,
                rows=3,
                key=NotesTab.edition.to_string(),
            ),
            edition_of(NotesTab),
            about_customer(),
            rx.el.div(
                submit_button("Add note", busy=NotesTab.busy, busy_text="Adding..."),
                class_name="mt-3 flex justify-end",
            ),
            on_edit=NotesTab.edit,
            on_submit=NotesTab.add,
        ),
        rx.el.ul(
            rx.foreach(NotesTab.rows, _note), class_name="mt-4 divide-y divide-line empty:hidden"
        ),
        rx.cond(
            NotesTab.loading | NotesTab.failed | (NotesTab.rows.length() > 0),
            rx.fragment(),
            rx.el.p("No notes yet", class_name=f"mt-4 text-center {TEXT}"),
        ),
    )


def _note(note: rx.Var[Note]) -> rx.Component:
    return rx.el.li(
        rx.el.p(note.text, class_name=f"text-base text-ink wrap-anywhere {_LINES}"),
        rx.el.p(note.author, ", ", note.when, class_name="mt-1 text-sm text-muted"),
        key=note.id,
        class_name="py-3",
    )


def _audit() -> rx.Component:
    return card(
        stacked_table(
            AuditTab.rows,
            [
                Column("When", lambda line: line.when),
                Column("What", _change),
                Column("Who", lambda line: line.who),
            ],
            caption="Audit",
            loading=AuditTab.loading,
            empty_text=rx.cond(AuditTab.failed, "", "Nothing has been changed yet"),
        )
    )


def _change(line: rx.Var[PersonChange]) -> rx.Component:
    """Return what was done, and below it what is known of before and after."""
    return rx.fragment(
        line.what,
        *[
            rx.cond(
                value != "", rx.el.span(f"{label}: ", value, class_name="block text-sm text-muted")
            )
            for label, value in (("Before", line.before), ("After", line.after))
        ],
    )


_TABS: tuple[tuple[Any, str, Callable[[], rx.Component]], ...] = (
    (DashboardTab, "Dashboard", _dashboard),
    (VehiclesTab, "Vehicles", _vehicles),
    (BookingsTab, "Bookings", lambda: card(customer_bookings())),
    (LedgerTab, "Ledger", lambda: card(ledger())),
    (InvoicesTab, "Invoices", lambda: card(invoices())),
    (MessagesTab, "Messages", _messages),
    (NotesTab, "Notes", _notes),
    (AuditTab, "Audit", _audit),
)
