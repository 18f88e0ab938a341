"""Subscriptions: their states, and periods that are counted by the billing day."""

from dataclasses import dataclass
from datetime import date
from typing import Self

from fuel_app.kit.clock import months_later
from fuel_app.kit.errors import Refusal
from fuel_app.plans.rules.plans import Plan

INCOMPLETE, ACTIVE, PAST_DUE, CANCELLED = STATES = ("incomplete", "active", "past_due", "cancelled")


class OtherWording(Refusal):
    """Another price or plan than the button named when it was pressed."""

    message = "Your plan or its price has changed meanwhile. The button now says the new price."


class NoPlan(Refusal):
    message = "There is no plan to start on this account."


@dataclass(frozen=True, slots=True)
class Period:
    """A month of a plan, in days of New York; `ends` is the next one's first day."""

    starts: date
    ends: date

    @classmethod
    def of(cls, anchor: date, day: date) -> Self:
        """Return the period of a day.

        Args:
            anchor: The first billing day. Its 31st is kept: 31 January, 28 February, 31 March.
            day: A day in the period.
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
    def may_start(self) -> bool:
        """Return whether it waits for its start; one that has ended may start again."""
        return self.state in (INCOMPLETE, CANCELLED)

    def in_reach(self, day: date) -> tuple[Period, Plan] | None:
        """Return the period of a day with its plan: this period or the next, of an active plan."""
        if not (self.is_active and self.anchor and self.period_starts and self.period_ends):
            return None
        period = Period.of(self.anchor, day)
        if period.starts == self.period_starts:
            return period, self.plan
        if period.starts == self.period_ends and self.following:
            return period, self.following
        return None


def start_wording(plan: Plan) -> str:
    """Return what the button says that starts a plan; it is stored with the start."""
    name = plan.name.removesuffix(" Plan")
    return f"Start {name} · {plan.price} today, then monthly until you cancel"
