"""The preview's cards of the account screens: what they show, and what does nothing."""

import reflex as rx

from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.billing.ui import available_plans, invoices, plan_line
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.security import SECOND_STEP, method_choice
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, arriving, badge, panel
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.plans.rules.plans import PLANS, Plan
from fuel_app.plans.ui import plan_card
from fuel_app.preview.state.account import BillingState, SecurityState


def sample_security() -> rx.Component:
    return rx.fragment(_sample_password(), _sample_second_factor(), _sample_history())


def _sample_password() -> rx.Component:
    return panel(
        "Password",
        rx.el.p(PASSWORD_RULE, class_name=f"mt-3 {TEXT}"),
        rx.el.p("Changing it opens with our service.", class_name=TEXT),
        lead=arriving(CustomerState.card.password_age, "w-48"),
        # Before launch it does nothing, as specified.
        action=button("Change", rx.el.span("password", class_name="sr-only"), kind="secondary"),
    )


def _sample_second_factor() -> rx.Component:
    return panel(
        "Two-Factor Authentication",
        rx.cond(
            SecurityState.setting_up,
            rx.el.div(
                method_choice(SecurityState.method, SecurityState.choose),
                rx.el.p(
                    "Codes open with our service. Until then your choice is not used.",
                    class_name=f"mt-3 {TEXT}",
                ),
                class_name="mt-4",
            ),
        ),
        lead=SECOND_STEP,
        action=button(
            "Setup",
            kind="secondary",
            aria_expanded=SecurityState.setting_up,
            on_click=SecurityState.set_up,
        ),
    )


def _sample_history() -> rx.Component:
    return panel(
        "Login History",
        stacked_table(
            CustomerState.card.sign_ins,
            (
                Column("Device", lambda row: row.device),
                Column("Location", lambda row: row.place),
                Column("Time", lambda row: row.moment),
                Column(
                    "Status",
                    lambda row: rx.cond(
                        row.current, badge("Current session", "green"), badge("Logged out")
                    ),
                ),
            ),
            caption="Login History",
            loading=CustomerState.card.password_age == "",
        ),
    )


def sample_billing() -> rx.Component:
    return rx.el.div(
        _current_plan(),
        _payment_method(),
        _available_plans(),
        _history(),
        class_name="flex flex-col gap-6",
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
