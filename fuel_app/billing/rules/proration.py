"""Proration: what the unused days of a period are worth."""

from collections.abc import Iterable
from datetime import date

from fuel_app.billing.rules.invoices import Line
from fuel_app.kit.money import Money, total
from fuel_app.plans.rules.subscriptions import Period

_PRICE = ("plan", "discount")  # the kinds of lines by which a period was paid


def price_of(lines: Iterable[Line]) -> Money:
    """Return what an invoice takes for its plan: the price less the neighborhood discount.

    Credit of unused days pays for a period, as the customer's balance does.
    """
    return total(line.amount for line in lines if line.kind in _PRICE)


def days(period: Period) -> int:
    return (period.ends - period.starts).days


def unused_days(period: Period, day: date) -> int:
    """Return the days of a period from `day` on; that day belongs to what follows."""
    return min(max((period.ends - day).days, 0), days(period))


def unused(price: Money, period: Period, day: date) -> Money:
    """Return the part of a period's price that falls to its unused days, half a cent rounded up."""
    return price.share(unused_days(period, day), days(period))
