"""Money and months."""

from datetime import date

import pytest

from fuel_app.plans.billing import PaymentMethod, dollars, months_later


@pytest.mark.parametrize(
    ("cents", "shown"),
    [(0, "$0.00"), (5, "$0.05"), (4400, "$44.00"), (123456, "$1,234.56")],
)
def test_money_shows_dollars_and_cents(cents, shown):
    assert dollars(cents) == shown


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2026, 11, 9), 1, date(2026, 12, 9)),
        (date(2026, 12, 9), 1, date(2027, 1, 9)),
        (date(2026, 1, 9), -1, date(2025, 12, 9)),
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2028, 1, 31), 1, date(2028, 2, 29)),
        (date(2026, 1, 31), 2, date(2026, 3, 31)),
        (date(2026, 5, 4), 0, date(2026, 5, 4)),
    ],
)
def test_a_month_later_is_the_same_day_or_the_months_last(day, months, expected):
    assert months_later(day, months) == expected


def test_a_card_shows_the_month_in_which_it_expires():
    assert PaymentMethod("Visa", "4242", date(2028, 8, 1)).expiry == "08/28"
