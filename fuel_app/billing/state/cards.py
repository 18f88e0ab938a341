"""Plan, card, offers and unpaid invoices as plain texts, and screens whose buttons charge the card.

Also the way to the provider's checkout and back.
"""

import dataclasses
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from datetime import date
from typing import Any, Self

import reflex as rx

from fuel_app import routes
from fuel_app.billing.rules.invoices import Invoice, Line
from fuel_app.billing.rules.payments import (
    NEEDS_CONFIRMATION,
    CardOnFile,
    NoCard,
    PaymentDeclined,
    PaymentPending,
    reason_of,
)
from fuel_app.billing.rules.plans import Offer, PlanOverview
from fuel_app.billing.rules.receipts import description_of
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.errors import Refusal, attempt, problem_of
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.toast import ToastState
from fuel_app.plans.rules.plans import ACTIVE, CANCELLED, INCOMPLETE, PAST_DUE
from fuel_app.settings import settings

_BADGES = {
    INCOMPLETE: ("Not started", "grey"),
    ACTIVE: ("Active", "green"),
    PAST_DUE: ("Payment open", "yellow"),
    CANCELLED: ("Ended", "grey"),
}


@dataclasses.dataclass(frozen=True)
class Part:
    """One line of an amount."""

    label: str
    amount: str


def parts(lines: Iterable[Line]) -> list[Part]:
    """Return how an amount is made up; a single line says nothing more than the amount."""
    made = [Part(line.text, str(line.amount)) for line in lines]
    return made if len(made) > 1 else []


@dataclasses.dataclass(frozen=True)
class CardCard:
    """The card on file; without one `name` is empty."""

    name: str = ""
    expiry: str = ""
    note: str = ""  # 'Expires soon', 'Expired'
    problem: str = ""

    @classmethod
    def of(cls, card: CardOnFile, today: date) -> Self:
        problem = reason_of(card.problem) if card.problem else ""
        return cls(card.name, card.expiry, card.expires(today), problem)


@dataclasses.dataclass(frozen=True)
class PlanCard:
    """The customer's plan and its next charge; empty where none was chosen."""

    name: str = ""
    price: str = ""
    badge: str = ""
    color: str = "grey"
    next_day: str = ""
    charge: str = ""
    parts: list[Part] = dataclasses.field(default_factory=list)
    pending: str = ""  # what waits for the period's end
    undo: str = ""  # the words on the button that undoes it
    may_cancel: bool = False
    problem: str = ""

    @classmethod
    def of(cls, found: PlanOverview | None, card: CardOnFile | None = None) -> Self:
        if found is None:
            return cls()
        subscription = found.subscription
        plan, following, ends = subscription.plan, subscription.following, subscription.period_ends
        badge, color = _BADGES[subscription.state]
        day, pending, undo = long_date(ends) if ends else "", "", ""
        if found.may_undo and following:
            pending = f"On {day} your plan becomes the {following.name}."
            undo = f"Keep {plan.name}"
        elif found.may_undo:
            pending = f"Your plan ends on {day}. Until then all of its fills stay yours."
            undo = "Keep my plan"
        return cls(
            name=plan.name,
            price=f"{plan.price.short}/mo · {plan.fills} fills",
            badge=badge,
            color=color,
            next_day=day if found.charge else "",
            charge=str(found.charge) if found.charge else "",
            parts=parts(found.lines),
            pending=pending,
            undo=undo,
            may_cancel=subscription.is_active and not found.may_undo,
            problem=PaymentPending.message if found.payment_pending else _past_due(found, card),
        )


def _past_due(found: PlanOverview, card: CardOnFile | None) -> str:
    if found.subscription.state != PAST_DUE:
        return ""
    until = f" It ends on {long_date(found.ends_on)} if it stays unpaid." if found.ends_on else ""
    is_new = card is not None and card.name != "" and card.problem == ""
    what = "We are charging your card" if is_new else "We could not charge your card"
    return f"{what} for your plan.{until}"


@dataclasses.dataclass(frozen=True)
class OfferCard:
    """One of the plans: what its button says, and how the amount is made up."""

    plan_id: str = ""
    name: str = ""
    button: str = ""
    note: str = ""
    problem: str = ""
    parts: list[Part] = dataclasses.field(default_factory=list)
    is_current: bool = False
    starts: bool = False
    is_later: bool = False

    @classmethod
    def of(cls, offer: Offer) -> Self:
        return cls(
            plan_id=offer.plan.id,
            name=offer.plan.name,
            button=offer.button,
            note=offer.note,
            problem=offer.problem,
            parts=parts(offer.lines),
            is_current=offer.way == "current",
            starts=offer.way == "start",
            is_later=offer.way == "down",
        )


