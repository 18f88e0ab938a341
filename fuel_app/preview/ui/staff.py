"""The preview's customers and day, as the dashboard and the staff see them."""

import reflex as rx

from fuel_app.accounts.state.session import SessionState
from fuel_app.dashboard.ui import customer_view, day_tiles, the_day
from fuel_app.kit.ui.cards import (
    H2,
    badge,
    card,
    email_text,
)
from fuel_app.kit.ui.list import (
    search_box,
)
from fuel_app.office.state.customers import (
    CustomerDashboardState,
    CustomerLine,
)
from fuel_app.office.ui.customers import NOTE, missing
from fuel_app.preview.samples import ADMIN_FIGURES
from fuel_app.preview.ui.day_route import day_route


def sample_list() -> rx.Component:
    """Return the preview's customers beside the dashboard of the chosen one."""
    return rx.el.div(
        _samples(),
        rx.el.div(_sample_dashboard(), class_name="min-w-0"),
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
            rx.foreach(CustomerDashboardState.rows, _sample_customer),
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


def _sample_customer(customer: rx.Var[CustomerLine]) -> rx.Component:
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


def _sample_dashboard() -> rx.Component:
    """Return the chosen customer's; without one, what to do."""
    card = CustomerDashboardState.card
    heading = rx.el.h2(card.name, class_name="text-xl font-bold text-ink wrap-anywhere")
    return rx.cond(
        card.name != "",
        customer_view(
            card,
            CustomerDashboardState.month,
            heading=heading,
            own=False,
            upcoming=upcoming(),
        ),
        rx.cond(
            CustomerDashboardState.missing,
            missing(),
            rx.el.p("Choose a customer to see their dashboard.", class_name=NOTE),
        ),
    )


def upcoming(*action: rx.Component) -> rx.Component:
    """Return the sample's card: nothing is ever booked in a preview."""
    return card(
        rx.el.h2("Upcoming Service", class_name=H2),
        rx.el.div(
            rx.icon("calendar-plus", size=32, aria_hidden=True, class_name="text-[#8FA3AB]"),
            rx.el.p("No service scheduled", class_name="text-base text-muted"),
            *action,
            class_name="flex grow flex-col items-center justify-center gap-3 py-4",
        ),
        class_name="flex flex-col",
    )


def sample_day() -> rx.Component:
    """Return the staff's figures of a day and its route."""
    return rx.fragment(
        rx.cond(SessionState.is_staff, the_day(badge("Sample data", "yellow"))),
        day_tiles(ADMIN_FIGURES),
        day_route(),
    )
