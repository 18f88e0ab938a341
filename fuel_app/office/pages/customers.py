"""The customers as the staff see them: the list, and one with tabs; before, the sample."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.cards import preview_label
from fuel_app.kit.ui.script import TITLE
from fuel_app.office.state.customers import OPEN, SAMPLE, CustomerDashboardState
from fuel_app.office.ui.customer_tabs import customer
from fuel_app.office.ui.customers import NOTE, customer_list, sample


def customer_dashboard() -> rx.Component:
    return admin_layout(
        rx.el.div(
            rx.el.h1("Customer Dashboard", class_name=TITLE),
            rx.cond(CustomerDashboardState.shows == SAMPLE, preview_label()),
            class_name="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1",
        ),
        once_arrived(CustomerDashboardState, _known(), until=_unknown()),
        address_mirror(CustomerDashboardState),
        current=routes.CUSTOMER_DASHBOARD,
    )


def _known() -> rx.Component:
    one = rx.cond(CustomerDashboardState.question.customer != "", customer(), customer_list())
    return rx.match(CustomerDashboardState.shows, (SAMPLE, sample()), (OPEN, one), _unknown())


def _unknown() -> rx.Component:
    """Return what stands there until it is known what to show."""
    return rx.el.p(
        rx.cond(
            CustomerDashboardState.failed,
            "Customers cannot be read just now. Please reload the page.",
            "Loading customers...",
        ),
        role="status",
        class_name=NOTE,
    )