@dataclasses.dataclass(frozen=True)
class DebtCard:
    """An unpaid invoice."""

    id: str = ""
    name: str = ""
    what: str = ""
    button: str = ""
    needs_confirmation: bool = False

    @classmethod
    def of(cls, invoice: Invoice, card: CardOnFile) -> Self:
        return cls(
            invoice.id,
            f"{invoice.name} · {long_date(day_of(invoice.created_at))}",
            description_of(invoice),
            f"Pay {invoice.due} now",
            card.problem == NEEDS_CONFIRMATION,
        )


# What was done, by the name of the checkout in the address.
_DONE = {
    routes.CARD_VISIT: "Card added",
    routes.PAYMENT_VISIT: "Payment confirmed",
    routes.LEFT_VISIT: "Payment confirmed",  # before it was left
}


class TestPayments(rx.State):
    """A setting of the running site, which the built pages do not know."""

    on: bool = settings.test_payments


def back_to(tab: rx.State) -> str:
    """Return the address of the tab's page, to which the provider leads back."""
    return site_address(tab) + tab.router.url.path.rstrip("/")


async def leave(begin: Awaitable[str]) -> tuple[Any, str]:
    """Return the event that leads to the provider's page, or else why there is none."""
    address, problem = await attempt(begin, "card.begin_failed")
    return rx.redirect(address) if address else None, problem


async def come_back(
    tab: rx.State, finish: Callable[[str], Awaitable[None]], *, to: str = ""
) -> Any:
    """Finish the checkout that the address names, and say what has come of it.

    Args:
        to: The path without the checkout, by default as the tab has it.

    Returns:
        The event that leaves it out of the address; None where it names none.
    """
    asked = tab.router.url.query_parameters
    done = next((name for name in routes.VISITS if asked.get(name)), None)
    if done is None:
        return None
    problem = await problem_of(finish(asked[done]), "card.finish_failed")
    toast = await tab.get_state(ToastState)
    if problem:
        toast._show(problem, "problem", seconds=8)
    else:
        toast._show(_DONE[done])
    return rx.redirect(to or tab.router.url.path, replace=True)


Charge = Callable[[str], Awaitable[object]]
Confirm = Callable[[], Awaitable[str]]


class PayingScreen(CustomerScreen, mixin=True):
    """A press that pays, and its refusal. Its key lets a second press find the charge."""

    busy: str = ""  # the button that was pressed
    error: str = ""
    error_at: str = ""  # the button beside which it stands
    wants_card: bool = False  # another card is the way on

    _key: str = ""

    def _begin(self, button: str) -> None:
        """Be busy by a button, without what was refused before."""
        self.busy = self.error_at = button
        self.error, self.wants_card = "", False

    async def _pay(self, charge: Charge, event: str, confirm: Confirm) -> tuple[bool, Any]:
        """Charge once by the tab's key, and say why that was refused.

        Returns:
            Whether it was done, and the event that leads to the provider's page where the bank
            wants the customer to confirm it there.
        """
        self._key = self._key or str(uuid.uuid4())
        return await self._charge(self._once(charge), event, confirm)

    async def _charge(
        self, charge: Awaitable[object], event: str, confirm: Confirm
    ) -> tuple[bool, Any]:
        """Charge, as `_pay` says, where a second press finds the first one by itself."""
        address = ""

        async def charged() -> None:
            nonlocal address
            try:
                await charge
            except PaymentDeclined as declined:
                if declined.code != NEEDS_CONFIRMATION:
                    self.wants_card = True
                    raise
                address = await confirm()
            except NoCard:
                self.wants_card = True
                raise

        self.error = await problem_of(charged(), event)
        self.busy = ""
        return not self.error and not address, rx.redirect(address) if address else None

    async def _leave(self, busy: str, begin: Awaitable[str]) -> AsyncIterator[Any]:
        """Go to the provider's page, or say why not."""
        self._begin(busy)
        yield
        away, self.error = await leave(begin)
        self.busy = ""
        yield away

    async def _once(self, charge: Charge) -> None:
        """Charge with the key, which is kept as long as the outcome is not known."""
        try:
            await charge(self._key)
        except PaymentPending:
            raise
        except Refusal:
            self._key = ""
            raise
        self._key = ""
