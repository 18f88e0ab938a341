"""Billing & Plans: the plan, the card, the other plans, what was paid."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.billing.state.receipts import OwnReceiptState
from fuel_app.billing.ui import receipt_page
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.page import settings_page, staff_note, unless_own, user_menu
from fuel_app.kit.ui.script import way_back
from fuel_app.outcomes.ui import own_billing


def billing(sample: rx.Component) -> rx.Component:
    """Return the screen of a customer; `sample` stands there for visitors before launch."""
    return settings_page(
        "Billing & Plans",
        unless_own(
            own_billing(),
            sample,
        ),
        staff_note(),
        current=routes.BILLING,
        wide=True,
    )


def receipt() -> rx.Component:
    """Return one receipt, for its customer and for staff."""
    return receipt_page(
        OwnReceiptState,
        rx.cond(
            SessionState.is_staff,
            rx.cond(
                OwnReceiptState.receipt.person_id != "",
                way_back(
                    "Back to customer",
                    routes.customer_tab(OwnReceiptState.receipt.person_id, "invoices"),
                ),
                way_back("Back to Customers", routes.CUSTOMER_DASHBOARD),
            ),
            way_back(OwnReceiptState.back, OwnReceiptState.back_to),
        ),
        menu=rx.cond(CustomerState.is_own, user_menu(routes.RECEIPT)),
    )
