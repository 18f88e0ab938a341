"""A customer's own billing: what is unpaid, plan, card, offers."""

from typing import Any

import reflex as rx

from fuel_app.billing.state.cards import DebtCard, OfferCard
from fuel_app.billing.ui import (
    amounts,
    available_plans,
    history,
    payments_note,
    plan_line,
    refusal_beside,
)
from fuel_app.customers.ui.page import loading
from fuel_app.kit.ui.button import busy_button, button
from fuel_app.kit.ui.cards import TEXT, alert, badge, card, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.script import alert_in_view
from fuel_app.outcomes.state import (
    CANCELLING,
    CARD,
    PLAN,
    REMOVING,
    UNDO,
    PlansState,
)
from fuel_app.plans.rules.plans import Plan
from fuel_app.plans.ui import plan_card


def own_billing() -> rx.Component:
    """Return the screen: loading, failed, or what there is."""
    return rx.cond(
        PlansState.failed != "",
        card(
            alert(PlansState.failed),
            button("Try again", kind="secondary", on_click=PlansState.arrive),
        ),
        rx.cond(
            PlansState.loaded,
            rx.el.div(
                payments_note(),
                _debts(),
                _plan(),
                _card(),
                _offers(),
                history(),
                _dialogs(),
                class_name="flex flex-col gap-6",
            ),
            loading(),
        ),
    )


def _target(target_id: str, *children: Any) -> rx.Component:
    """Return a part of the screen that has the focus after something was done in it."""
    return rx.el.div(*children, id=target_id, tab_index=-1, class_name="focus:outline-none")


def _debts() -> rx.Component:
    """Return the unpaid invoices with a way to pay each."""
    return rx.cond(
        PlansState.debts.length() > 0,
        panel(
            "Please pay what is due",
            rx.el.ul(rx.foreach(PlansState.debts, _debt), class_name="mt-2 divide-y divide-line"),
            lead="New fill-ups can be booked as soon as it is paid.",
        ),
    )


def _debt(debt: rx.Var[DebtCard]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(debt.what, class_name="font-semibold text-ink"),
            rx.el.p(debt.name, class_name="text-sm text-muted"),
            class_name="min-w-0 grow basis-48",
        ),
        refusal_beside(PlansState, debt.id),
        refusal_beside(PlansState, f"confirm {debt.id}"),
        rx.cond(
            debt.needs_confirmation,
            _button(
                "Confirm payment",
                f"confirm {debt.id}",
                "Opening...",
                on_click=PlansState.confirm_payment(debt.id),
            ),
            _button(debt.button, debt.id, "Paying...", on_click=PlansState.pay(debt.id)),
        ),
        key=debt.id,
        class_name="flex flex-wrap items-center gap-3 py-3 text-base",
    )


def _button(text: Any, name: Any, busy_text: str, **props: Any) -> rx.Component:
    """Return a button that is busy by its name, and waits while another one is."""
    return busy_button(
        text,
        busy=PlansState.busy == name,
        busy_text=busy_text,
        disabled=PlansState.busy != "",
        **{"class_name": "max-sm:w-full"} | props,
    )


def _plan() -> rx.Component:
    plan = PlansState.plan
    return _target(
        PLAN,
        panel(
            "Current Plan",
            rx.el.div(alert(plan.problem), class_name="has-[p]:mt-3"),
            plan_line(
                rx.cond(plan.name != "", plan.name, "No plan yet"),
                plan.price,
                f"{plan.next_day} · {plan.charge}",
                is_billed=plan.charge != "",
            ),
            rx.el.div(amounts(plan.parts), class_name="mt-3 sm:ml-auto sm:max-w-sm"),
            rx.el.p(plan.pending, class_name="mt-3 text-base text-ink empty:hidden"),
            rx.el.div(refusal_beside(PlansState, UNDO), class_name="mt-3 empty:hidden"),
            rx.el.div(
                rx.cond(
                    plan.undo != "",
                    _button(
                        plan.undo, UNDO, "Saving...", kind="secondary", on_click=PlansState.undo
                    ),
                ),
                rx.cond(
                    plan.may_cancel,
                    button(
                        "Cancel plan",
                        kind="quiet",
                        on_click=PlansState.open_dialog(CANCELLING),
                        class_name="-ml-5",
                    ),
                ),
                class_name="mt-3 flex flex-wrap gap-3 empty:hidden",
            ),
            action=rx.cond(plan.name != "", badge(plan.badge, plan.color)),
        ),
    )


