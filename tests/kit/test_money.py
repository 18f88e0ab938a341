"""Money, limits and words around numbers: how they are shown and divided."""

import pytest

from fuel_app.kit.money import FuelPrice, Money
from fuel_app.kit.words import counted


@pytest.mark.parametrize(
    ("cents", "shown", "short", "decimal"),
    [
        (0, "$0.00", "$0", "0.00"),
        (5, "$0.05", "$0.05", "0.05"),
        (4400, "$44.00", "$44", "44.00"),
        (1250, "$12.50", "$12.50", "12.50"),
        (123456, "$1,234.56", "$1,234.56", "1234.56"),
    ],
)
def test_an_amount_is_shown_in_dollars_and_cents(cents, shown, short, decimal):
    amount = Money(cents)
    assert (str(amount), amount.short, amount.decimal) == (shown, short, decimal)


@pytest.mark.parametrize(
    ("cents", "count", "each"),
    [(14760, 3, 4920), (10000, 3, 3333), (20000, 3, 6667), (5, 2, 3), (0, 4, 0), (9900, 0, 0)],
)
def test_a_share_is_rounded_half_up_to_the_cent(cents, count, each):
    assert Money(cents).per(count) == Money(each)


@pytest.mark.parametrize(("mills", "shown"), [(3450, "$3.45"), (3459, "$3.46"), (3454, "$3.45")])
def test_a_price_per_gallon_is_shown_to_the_cent(mills, shown):
    assert str(FuelPrice(mills)) == shown


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [
        (0, ("lead",), "0 leads"),
        (1, ("match", "matches"), "1 match"),
        (1234, ("match", "matches"), "1,234 matches"),
    ],
)
def test_a_count_has_its_noun_in_the_right_number(count, nouns, text):
    assert counted(count, *nouns) == text
