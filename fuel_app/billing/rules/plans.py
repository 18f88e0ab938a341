"""A plan and its price: what a customer sees before a button, the lines of an invoice, and what
the unused days of a period are worth.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from fuel_app.billing.rules.invoices import Line, credit_for, sum_of
from fuel_app.customers.rules.vehicles import room_of
from fuel_app.kit.clock import long_date
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money, total
from fuel_app.neighborhoods.rules import tier_for
from fuel_app.plans.rules.plans import PAST_DUE, Period, Plan, SubscriptionInfo

_PRICE_KINDS = ("plan", "discount")  # the kinds of lines by which a period was paid


def price_of(lines: Iterable[Line]) -> Money:
    """Return what an invoice takes for its plan: the price less the neighborhood discount.

    Credit of unused days pays for a period, as the customer's balance does.
    """
    return total(line.amount for line in lines if line.kind in _PRICE_KINDS)


def days_of(period: Period) -> int:
    return (period.ends - period.starts).days


def unused_days(period: Period, day: date) -> int:
    """Return the days of a period from `day` on; that day belongs to what follows."""
    return min(max((period.ends - day).days, 0), days_of(period))


def unused_value(price: Money, period: Period, day: date) -> Money:
    """Return the part of a period's price that falls to its unused days, half a cent rounded up."""
    return price.share(unused_days(period, day), days_of(period))


Way = Literal["current", "start", "up", "down"]
NOTHING = Money(0)


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """A customer's neighborhood, tax and credit: with the plan they decide the price."""

    neighborhood: str = ""
    confirmed: int = 0  # members of the neighborhood with a verified e-mail
    tax_basis_points: int = 0
    credit: Money = NOTHING  # the customer's balance

    def discount(self, plan: Plan) -> Money:
        """Return the neighborhood's discount, at most the plan's price."""
        return min(tier_for(self.confirmed).monthly_discount, plan.price)


@dataclass(frozen=True, slots=True)
class PaidPeriod:
    """The period that ends with a switch: its plan, and what was paid for it."""

    plan: Plan
    period: Period
    price: Money


@dataclass(frozen=True, slots=True)
class Offer:
    """One of the plans as `/billing` offers it."""

    plan: Plan
    way: Way  # 'start' where no plan is active; else 'current', 'up' (now) or 'down' (later)
    due: Money  # today, the sum of `lines`; nothing for a switch down
    lines: tuple[Line, ...]
    button: str  # what it says, which the press sends back as it was seen
    note: str  # what happens with the fills, and from when on
    problem: str = ""  # why the button cannot be pressed just now; empty if it can


@dataclass(frozen=True, slots=True)
class PlanOverview:
    """A customer's plan with its money."""

    subscription: SubscriptionInfo
    charge: Money | None = None  # the next one, at the period's end; None where none will come
    lines: tuple[Line, ...] = ()  # of the charge
    ends_on: date | None = None  # of a plan that is past due
    payment_pending: bool = False  # of a start or switch, which is still being confirmed

    @property
    def may_undo(self) -> bool:
        """Return whether a switch down or a cancellation waits for the period's end."""
        return self.subscription.is_active and self.subscription.following != self.subscription.plan


class OtherAmount(Refusal):
    """Another amount or plan than the button said when it was pressed."""

    def __init__(self, offer: Offer) -> None:
        super().__init__(
            "The amount or your plan has changed meanwhile. The button now says: "
            f"'{offer.button}'. Nothing was charged."
        )
        self.offer = offer


class SettleFirst(Refusal):
    message = "The payment of your plan is open. Please settle it first."


