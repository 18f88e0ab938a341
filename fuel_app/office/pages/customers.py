"""A customer's dashboard as the staff see it: one is picked from a list, and only looked at."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.customers.rules.profile import Listed
from fuel_app.dashboard.ui.customer import customer_view
from fuel_app.kit.ui.address import address_mirror
from fuel_app.kit.ui.cards import email_text, preview_label
from fuel_app.kit.ui.list import search_box
from fuel_app.kit.ui.page_heading import TITLE
from fuel_app.office.state.customers import CustomerDashboardState

_NOTE = "text-base text-muted"


def customer_dashboard() -> rx.Component:
    return admin_layout(
        rx.el.div(
            rx.el.h1("Customer Dashboard", class_name=TITLE),
            preview_label(),
            class_name="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1",
        ),
        rx.el.div(
            _list(),
            rx.el.div(_dashboard(), class_name="min-w-0"),
            class_name="grid grid-cols-[minmax(0,1fr)] items-start gap-6 "
            "2xl:grid-cols-[18rem_minmax(0,1fr)]",
        ),
        address_mirror(CustomerDashboardState),
        current=routes.CUSTOMER_DASHBOARD,
    )


def _list() -> rx.Component:
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
            class_name=f"mt-3 {_NOTE} empty:hidden",
        ),
        aria_label="Customers",
    )


def _customer(customer: rx.Var[Listed]) -> rx.Component:
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
    """The chosen customer's; without one, what to do."""
    card = CustomerDashboardState.card
    heading = rx.el.h2(card.name, class_name="text-xl font-bold text-ink wrap-anywhere")
    return rx.cond(
        card.name != "",
        customer_view(card, heading=heading, booking=False),
        rx.cond(
            CustomerDashboardState.missing,
            rx.el.p("There is no such customer (any more).", role="status", class_name=_NOTE),
            rx.el.p("Choose a customer to see their dashboard.", class_name=_NOTE),
        ),
    )
