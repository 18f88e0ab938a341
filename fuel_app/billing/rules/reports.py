"""Reports on money: days, what moved on them, and what staff should look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

from fuel_app.billing.rules import invoices as rules
from fuel_app.billing.rules.payments import Payment, code_words
from fuel_app.kit.contact import text
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.lists import Question
from fuel_app.kit.money import Money, total

DAYS, DAYS_MAX, PAGE_SIZE = 30, 366, 20
# Income and what reduces it, as staff read it.
INCOME = {
    rules.PLANS: "Plans",
    rules.FUEL: "Fuel",
    rules.FEES: "Fees",
    rules.DISCOUNTS: "Neighborhood discounts",
    rules.PROMOTIONS: "Free fills and credit",
    rules.RETURNS: "Refunds and waivers",
    rules.BAD_DEBT: "Uncollectible",
    rules.DISPUTED: "Disputes",
}

OF_PLANS = (rules.PLANS, rules.DISCOUNTS)
_RETURNED = (rules.RETURNS, rules.BAD_DEBT, rules.DISPUTED)


@dataclass(frozen=True)
class MoneyQuery(Question):
    """A range of days, by default the last 30, and a page of the payments."""

    first: str = ""
    last: str = ""

    TYPED = ("first", "last")

    def days(self, today: date) -> tuple[date, date]:
        """Return the first and the last day.

        Raises:
            InvalidForm: With the message of what is no day, or of too long a range.
        """
        last = _day("last", self.last, today)
        month = date.fromordinal(max(1, last.toordinal() - DAYS + 1))
        first = _day("first", self.first, month)
        if not timedelta(0) <= last - first < timedelta(days=DAYS_MAX):
            raise InvalidForm({"first": f"Choose a day up to {DAYS_MAX} days before the last one"})
        return first, last


def _day(name: str, typed: str, default: date) -> date:
    try:
        return date.fromisoformat(text(typed)) if typed else default
    except ValueError:
        raise InvalidForm({name: "Choose a day"}) from None


@dataclass(frozen=True, slots=True)
class Moved:
    """The sum of one day's entries from one account to another."""

    day: date
    debit: str
    credit: str
    amount: Money


@dataclass(frozen=True)
class MoneyDay:
    """The money of one day, or of all days, as it is shown."""

    day: str
    captured: str
    refunded: str
    earned: str
    income: tuple[str, ...]  # each part by its name, without what is nothing

    @classmethod
    def of(cls, day: str, moved: Sequence[Moved]) -> Self:
        """Add up movements. Disputed amounts are neither captured nor refunded."""
        paid = [each for each in moved if rules.DISPUTED not in (each.debit, each.credit)]
        income = {name: _credited(moved, account) for account, name in INCOME.items()}
        return cls(
            day,
            str(total(each.amount for each in paid if each.debit == rules.STRIPE)),
            str(total(each.amount for each in paid if each.credit == rules.STRIPE)),
            str(total(income.values())),
            tuple(f"{name}: {amount}" for name, amount in income.items() if amount.cents),
        )


def _credited(moved: Sequence[Moved], account: str) -> Money:
    """Return what an account was credited less what it was debited."""
    credits = total(each.amount for each in moved if each.credit == account)
    return credits - total(each.amount for each in moved if each.debit == account)


@dataclass(frozen=True, slots=True)
class Earned:
    """The earnings of a day, without tax: from plans, from fill-ups, and what was given back."""

    plans: Money
    fills: Money
    returned: Money  # below nothing: refunds, credit given, losses

    @property
    def total(self) -> Money:
        return self.plans + self.fills + self.returned

    @classmethod
    def of(cls, moved: Sequence[Moved]) -> Self:
        """Add up one day's movements. Credit that is given is no part of a fill; a free fill is."""
        plans = total(_credited(moved, account) for account in OF_PLANS)
        given = [each for each in moved if rules.CUSTOMER_CREDIT in (each.debit, each.credit)]
        credit = _credited(given, rules.PROMOTIONS)
        returned = total(_credited(moved, account) for account in _RETURNED) + credit
        whole = total(_credited(moved, account) for account in INCOME)
        return cls(plans, whole - plans - returned, returned)


@dataclass(frozen=True)
class Concern:
    """Something that staff should look at: a payment, a dispute, or a failed refund."""

    person_id: str  # empty for a guest
    who: str
    when: str
    amount: str
    what: str
    refund_id: str  # of a failed refund, to try it again

    @classmethod
    def of(
        cls, payment: Payment, person_id: str, who: str, when: str, amount: Money, refund_id: str
    ) -> Self:
        pending = "Being confirmed" if payment.is_pending else ""
        what = code_words(payment.dispute) or payment.failure or pending
        return cls(person_id, who, when, str(amount), what, refund_id)


@dataclass(frozen=True)
class Unmatched:
    """A webhook whose object is none of ours."""

    id: str
    what: str
    object_id: str
    when: str


@dataclass(frozen=True)
class MoneyReport:
    """All that is shown of a range of days and of what is open now."""

    days: tuple[MoneyDay, ...] = ()  # with entries, the latest first; then all of them
    payments: tuple[Concern, ...] = ()  # a page of the open and failed ones
    page: int = 1
    pages: int = 1
    disputes: tuple[Concern, ...] = ()
    refunds: tuple[Concern, ...] = ()  # that have failed
    webhooks: tuple[Unmatched, ...] = ()
