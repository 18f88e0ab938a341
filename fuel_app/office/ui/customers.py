"""The staff's list of customers, the chosen one with tabs, and the sample of the preview.

A tab is one entry of `_TABS` and a state with its key. Above every tab stands who the customer is,
for staff who have them on the phone.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.staff import PersonChange
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.people import deactivation_dialog
from fuel_app.customers.rules.customers import (
    ACTIVE,
    OWES,
    PLAN_STATES,
    STAFF_NOTE_MAX,
    STATES,
    Note,
)
from fuel_app.customers.ui.locations import place_marks
from fuel_app.dashboard.ui import customer_view
from fuel_app.kit.lists import TYPED_MAX
from fuel_app.kit.ui.button import button, button_class, submit_button
from fuel_app.kit.ui.cards import H2, TEXT, alert, badge, card, email_text
from fuel_app.kit.ui.fields import field, textarea_field
from fuel_app.kit.ui.forms import edition_of, field_of, live_form
from fuel_app.kit.ui.list import (
    ROW,
    cell,
    filter_select,
    list_summary,
    list_table,
    nothing_here,
    pager,
    search_box,
)
from fuel_app.kit.ui.script import alert_in_view
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.kit.ui.tabs import tabs
from fuel_app.messages.ui import message_dialog, queued
from fuel_app.office.state.bookings import BookingsTab
from fuel_app.office.state.customers import (
    CUSTOMER_FIELD,
    AuditTab,
    CustomerAccessState,
    CustomerDashboardState,
    CustomerMessageState,
    DashboardTab,
    LedgerTab,
    MessagesTab,
    NotesTab,
    VehiclesTab,
)
from fuel_app.office.state.desk import DeskPlaceState, DeskVehicleState
from fuel_app.office.state.invoices import InvoicesTab
from fuel_app.office.ui.bookings import arrival, customer_bookings
from fuel_app.office.ui.desk import (
    change_email,
    change_phone,
    desk_dialogs,
    heading_with,
    place_actions,
    vehicle_actions,
)
from fuel_app.office.ui.guests import back_to_all, guests_found
from fuel_app.office.ui.invoices import invoices
from fuel_app.plans.rules.ledger import REASON_MAX
from fuel_app.plans.rules.plans import PLANS
from fuel_app.scheduling.state.wizards import GuestFillState

_profile = CustomerDashboardState.profile
_LINK = "link inline-flex min-h-11 items-center gap-2 text-base"


def about_customer() -> rx.Component:
    """Send with a form whom it is about."""
    return rx.el.input(type="hidden", name=CUSTOMER_FIELD, value=_profile.id)


def customer_head() -> rx.Component:
    return card(
        rx.el.div(
            rx.el.h2(_profile.name, class_name="text-xl font-bold text-ink wrap-anywhere"),
            rx.cond(_profile.state != "", badge(_profile.state, "yellow")),
            class_name="flex flex-wrap items-center gap-3",
        ),
        rx.el.div(
            rx.cond(
                _profile.phone != "",
                _contact("phone", f"tel:{_profile.digits}", _profile.phone),
                rx.el.span("No phone number", class_name="py-2.5 text-base text-muted"),
            ),
            change_phone(),
            _contact("mail", f"mailto:{_profile.email}", email_text(_profile.email)),
            change_email(),
            class_name="mt-1 flex flex-wrap gap-x-6",
        ),
        rx.el.dl(
            fact("Area", shown_or(_profile.area, "None")),
            fact("Plan", _profile.plan),
            fact("Debt", _opens(InvoicesTab.KEY, _profile.owes, "None")),
            fact("Next booking", _opens(BookingsTab.KEY, _profile.next_booking, "None")),
            class_name="mt-2 grid grid-cols-2 gap-x-6 gap-y-3 border-t border-line pt-3 "
            "lg:grid-cols-4",
        ),
        rx.foreach(
            CustomerDashboardState.arrivals,
            lambda each: rx.el.div(
                arrival(each[1], each[0]), key=each[0], class_name="mt-3 border-t border-line pt-2"
            ),
        ),
        class_name="mb-4",
    )


def _contact(icon: str, address: Any, text: Any) -> rx.Component:
    return rx.el.A.create(
        rx.icon(icon, size=18, aria_hidden=True, class_name="shrink-0"),
        text,
        href=address,
        class_name=f"{_LINK} min-w-0",
    )


def _opens(tab: str, text: Any, instead: str) -> rx.Component:
    """Return a text that leads to its tab; where there is none, that it is so."""
    press = rx.el.button(
        text,
        type="button",
        on_click=CustomerDashboardState.open_tab(tab),
        class_name="link -my-2.5 block cursor-pointer py-2.5 text-left",
    )
    return rx.cond(text != "", press, instead)


def fact(label: str, shows: Any) -> rx.Component:
    return rx.el.div(
        rx.el.dt(label, class_name="text-sm font-semibold text-muted"),
        rx.el.dd(shows, class_name="text-base text-ink wrap-anywhere"),
    )


def shown_or(text: Any, instead: str = "–") -> rx.Component:  # noqa: RUF001
    return rx.cond(text != "", text, instead)


NOTE = "text-base text-muted"
_FORM = "customers"
_COLUMNS = {"Customer": "name", "Plan": "plan", "ZIP Code": "", "Since": "since", "Account": ""}
_ORDERS = {
    "-since": "Newest",
    "since": "Oldest",
    "name": "Name, A to Z",
    "-name": "Name, Z to A",
    "plan": "Plan",
}


def customer_list() -> rx.Component:
    """Return the list with its filters, and the pages."""
    tied, areas = (
        partial(filter_select, CustomerDashboardState, form=_FORM),
        CustomerDashboardState.areas,
    )
    listed = rx.foreach(areas, lambda each: rx.el.option(each[1], value=each[0]))
    plans = [(plan.id, plan.name) for plan in PLANS]
    any_state = "Any state"
    return rx.fragment(
        live_form(
            rx.el.div(
                search_box(
                    CustomerDashboardState,
                    "Search customers",
                    box_id="customer-search",
                    name="q",
                    placeholder="Name, phone, email, plate or street",
                ),
                button(
                    rx.icon("plus", size=20, aria_hidden=True),
                    "New customer",
                    kind="secondary",
                    on_click=GuestFillState.begin_anew,
                ),
                class_name="flex flex-wrap gap-3 [&>button]:shrink-0 [&>div]:min-w-56",
            ),
            # On a phone the filters would fill the screen.
            rx.el.details(
                rx.el.summary(
                    rx.icon("sliders-horizontal", size=18, aria_hidden=True),
                    "Filters",
                    class_name=button_class("quiet", "-ml-4"),
                ),
                class_name="peer mt-1 sm:hidden",
            ),
            rx.el.div(
                tied("Plan", "plan", plans, everything="Any plan"),
                tied("Plan state", "plan_state", PLAN_STATES.items(), everything=any_state),
                tied("Area", "area", listed, everything="Any area", key=areas.length()),
                field(
                    "Neighborhood",
                    "neighborhood",
                    form=_FORM,
                    default_value=CustomerDashboardState.question.neighborhood,
                    key=f"neighborhood {CustomerDashboardState.epoch}",
                    placeholder="Part of its name",
                    auto_complete="off",
                    max_length=TYPED_MAX,
                ),
                tied("Debt", "debt", [(OWES, "Owes money")], everything="Any"),
                tied("Account", "state", STATES.items(), everything=any_state),
                class_name="mt-3 grid grid-cols-2 gap-x-3 gap-y-2 max-sm:hidden "
                "max-sm:peer-open:grid sm:grid-cols-3",
            ),
            on_edit=CustomerDashboardState.narrow,
            on_submit=CustomerDashboardState.narrow,
        ),
        guests_found(),
        rx.el.div(list_summary(CustomerDashboardState), class_name="my-3"),
        list_table(
            CustomerDashboardState,
            _customer_row,
            _COLUMNS,
            caption="Customers",
            orders=_ORDERS,
            loading="Loading customers...",
            failed="Customers cannot be read just now.",
            nothing_found="No customers found",
            nothing="No customers yet",
            within=True,
        ),
        pager(CustomerDashboardState),
    )


def _customer_row(row: Any) -> rx.Component:
    choose = CustomerDashboardState.choose(row.id)
    return rx.el.tr(
        cell(
            "",
            rx.el.div(
                rx.el.button(
                    row.name,
                    type="button",
                    on_click=[rx.stop_propagation, choose],
                    class_name="min-h-9 cursor-pointer text-left font-semibold text-ink "
                    "wrap-anywhere hover:text-gulf-deep hover:underline max-lg:text-base",
                ),
                email_text(row.email, "block text-sm text-muted"),
                class_name="min-w-0",
            ),
            "max-lg:order-first max-lg:justify-start",
        ),
        cell(
            "Plan",
            rx.el.div(
                row.plan,
                rx.el.span(row.plan_state, class_name="block text-muted"),
                class_name="max-lg:text-right",
            ),
        ),
        cell("ZIP Code", rx.el.span(row.zip_code)),
        cell("Since", rx.el.span(row.since)),
        cell(
            "Account",
            rx.el.div(
                rx.cond(
                    row.state == STATES[ACTIVE], badge(STATES[ACTIVE], "green"), badge(row.state)
                ),
                rx.cond(row.owes != "", badge(row.owes, "yellow")),
                class_name="flex flex-wrap gap-1 max-lg:justify-end",
            ),
        ),
        key=row.id,
        role="row",
        on_click=choose,
        class_name=f"{ROW} cursor-pointer",
    )


def missing() -> rx.Component:
    return rx.el.p("There is no such customer (any more).", role="status", class_name=NOTE)


def ledger() -> rx.Component:
    return rx.fragment(
        rx.el.dl(rx.foreach(LedgerTab.left, _fills_left), class_name="grid gap-4 sm:grid-cols-3"),
        rx.cond(
            LedgerTab.left.length() > 0,
            _adjust_form(),
            rx.cond(
                LedgerTab.loading, rx.fragment(), rx.el.p("No plan is active.", class_name=TEXT)
            ),
        ),
        stacked_table(
            LedgerTab.rows,
            [
                Column("When", lambda line: line.when),
                Column("What", lambda line: line.what),
                Column("Fills", lambda line: line.fills, number=True),
                Column("Booking", _ledger_booking),
                Column("Who", lambda line: line.who),
                Column("Reason", lambda line: line.reason),
            ],
            caption="Ledger",
            loading=LedgerTab.loading,
            empty_text="No entries yet",
        ),
    )


def _ledger_booking(line: Any) -> rx.Component:
    return rx.cond(
        line.booking != "",
        rx.el.a(
            line.booking,
            href=routes.customer_tab(CustomerDashboardState.profile.id, "bookings"),
            class_name="link inline-flex min-h-11 items-center lg:min-h-0",
        ),
    )


def _fills_left(of_period: Any) -> rx.Component:
    return rx.el.div(
        rx.el.dt(of_period[0], class_name="text-sm font-semibold text-muted"),
        rx.el.dd(of_period[1], class_name="text-base font-bold text-ink"),
    )


def _adjust_form() -> rx.Component:
    edition = LedgerTab.edition.to_string()
    return live_form(
        about_customer(),
        edition_of(LedgerTab),
        rx.el.div(
            field_of(
                LedgerTab,
                "Fills",
                "fills",
                hint=rx.el.span("Of this period: 1 adds one, -1 takes one away. ", LedgerTab.most),
                max_length=10,
                key=f"fills-{edition}",
            ),
            field_of(
                LedgerTab, "Reason", "reason", max_length=REASON_MAX + 1, key=f"reason-{edition}"
            ),
            class_name="mt-4 grid gap-4 sm:grid-cols-[12rem_1fr]",
        ),
        alert_in_view(LedgerTab.error, class_name="mt-3"),
        rx.el.div(
            submit_button("Adjust", busy=LedgerTab.busy, busy_text="Adjusting..."),
            class_name="mt-3 flex justify-end",
        ),
        on_edit=LedgerTab.edit,
        on_submit=LedgerTab.submit,
    )


def customer() -> rx.Component:
    """Return the chosen customer; where there is none such, that it is so."""
    return rx.fragment(
        back_to_all(),
        rx.cond(
            CustomerDashboardState.failed,
            nothing_here(
                "This customer cannot be read just now.", "Try again", CustomerDashboardState.load
            ),
            rx.cond(CustomerDashboardState.missing, missing(), _known()),
        ),
        deactivation_dialog(CustomerAccessState),
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
        rx.cond(
            DashboardTab.card.name != "",
            customer_view(DashboardTab.card, DashboardTab.month, own=True),
        ),
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
                    button("Deactivate", kind="secondary", on_click=CustomerAccessState.begin),
                    button("Reactivate", kind="secondary", on_click=CustomerAccessState.reactivate),
                ),
                class_name="mt-6",
            ),
        ),
    )


_LINES = "whitespace-pre-line"


def _vehicles() -> rx.Component:
    return card(
        heading_with("Vehicles", "Add vehicle", DeskVehicleState.begin("")),
        stacked_table(
            VehiclesTab.vehicles,
            [
                Column("Vehicle", lambda line: line.title),
                Column("Color and plate", lambda line: line.details),
                Column("Fuel", lambda line: line.fuel),
                Column("Tank", lambda line: line.tank),
                Column("Change", vehicle_actions),
            ],
            caption="Vehicles",
            loading=VehiclesTab.loading,
            empty_text="No vehicles yet",
        ),
        heading_with("Addresses", "Add address", DeskPlaceState.begin(""), class_name="mt-8"),
        stacked_table(
            VehiclesTab.places,
            [
                Column("Address", lambda line: line.label),
                Column("Car stands", lambda line: line.details),
                Column("Notes", lambda line: rx.el.span(line.notes, class_name=_LINES)),
                Column("Marked", place_marks),
                Column("Change", place_actions),
            ],
            caption="Addresses",
            loading=VehiclesTab.loading,
            empty_text="No addresses yet",
        ),
        desk_dialogs(),
    )


def _messages() -> rx.Component:
    return card(
        stacked_table(
            MessagesTab.rows,
            [
                Column(
                    "Message",
                    lambda line: rx.el.button(
                        line.what,
                        type="button",
                        on_click=CustomerMessageState.begin(line.id),
                        aria_haspopup="dialog",
                        class_name="link -my-2.5 cursor-pointer py-2.5 text-left",
                    ),
                ),
                Column("Channel", lambda line: line.channel),
                Column("Queued", queued),
                Column("State", lambda line: badge(line.state, line.color)),
            ],
            caption="Messages",
            loading=MessagesTab.loading,
            empty_text=rx.cond(MessagesTab.failed, "", "No messages yet"),
        ),
        message_dialog(CustomerMessageState),
    )


def _notes() -> rx.Component:
    return card(
        live_form(
            field_of(
                NotesTab,
                "Note",
                "text",
                make=textarea_field,
                max_length=STAFF_NOTE_MAX + 1,
                rows=3,
                key=NotesTab.edition.to_string(),
            ),
            edition_of(NotesTab),
            about_customer(),
            alert_in_view(NotesTab.error, class_name="mt-3"),
            rx.el.div(
                submit_button("Add note", busy=NotesTab.busy, busy_text="Adding..."),
                class_name="mt-3 flex justify-end",
            ),
            on_edit=NotesTab.edit,
            on_submit=NotesTab.submit,
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