def _card() -> rx.Component:
    shown = PlansState.card
    return _target(
        CARD,
        panel(
            "Payment Method",
            rx.el.div(refusal_beside(PlansState, CARD), class_name="mt-3 empty:hidden"),
            rx.el.div(
                rx.icon("credit-card", size=28, aria_hidden=True, class_name="shrink-0 text-gulf"),
                rx.cond(
                    shown.name != "",
                    rx.el.div(
                        rx.el.p(shown.name, class_name="text-base font-semibold text-ink"),
                        rx.el.p(
                            f"Expires {shown.expiry}",
                            rx.cond(shown.note != "", f" · {shown.note}", ""),
                            class_name=TEXT,
                        ),
                    ),
                    rx.el.p("No card yet", class_name="text-base font-semibold text-ink"),
                ),
                class_name="mt-4 flex items-center gap-4",
            ),
            rx.el.p(
                shown.problem,
                role="status",
                class_name="mt-2 text-base font-semibold text-danger empty:hidden",
            ),
            rx.el.p(
                "Your card is kept by our payment provider, on whose secure page you type it.",
                class_name=f"mt-2 text-pretty {TEXT}",
            ),
            rx.cond(
                shown.name != "",
                button(
                    "Remove card",
                    kind="quiet",
                    on_click=PlansState.open_dialog(REMOVING),
                    class_name="-ml-5 mt-2",
                ),
            ),
            action=_button(
                rx.cond(shown.name != "", "Update", "Add a card"),
                CARD,
                "Opening...",
                kind="secondary",
                on_click=PlansState.add_card,
                class_name="shrink-0",
            ),
        ),
    )


def _offers() -> rx.Component:
    def entry(plan: Plan) -> rx.Component:
        return rx.foreach(
            PlansState.offers,
            lambda offer: rx.cond(
                offer.plan_id == plan.id,
                rx.el.li(plan_card(plan, action=_offer(offer), selected=offer.is_current)),
            ),
        )

    return rx.cond(PlansState.offers.length() > 0, available_plans(entry))


def _offer(offer: rx.Var[OfferCard]) -> rx.Component:
    """Return what a plan costs today, then the button that says the amount."""
    return rx.el.div(
        amounts(offer.parts),
        refusal_beside(PlansState, offer.plan_id),
        rx.cond(
            offer.is_current,
            button("Current Plan", kind="secondary", disabled=True, class_name="w-full"),
            busy_button(
                rx.fragment(offer.button, rx.el.span(offer.name, class_name="sr-only")),
                busy=PlansState.busy == offer.plan_id,
                busy_text=rx.cond(offer.starts, "Starting...", "Switching..."),
                disabled=(PlansState.busy != "") | (offer.problem != ""),
                on_click=PlansState.choose(offer.plan_id, offer.button),
                class_name="w-full",
            ),
        ),
        rx.el.p(
            rx.cond(offer.problem != "", offer.problem, offer.note),
            class_name="mt-2 text-pretty text-sm text-muted empty:hidden",
        ),
    )


def _dialogs() -> rx.Component:
    return rx.fragment(
        _dialog(
            REMOVING,
            "Remove your card?",
            "Without a card no fill-up can be booked and no plan started.",
            keep="Keep it",
            agree="Remove card",
            busy_text="Removing...",
        ),
        _dialog(
            CANCELLING,
            "Cancel your plan?",
            f"It stays yours until {PlansState.plan.next_day}, and nothing more is charged for it. "
            "Until then you can undo this here.",
            keep="Keep my plan",
            agree="Cancel plan",
            busy_text="Cancelling...",
        ),
    )


def _dialog(
    name: str, title: str, text: Any, *, keep: str, agree: str, busy_text: str
) -> rx.Component:
    return dialog(
        rx.el.p(text, class_name=f"text-pretty {TEXT}"),
        title=title,
        open=PlansState.dialog == name,
        on_open_change=PlansState.close_dialog,
        width="sm:max-w-md",
        footer=rx.fragment(
            alert_in_view(PlansState.error),
            rx.el.div(
                button(keep, kind="secondary", on_click=PlansState.close_dialog(False)),
                _button(agree, name, busy_text, kind="danger", on_click=PlansState.agree),
                class_name="flex flex-wrap justify-end gap-3 max-sm:[&>button]:flex-auto",
            ),
        ),
    )
