"""State of Billing & Plans: plan, card, offers, and what is unpaid."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx

from fuel_app.accounts.state.session import session_of
from fuel_app.billing.service import cards
from fuel_app.billing.state.cards import (
    CardCard,
    DebtCard,
    OfferCard,
    PayingScreen,
    PlanCard,
    back_to,
    come_back,
)
from fuel_app.billing.state.receipts import HistoryState
from fuel_app.customers.state.customer import (
    CustomerState,
    for_customers,
    for_own,
)
from fuel_app.kit import clock
from fuel_app.kit.errors import problem_of
from fuel_app.kit.ui.toast import ToastState
from fuel_app.outcomes.service import charges, checkouts, plans

# Ids of what has the focus after a change.
CARD, PLAN = "payment-method", "current-plan"
REMOVING, CANCELLING, UNDO = "remove", "cancel", "undo"


class PlansState(PayingScreen, rx.State):
    """A customer's billing. The browser names an invoice or a plan; whose they are is checked."""

    loaded: bool = False
    failed: str = ""  # why there is nothing to show
    card: CardCard = CardCard()
    plan: PlanCard = PlanCard()
    offers: list[OfferCard] = []
    debts: list[DebtCard] = []
    dialog: str = ""

    @for_customers
    async def arrive(self):
        """Finish a checkout, and show plan and card as they are now."""
        customer = await self.get_state(CustomerState)
        if not (customer.is_own and customer.is_customer):
            return None
        self._begin("")
        self.dialog = ""
        by = await session_of(self)
        back = await come_back(self, lambda visit: checkouts.finish_checkout(by.person_id, visit))
        await self._refresh()
        return back

    @for_own
    async def add_card(self):
        """Go to the provider's page, for a first card or another one."""
        person_id = (await session_of(self)).person_id
        async for sent in self._leave(CARD, cards.begin_checkout(person_id, back_to(self))):
            yield sent

    @for_own
    async def confirm_payment(self, invoice_id: str):
        """Go to the provider's page, where the bank asks for a confirmation."""
        begin = charges.begin_hosted_payment(await session_of(self), invoice_id, back_to(self))
        async for sent in self._leave(f"confirm {invoice_id}", begin):
            yield sent

    @for_own
    async def pay(self, invoice_id: str):
        """Charge an unpaid invoice to the card."""
        if self.busy or invoice_id not in [debt.id for debt in self.debts]:
            return
        self._begin(invoice_id)
        yield
        by, back = await session_of(self), back_to(self)
        done, away = await self._charge(
            charges.pay_now(by, invoice_id),
            "invoice.pay_failed",
            lambda: charges.begin_hosted_payment(by, invoice_id, back),
        )
        yield away or await self._show(done, "Paid. Thank you.", PLAN)

    @for_own
    async def choose(self, plan_id: str, agreed: str):
        """Start or switch to a plan, as its button says."""
        offer = next((each for each in self.offers if each.plan_id == plan_id), None)
        # The second press of a double click agrees to what is not shown any more.
        if self.busy or offer is None or offer.button != agreed or offer.is_current:
            return
        self._begin(plan_id)
        yield
        by, back, began = await session_of(self), back_to(self), clock.now()
        change = plans.start_plan if offer.starts else plans.switch_plan
        done, away = await self._pay(
            lambda key: change(by, plan_id, agreed, key),
            "plan.change_failed",
            lambda: plans.begin_plan_confirmation(by, plan_id, agreed, back),
        )
        said = "Your plan has started" if offer.starts else "Your plan has changed"
        said += await plans.covered_text(by, began) if done else ""
        yield away or await self._show(done, "" if offer.is_later else said, PLAN)

    @for_own
    async def open_dialog(self, name: str):
        """Ask before the card is removed or the plan is cancelled."""
        if name in (REMOVING, CANCELLING) and not self.busy:
            self.dialog, self.error, self.error_at = name, "", ""

    @for_own
    async def close_dialog(self, is_open: bool):
        if is_open is not True and not self.busy:
            self.dialog = self.error = ""

    @for_own
    async def agree(self):
        """Do what the dialog asks."""
        asked = self.dialog
        if self.busy or not asked:
            return
        self._begin(asked)
        yield
        by = await session_of(self)
        if asked == REMOVING:
            yield await self._end(
                checkouts.remove_card(by), "card.remove_failed", "Card removed", CARD
            )
        else:
            yield await self._end(plans.cancel_plan(by), "plan.cancel_failed", "", PLAN)

    @for_own
    async def undo(self):
        """Keep the plan as it is."""
        if self.busy or not self.plan.undo:
            return
        self._begin(UNDO)
        yield
        done = plans.undo_plan_change(await session_of(self))
        yield await self._end(done, "plan.undo_failed", "Your plan stays as it is", PLAN)

    async def _end(self, change: Awaitable[object], event: str, said: str, focus: str) -> Any:
        self.error = await problem_of(change, event)
        self.busy = ""
        return await self._show(not self.error, said, focus)

    async def _show(self, done: bool, said: str, focus: str) -> Any:
        """Show everything as it is now, and what was done, with the focus at its panel.

        By default, what waits for the period's end.
        """
        await self._refresh()
        if not done:
            return None
        self.dialog = ""
        (await self.get_state(ToastState))._show(said or self.plan.pending)
        return [HistoryState.arrive, rx.set_focus(focus)]

    async def _refresh(self) -> None:
        """Show what is stored."""
        self.failed = await problem_of(self._read(), "billing.failed")
        self.loaded = self.loaded or not self.failed

    async def _read(self) -> None:
        customer = await self.get_state(CustomerState)
        own = await customer._read_briefly()
        found = await plans.read_billing(await session_of(self), own)
        self.card = CardCard.of(found.card, clock.day_of(clock.now()))
        self.plan = PlanCard.of(found.plans.overview, found.card)
        self.offers = [OfferCard.of(offer) for offer in found.plans.offers]
        self.debts = [DebtCard.of(invoice, found.card) for invoice in found.debts]
        customer._become(own, brief=True)
