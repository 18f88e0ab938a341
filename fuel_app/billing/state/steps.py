"""The steps to the first fill-up that the card itself takes: a card, and the start of a plan."""

import reflex as rx

from fuel_app.accounts.state.session import session_of
from fuel_app.billing.service import settling, subscribing, visits
from fuel_app.billing.state.cards import back_to, come_back
from fuel_app.billing.state.paying import PayingScreen
from fuel_app.billing.state.shown import OfferCard
from fuel_app.customers.state.customer import CustomerState, for_own, for_sign_ups_too
from fuel_app.kit.ui.toast import ToastState

CARD_ID = "next-step"
HEADING = "dashboard-heading"


class StepsState(PayingScreen, rx.State):
    """The buttons of the card 'Next'; `busy` is the kind of the step that is being taken."""

    start: OfferCard = OfferCard()  # of the chosen plan, once it can be started
    due: str = ""  # of all unpaid invoices

    @for_sign_ups_too
    async def arrive(self):
        """Finish a visit to the provider's page, and show what the plan costs."""
        customer = await self.get_state(CustomerState)
        self._begin("")
        self.start, self.due = OfferCard(), ""
        if not (customer.is_own and customer._opened.is_verified):
            return None
        by = await session_of(self)
        back = await come_back(self, lambda visit: visits.finish(by, visit))
        if back:
            customer._become(await customer._opened.read())
        await self._show_start(customer)
        debt = (await settling.owed_by([by.person_id])).get(by.person_id)
        self.due = str(debt or "")
        return back

    @for_own
    async def add_card(self):
        """Go to the provider's page."""
        if self.busy:
            return
        async for sent in self._leave("card", visits.begin(await session_of(self), back_to(self))):
            yield sent

    @for_own
    async def start_plan(self, agreed: str):
        """Start the plan as its button says; a press of what is not shown any more does nothing."""
        if self.busy or agreed != self.start.button or not agreed:
            return
        self._begin("plan")
        yield
        by, plan_id, back = await session_of(self), self.start.plan_id, back_to(self)
        started, away = await self._pay(
            lambda key: subscribing.start(by, plan_id, agreed, key),
            "plan.start_failed",
            lambda: subscribing.begin_confirmation(by, plan_id, agreed, back),
        )
        if away:
            yield away
            return
        customer = await self.get_state(CustomerState)
        customer._become(await customer._opened.read())
        await self._show_start(customer)
        if started:
            (await self.get_state(ToastState))._show("Your plan has started")
            # After the last step the card goes.
            yield rx.set_focus(CARD_ID if customer.following.title else HEADING)

    async def _show_start(self, customer: CustomerState) -> None:
        """Show the chosen plan with its amount, where starting it is a step."""
        self.start = OfferCard()
        if all(step.kind != "plan" for step in customer.following.steps):
            return
        by = await session_of(self)
        found = await subscribing.overview(by)
        for offer in await subscribing.offers(by):
            if found and offer.plan == found.subscription.plan:
                self.start = OfferCard.of(offer)
