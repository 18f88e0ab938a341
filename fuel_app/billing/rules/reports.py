"""Reports on money: days, what moved on them, and what staff should look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Self

from fuel_app.billing.rules import invoices as rules
from fuel_app.kit import clock
from fuel_app.kit.clock import months_later
from fuel_app.kit.contact import text
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.lists import Question
from fuel_app.kit.money import Money, total
from fuel_app.kit.words import counted

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
    """The money of one day, of a month, or of all days, as it is shown."""

    day: str
    captured: str
    refunded: str
    tax: str
    earned: str
    income: tuple[str, ...]  # each part by its name, without what is nothing
    between: tuple[str, ...]  # what lies between captured and income, as the parts
    href: str = ""  # of a month: its days

    @classmethod
    def of(cls, day: str, moved: Sequence[Moved], href: str = "") -> Self:
        """Add up movements. Disputed amounts are neither captured nor refunded."""
        paid = [each for each in moved if rules.DISPUTED not in (each.debit, each.credit)]
        refunded = total(each.amount for each in paid if each.credit == rules.STRIPE)
        income = {name: _credited(moved, account) for account, name in INCOME.items()}
        tax, unpaid = _credited(moved, rules.TAX), -_credited(moved, rules.RECEIVABLE)
        between = {
            "Invoiced, not paid yet" if unpaid.cents > 0 else "Paid of earlier invoices": unpaid,
            "Customers' credit": -_credited(moved, rules.CUSTOMER_CREDIT),
            "Refunded": -refunded,
            "Disputes": _credited(moved, rules.DISPUTED),
            "Tax": -tax,
        }
        return cls(
            day,
            str(total(each.amount for each in paid if each.debit == rules.STRIPE)),
            str(refunded),
            str(tax),
            str(total(income.values())),
            _named(income),
            _named(between),
            href,
        )


def _named(parts: Mapping[str, Money]) -> tuple[str, ...]:
    return tuple(f"{name}: {amount}" for name, amount in parts.items() if amount.cents)


def month_before(day: date) -> date:
    """Return the first day of the month before a day's."""
    return months_later(day.replace(day=1), -1)


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
class Debtor:
    """All that one customer or guest owes."""

    person_id: str  # empty for a guest
    who: str
    amount: str
    since: str  # day of the oldest invoice
    name: str  # that invoice
    invoice_id: str
    more: str  # 'and 2 more', of its invoices
    what: str  # how the last try to charge it ended; empty without one


@dataclass(frozen=True)
class Dispute:
    """A payment that its bank takes back, or has."""

    payment_id: str
    person_id: str
    who: str
    amount: str
    when: str  # it began; of an inquiry, which moves no money, of the payment
    what: str
    deadline: str  # of our answer; empty where none is waited for
    invoice_id: str  # empty without one: a hold
    name: str


def deadline_words(due_at: datetime | None, now: datetime) -> str:
    """Return until when a dispute has to be answered: 'Dec 4, 2026, 6:59 PM (in 6 days)'."""
    if due_at is None:
        return "See Stripe"
    if due_at <= now:
        return f"{clock.date_and_time(due_at)} (over)"
    days = (clock.day_of(due_at) - clock.day_of(now)).days
    return f"{clock.date_and_time(due_at)} ({'in ' + counted(days, 'day') if days else 'today'})"


@dataclass(frozen=True)
class FailedRefund:
    """A refund that has failed."""

    refund_id: str
    person_id: str
    who: str
    when: str
    amount: str


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

    owed: str = ""  # all debts together; empty without any
    debtors: str = ""  # '14 customers'
    debts: tuple[Debtor, ...] = ()  # a page of them, the oldest first
    page: int = 1
    pages: int = 1
    disputes: tuple[Dispute, ...] = ()  # those to answer first, by their deadline
    refunds: tuple[FailedRefund, ...] = ()
    months: tuple[MoneyDay, ...] = ()  # this one so far, and the one before
    days: tuple[MoneyDay, ...] = ()  # with entries, the latest first; then all of them
    webhooks: tuple[Unmatched, ...] = ()
