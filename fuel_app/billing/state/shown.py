"""Plan, card, offers and unpaid invoices as the screens show them: plain texts."""

import dataclasses
from collections.abc import Iterable
from datetime import date
from typing import Self

from fuel_app.billing.rules.cards import CardOnFile
from fuel_app.billing.rules.invoices import Invoice, Line
from fuel_app.billing.rules.payments import NEEDS_CONFIRMATION, PaymentPending, reason_of
from fuel_app.billing.rules.plans import Offer, PlanOverview
from fuel_app.billing.rules.receipts import description_of
from fuel_app.kit.clock import day_of, long_date
from fuel_app.plans.rules.subscriptions import ACTIVE, CANCELLED, INCOMPLETE, PAST_DUE

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
