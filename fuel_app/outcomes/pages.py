"""Billing & Plans: the plan, the card, the other plans, what was paid."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.billing.state.preview import BillingState
from fuel_app.billing.state.receipts import OwnReceiptState
from fuel_app.billing.ui.receipts import available_plans, invoices, plan_line, receipt_page
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.page import settings_page, staff_note, unless_own
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, arriving, badge, panel
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.kit.ui.script import way_back
from fuel_app.outcomes.ui import own_billing
from fuel_app.plans.rules.plans import PLANS, Plan
from fuel_app.plans.ui import plan_card


def billing() -> rx.Component:
    return settings_page(
        "Billing & Plans",
        unless_own(
            own_billing(),
            rx.el.div(
                _current_plan(),
                _payment_method(),
                _available_plans(),
                _history(),
                class_name="flex flex-col gap-6",
            ),
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
            way_back("Back to Billing & Plans", routes.BILLING),
        ),
    )


def _current_plan() -> rx.Component:
    account = CustomerState.billing
    fills = rx.cond(account.fills != "", f" · {account.fills}", "")
    return panel(
        "Current Plan",
        plan_line(
            arriving(account.plan, "w-32"),
            rx.fragment(arriving(account.price, "w-16"), fills),
            arriving(account.next_billing, "w-32"),
        ),
        action=badge("Active", "green"),
    )


def _payment_method() -> rx.Component:
    account = CustomerState.billing
    return panel(
        "Payment Method",
        rx.el.div(
            rx.icon("credit-card", size=28, aria_hidden=True, class_name="shrink-0 text-gulf"),
            rx.el.div(
                rx.el.p(
                    arriving(account.card, "w-40"), class_name="text-base font-semibold text-ink"
                ),
                rx.el.p("Expires ", arriving(account.expiry, "w-12"), class_name=TEXT),
            ),
            class_name="mt-4 flex items-center gap-4",
        ),
        action=dialog(  # before launch both its buttons just close it, as specified
            rx.el.div(
                dismissing(button("Cancel", kind="secondary")),
                dismissing(button("Update Card")),
                class_name="mt-4 flex flex-wrap justify-end gap-3",
            ),
            trigger=button("Update", kind="secondary"),
            title="Update Payment Method",
            description="Your card information will be securely updated through a card payment "
            "provider.",
            width="sm:max-w-md",
        ),
    )


def _available_plans() -> rx.Component:
    current, switching = CustomerState.billing.plan_id, BillingState.switching

    def entry(plan: Plan) -> rx.Component:
        return rx.el.li(plan_card(plan, action=_switch_button(plan), selected=current == plan.id))

    said = [
        rx.cond(switching.contains(plan.id), f"Switching to {plan.name}... ", "") for plan in PLANS
    ]
    return available_plans(entry, rx.el.p(*said, role="status", class_name="sr-only"))


def _switch_button(plan: Plan) -> rx.Component:
    return rx.cond(
        CustomerState.billing.plan_id == plan.id,
        button("Current Plan", kind="secondary", disabled=True, class_name="w-full"),
        button(
            rx.cond(BillingState.switching.contains(plan.id), "Switching...", "Switch Plan"),
            rx.el.span(plan.name, class_name="sr-only"),
            disabled=BillingState.switching.contains(plan.id),
            on_click=BillingState.switch_to(plan.id),
            class_name="w-full",
        ),
    )


def _history() -> rx.Component:
    return invoices(
        CustomerState.billing.invoices,
        lambda row: row.description,
        lambda _: badge("Paid", "green"),
        loading=CustomerState.billing.plan == "",
    )