def lines_of(
    plan: Plan, starts: date, terms: PlanTerms, replaced: PaidPeriod | None = None
) -> tuple[Line, ...]:
    """Return the lines of a plan's period: price, unused days, discount, tax; no credit.

    The period that it cuts short is `replaced`.
    """
    lines = [Line("plan", f"{plan.name} from {long_date(starts)}", plan.price)]
    if replaced and (left := unused_value(replaced.price, replaced.period, starts)).cents > 0:
        unused, whole = (
            unused_days(replaced.period, starts),
            days_of(replaced.period),
        )
        text = f"Unused {unused} of {whole} days of {replaced.plan.name}"
        lines.append(Line("proration", text, -min(left, plan.price - terms.discount(plan))))
    if (discount := terms.discount(plan)).cents:
        tier = tier_for(terms.confirmed)
        text = f"Neighborhood discount, {terms.neighborhood}: {tier.label}"
        lines.append(Line("discount", text, -discount))
    tax = sum_of(tuple(lines)).share(terms.tax_basis_points, 10_000)
    if tax.cents:
        rate = f"{terms.tax_basis_points // 100}.{terms.tax_basis_points % 100:02}"
        lines.append(Line("tax", f"Sales tax {rate.rstrip('0').rstrip('.')}%", tax))
    return tuple(lines)


def with_credit(lines: tuple[Line, ...], credit: Money) -> tuple[Line, ...]:
    """Return the lines with what the customer's balance pays, last."""
    pays = credit_for(sum_of(lines), credit)
    return (*lines, Line("credit", "Credit", -pays)) if pays.cents else lines


def offer_of(
    plan: Plan,
    subscription: SubscriptionInfo,
    terms: PlanTerms,
    today: date,
    replaced: PaidPeriod | None = None,
) -> Offer:
    """Return a plan as it is offered today; a switch up cuts the period `replaced` short."""
    way = way_to(plan, subscription)
    monthly = sum_of(lines_of(plan, today, terms))
    lines: tuple[Line, ...] = ()
    if way in ("start", "up"):
        lines = with_credit(lines_of(plan, today, terms, replaced), terms.credit)
    due = sum_of(lines)
    button, note = _offer_words(plan, way, subscription, due, monthly)
    problem = ""
    if subscription.state == PAST_DUE and way != "current":
        problem = SettleFirst.message
    elif way == "down" and subscription.following == plan:
        problem = f"You switch to this plan on {_ends(subscription)}."
    return Offer(plan, way, due, lines, button, note, problem)


def way_to(plan: Plan, subscription: SubscriptionInfo) -> Way:
    """Return the way to a plan from the one that a customer has."""
    if subscription.may_start:
        return "start"
    if plan == subscription.plan:
        return "current"
    return "up" if plan.price > subscription.plan.price else "down"


def _offer_words(
    plan: Plan, way: Way, subscription: SubscriptionInfo, due: Money, monthly: Money
) -> tuple[str, str]:
    """Return the button of an offer, and what happens with the fills."""
    fills, current = f"{plan.fills} fills", subscription.plan
    if way == "start":
        name = plan.name.removesuffix(" Plan")
        each = "monthly" if due == monthly else f"{monthly} monthly"
        return (
            f"Start {name} · {due} today, then {each} until you cancel",
            f"{fills} from today, and again each month.",
        )
    if way == "up":
        kept = f", but {current.rolls_over} rolls over" if current.rolls_over else ""
        return (
            f"Switch now · {due} today",
            f"A new month begins today with {fills}; unused ones of your {current.name} end{kept}. "
            f"Bookings stay. Then {monthly} a month.",
        )
    if way == "down":
        return (
            f"Switch on {_ends(subscription)}",
            f"Until then you keep your {current.name} and its fills; "
            f"then {fills} for {monthly} a month.{_covers(plan)}",
        )
    return "Current Plan", ""


def _covers(plan: Plan) -> str:
    room = room_of(plan)
    cars = "1 vehicle" if room == 1 else f"{room} vehicles"
    return f" It covers {cars}: others stay saved, but cannot be booked."


def _ends(subscription: SubscriptionInfo) -> str:
    """'December 23'."""
    day = subscription.period_ends
    return f"{day:%B} {day.day}" if day else ""
