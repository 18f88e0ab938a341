"""The dashboard: the customer's view, the admin's, and the toggle between them."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import beside_admin_panel, staff_menu
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.page import customer_page, is_known, loading, staff_note
from fuel_app.dashboard.state import HEADING, DashboardState, MonthState
from fuel_app.dashboard.ui import admin_view, customer_view, due_notice, next_card, next_fill
from fuel_app.forecasts.ui import due_cars, held_seats
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.script import TITLE, PageHeading
from fuel_app.membership.ui import verify_card
from fuel_app.repeats.ui import own_repeats


def dashboard(*, sample_day: rx.Component, sample_upcoming: rx.Component) -> rx.Component:
    """Return both views; the samples stand there before launch."""
    page = customer_page(
        rx.cond(
            DashboardState.admin_view,
            admin_view(sample_day),
            customer_view(
                CustomerState.card,
                MonthState.card,
                heading=PageHeading.create(_greeting(), id=HEADING, class_name=TITLE),
                own=CustomerState.is_own | ~is_known(),  # nothing of the sample before that
                upcoming=sample_upcoming,
                export=CustomerState.is_own,
                first=rx.fragment(
                    rx.cond(is_known(), rx.fragment(), loading()),
                    verify_card(),
                    staff_note(),
                    due_notice(),
                    held_seats(),
                    next_fill(_has_services()),
                    due_cars(),
                    own_repeats(),
                    next_card(),
                ),
            ),
        ),
        current=routes.DASHBOARD,
        actions=rx.cond(
            DashboardState.may_switch & is_known(),
            button(
                rx.el.span("Switch to ", class_name="max-sm:sr-only"),
                rx.cond(DashboardState.admin_view, "Customer View", "Admin View"),
                kind="secondary",
                on_click=DashboardState.switch_view,
                class_name="max-sm:px-3 max-sm:text-sm",
            ),
        ),
        staff_menu=staff_menu(routes.DASHBOARD),
    )
    return beside_admin_panel(page, current=routes.DASHBOARD)


def _greeting() -> rx.Component:
    first_name = CustomerState.card.first_name
    return rx.cond(
        is_known(),
        rx.cond(
            CustomerState.is_own & (first_name != ""),
            f"Welcome back, {first_name}",
            "Welcome back",
        ),
        rx.fragment(
            rx.el.span("Loading", class_name="sr-only"),
            rx.el.span(
                class_name="skeleton inline-block h-[0.8em] w-64 max-w-full rounded",
                aria_hidden=True,
            ),
        ),
    )


def _has_services() -> rx.Var[bool]:
    """Return whether something is booked or was; until then the next step alone is shown."""
    return (MonthState.card.past_services.length() > 0) | MonthState.card.has_booking
