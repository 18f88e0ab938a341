"""The staff's list of customers, and the sample of the preview."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.customers.rules.listing import ACTIVE, OWES, PLAN_STATES, STATES
from fuel_app.dashboard.ui import customer_view
from fuel_app.kit.lists import TYPED_MAX
from fuel_app.kit.ui.cards import badge, email_text
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.list import (
    ROW,
    cell,
    filter_select,
    list_summary,
    list_table,
    pager,
    search_box,
)
from fuel_app.office.state.customers import CustomerDashboardState, CustomerLine
from fuel_app.plans.rules.plans import PLANS

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
                    placeholder="Name, email or phone",
                ),
                class_name="flex",
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
                class_name="mt-3 grid grid-cols-2 gap-x-3 gap-y-2 sm:grid-cols-3",
            ),
            on_edit=CustomerDashboardState.narrow,
            on_submit=CustomerDashboardState.narrow,
        ),
        rx.el.div(list_summary(CustomerDashboardState), class_name="my-3"),
        list_table(
            CustomerDashboardState,
            _row,
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


def _row(row: Any) -> rx.Component:
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


def sample() -> rx.Component:
    """Return the preview's customers beside the dashboard of the chosen one."""
    return rx.el.div(
        _samples(),
        rx.el.div(_dashboard(), class_name="min-w-0"),
        class_name="grid grid-cols-[minmax(0,1fr)] items-start gap-6 "
        "2xl:grid-cols-[18rem_minmax(0,1fr)]",
    )


def _samples() -> rx.Component:
    return rx.el.section(
        search_box(
            CustomerDashboardState,
            "Search customers",
            box_id="customer-search",
            placeholder="Name or email",
        ),
        rx.el.ul(
            rx.foreach(CustomerDashboardState.rows, _customer),
            class_name="mt-3 grid gap-2 empty:hidden sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-1",
        ),
        rx.el.p(
            rx.cond(
                CustomerDashboardState.loading,
                "Loading customers...",
                rx.cond(CustomerDashboardState.rows.length() == 0, "No customers found", ""),
            ),
            role="status",
            class_name=f"mt-3 {NOTE} empty:hidden",
        ),
        aria_label="Customers",
    )


def _customer(customer: rx.Var[CustomerLine]) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            rx.el.span(customer.name, class_name="block font-semibold text-ink"),
            email_text(customer.email, "block text-sm text-muted"),
            rx.el.span(customer.plan, class_name="block text-sm text-gulf-deep"),
            type="button",
            on_click=CustomerDashboardState.choose(customer.id),
            aria_pressed=CustomerDashboardState.question.customer == customer.id,
            class_name="w-full cursor-pointer rounded-card border border-line bg-surface p-4 "
            "text-left text-base hover:border-gulf aria-pressed:border-gulf "
            "aria-pressed:bg-seafoam",
        )
    )


def _dashboard() -> rx.Component:
    """Return the chosen customer's; without one, what to do."""
    card = CustomerDashboardState.card
    heading = rx.el.h2(card.name, class_name="text-xl font-bold text-ink wrap-anywhere")
    return rx.cond(
        card.name != "",
        customer_view(card, heading=heading),
        rx.cond(
            CustomerDashboardState.missing,
            missing(),
            rx.el.p("Choose a customer to see their dashboard.", class_name=NOTE),
        ),
    )


def missing() -> rx.Component:
    return rx.el.p("There is no such customer (any more).", role="status", class_name=NOTE)
