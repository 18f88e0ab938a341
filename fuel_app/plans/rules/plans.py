"""The plans, the fee of a one-time fill, and subscriptions whose periods count by billing day."""

from dataclasses import dataclass
from datetime import date
from typing import Self

from fuel_app.kit.clock import months_later
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money, dollars

ONE_TIME_FEE = dollars(15)  # added to the market price of fuel


@dataclass(frozen=True, slots=True)
class Plan:
    """A monthly plan: its price and its fills are a month's."""

    id: str
    name: str
    price: Money
    fills: int
    description: str
    features: tuple[str, ...]
    popular: bool = False
    guest_fills: int = 0  # each calendar quarter, for a car that is not registered
    rolls_over: int = 0  # unused fills that the next period gets, at most

    @property
    def price_per_fill(self) -> Money:
        """Return the plan's price over its fills, without the fuel."""
        return self.price.per(self.fills)


PLANS = (
    Plan(
        id="solo",
        name="Solo Plan",
        price=dollars(25),
        fills=2,
        description="For one driver who is tired of gas stations.",
        features=(
            "Mobile fill-ups at home or work",
            "Online scheduling access",
            "Monthly fuel tracking dashboard",
        ),
    ),
    Plan(
        id="family",
        name="Family Plan",
        price=dollars(44),
        fills=4,
        description="For a household with two cars in the driveway.",
        features=("Priority scheduling access", "2 registered vehicles", "Roll over 1 unused fill"),
        popular=True,
        rolls_over=1,
    ),
    Plan(
        id="big-family",
        name="Big Family Plan",
        price=dollars(79),
        fills=10,
        description="For the driveway that is always full.",
        features=(
            "Same-day service before noon",
            "Unlimited registered vehicles",
            "Priority text and phone support",
            "Free quarterly guest fill",
        ),
        guest_fills=1,
    ),
)
BY_ID = {plan.id: plan for plan in PLANS}


INCOMPLETE, ACTIVE, PAST_DUE, CANCELLED = STATES = ("incomplete", "active", "past_due", "cancelled")


class NoPlan(Refusal):
    message = "There is no plan to start on this account."


class PlanNotActive(Refusal):
    message = "Your plan is not active, so it cannot be changed."


@dataclass(frozen=True, slots=True)
class Period:
    """A month of a plan, in days of New York; `ends` is the next one's first day."""

    starts: date
    ends: date

    @classmethod
    def of(cls, anchor: date, day: date) -> Self:
        """Return the period of a day, counted from the anchor, the first billing day.

        Its 31st is kept: 31 January, 28 February, 31 March.
        """
        months = (day.year - anchor.year) * 12 + day.month - anchor.month
        if day < months_later(anchor, months):
            months -= 1
        return cls(months_later(anchor, months), months_later(anchor, months + 1))


@dataclass(frozen=True, slots=True)
class SubscriptionInfo:
    """A person's subscription; the days are None until it is started."""

    person_id: str
    plan: Plan
    state: str
    anchor: date | None = None
    period_starts: date | None = None
    period_ends: date | None = None
    following: Plan | None = None  # the next period's plan; None where it ends with this one

    @property
    def is_active(self) -> bool:
        return self.state == ACTIVE

    @property
    def pending(self) -> Plan | None:
        """Return the other plan that follows at the end of this period."""
        return self.following if self.following != self.plan else None

    @property
    def ends(self) -> date | None:
        """Return the day on which an active plan ends; None where another period follows."""
        return self.period_ends if self.is_active and not self.following else None

    @property
    def may_start(self) -> bool:
        """Return whether it waits for its start; one that has ended may start again."""
        return self.state in (INCOMPLETE, CANCELLED)

    @property
    def periods(self) -> tuple[tuple[Period, Plan], ...]:
        """Return this period and the next with their plans; none of a plan that has ended."""
        starts, ends = self.period_starts, self.period_ends
        if self.may_start or not (self.anchor and starts and ends):
            return ()
        current = Period(starts, ends), self.plan
        return (
            (current, (Period.of(self.anchor, ends), self.following))
            if self.following
            else (current,)
        )

    def in_reach(self, day: date) -> tuple[Period, Plan] | None:
        """Return the period of a day with its plan: this period or the next, of an active plan."""
        found = self.periods if self.is_active else ()
        return next((each for each in found if each[0].starts <= day < each[0].ends), None)


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A subscription before and after a change."""

    before: SubscriptionInfo
    after: SubscriptionInfo

    @property
    def adds_fills(self) -> bool:
        """Return whether a plan is started, or one with more fills takes the former one's place."""
        before, after = self.before, self.after
        more = before.is_active and after.plan.fills > before.plan.fills
        return after.is_active and (before.may_start or more)
