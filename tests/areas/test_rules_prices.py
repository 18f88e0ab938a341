"""Fuel prices: typed, aged, compared, drawn; the EIA's answers."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.areas.rules.prices import (
    EIA_SERIES,
    GradeLine,
    Jump,
    NewPrice,
    NothingTyped,
    PriceNow,
    PriceRow,
    PriceTerms,
    Proposal,
    age_words,
    charted,
    clean_price,
    effective_from,
    is_jump,
    is_stale,
    parse_prices,
    published_week,
    read_proposals,
    step_path,
    unpriced,
)
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import FuelPrice
from tests.areas.eia_server import row

NOW = datetime(2026, 11, 24, 17, tzinfo=UTC)  # a Tuesday's noon in New York
REGULAR, PLUS, PREMIUM, DIESEL = EIA_SERIES


def parsed(effective: object = "") -> PriceTerms:
    return PriceTerms.parse({"source": "Us", "effective": effective})


@pytest.mark.parametrize(
    ("typed", "mills"),
    [
        ("3.459", 3459),
        ("3.45", 3450),
        ("3.1", 3100),
        (" $3.459 ", 3459),
        ("$ 10.00", 10_000),
        ("1.00", 1000),
    ],
)
def test_a_price_is_typed_in_dollars_with_cents_or_tenths_of_a_cent(typed, mills):
    assert clean_price(typed) == mills


@given(st.integers(1000, 15_000))
def test_every_price_in_range_is_shown_as_it_is_typed(mills):
    assert clean_price(FuelPrice(mills).exact) == mills


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        *((typed, "Price is required") for typed in (None, " ", "3" * 60)),
        *(
            (typed, "Enter dollars per gallon, such as 3.459")
            for typed in ("3", "3.", "3.4599", "-3.45", "3,459", "\u0663.\u0664\u0665")
        ),
        ("0.99", "Enter a price from $1.00 to $15.00 per gallon"),
        ("15.001", "Enter a price from $1.00 to $15.00 per gallon"),
    ],
)
def test_a_price_that_cannot_be_is_refused(typed, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        clean_price(typed)


LINES = [GradeLine(area_id=area, grade="regular", key=f"{area}-regular") for area in "ab"]
SHARED = {"source": "Us", "effective": ""}


def test_lines_of_the_table_with_a_new_price_are_read_with_cost_and_what_was_seen():
    typed = {"price-b-regular": "3.1", "cost-b-regular": "$2.9", "seen-b-regular": "7"}
    terms, new = parse_prices(SHARED | typed | {"price-x-regular": "9.99"}, LINES)
    assert (terms.source, new) == ("Us", [NewPrice("b", "regular", 3100, 2900, "7")])
    _, [alone] = parse_prices(SHARED | {"price-a-regular": "3.459"}, LINES)
    assert (alone.cost, alone.seen) == (None, "")


def test_each_wrong_field_of_the_table_is_named():
    typed = {"price-a-regular": "3", "cost-b-regular": "2.90", "source": ""}
    with pytest.raises(InvalidForm) as wrong:
        parse_prices(typed, LINES)
    assert wrong.value.messages == {
        "source": "Source is required",
        "price-a-regular": "Enter dollars per gallon, such as 3.459",
        "price-b-regular": "Price is required",
    }
    for nothing in (SHARED, SHARED | {"price-a-regular": " "}):
        with pytest.raises(NothingTyped):
            parse_prices(nothing, LINES)
    with pytest.raises(InvalidForm):
        parse_prices(None, LINES)


def test_a_time_is_typed_as_new_york_has_it():
    assert parsed().effective is None
    typed = parsed(effective="2026-11-24T12:00").effective
    assert typed == NOW
    for wrong in ("tomorrow", "2026-02-30T08:00", "2026-11-24"):
        with pytest.raises(InvalidForm) as error:
            parsed(effective=wrong)
        assert error.value.messages == {"effective": "Enter a day and a time"}


def test_a_price_takes_effect_at_once_or_within_30_days():
    assert effective_from(parsed(), NOW) == NOW
    assert effective_from(parsed(effective="2026-11-24T12:01"), NOW) == NOW + timedelta(minutes=1)
    for wrong, message in (
        ("2026-11-24T11:59", "This time is over. Leave it empty for 'at once'"),
        ("2026-12-24T12:01", "Choose a time within 30 days"),
    ):
        with pytest.raises(InvalidForm) as error:
            effective_from(parsed(effective=wrong), NOW)
        assert error.value.messages == {"effective": message}


def test_a_jump_is_more_than_20_percent_either_way_and_names_both_prices():
    assert [is_jump(3000, after, 20) for after in (2399, 2400, 3600, 3601)] == [
        *(True, False, False, True)
    ]
    above, below = Jump("Plus, Venice", 3000, 3750), Jump("Plus, Venice", 4000, 2999)
    assert above.words == "Plus, Venice: $3.75 is 25 % above $3.00, the price in effect then"
    assert below.words.startswith("Plus, Venice: $2.999 is 25 % below $4.00")


def test_the_age_counts_days_in_new_york():
    assert age_words(NOW, NOW) == "today"
    assert age_words(NOW - timedelta(hours=13), NOW) == "yesterday"  # 11 PM there
    assert age_words(NOW - timedelta(days=3), NOW) == "3 days ago"


def test_a_grade_without_a_price_or_with_a_stale_one_is_unpriced():
    assert not is_stale(NOW - timedelta(days=14), NOW, 14)
    assert is_stale(NOW - timedelta(days=14, seconds=1), NOW, 14)
    prices = {"regular": PriceNow(3459, NOW, "", False), "diesel": PriceNow(3999, NOW, "", True)}
    assert unpriced(["regular", "premium", "diesel"], prices) == ["premium", "diesel"]


def test_the_chart_steps_from_the_price_before_its_first_day():
    def priced(mills: int, days_ago: int) -> PriceRow:
        return PriceRow("", "regular", mills, NOW - timedelta(days=days_ago), "", "")

    rows = [priced(9000, 200), priced(3000, 100), priced(3500, 45), priced(4000, 9)]
    shown = charted([*rows, priced(5000, -1)], NOW)
    assert shown == rows[1:]
    assert step_path(shown, NOW) == "M0 30H50V16H90V2H100"
    assert step_path(rows[3:], NOW) == "M90 16H100"
    assert step_path([], NOW) == ""


def test_the_newest_week_is_published_on_tuesday():
    monday = date(2026, 11, 23)
    week = [published_week(NOW + timedelta(days=days)) for days in (-1, 0, 5, 6, 7)]
    before, after = monday - timedelta(days=7), monday + timedelta(days=7)
    assert week == [before, monday, monday, monday, after]


def test_values_are_texts_or_numbers_and_weeks_without_one_are_left_out():
    rows = [
        row(REGULAR, "2026-11-23", "2.991"),
        row(REGULAR, "2026-11-16", "3.049"),
        row(PLUS, "2026-11-23", 3.412),
        row(PREMIUM, "2026-11-23", None),
        row(PREMIUM, "2026-11-16", "3.7555"),
        row(DIESEL, "2026-11-23", "4.1"),
    ]
    assert read_proposals({"response": {"data": rows}}) == [
        Proposal("regular", date(2026, 11, 23), 2991, "EIA, Florida, week of Nov 23, 2026"),
        Proposal("regular", date(2026, 11, 16), 3049, "EIA, Florida, week of Nov 16, 2026"),
        Proposal("plus", date(2026, 11, 23), 3412, "EIA, Florida, week of Nov 23, 2026"),
        Proposal("premium", date(2026, 11, 16), 3756, "EIA, Florida, week of Nov 16, 2026"),
        Proposal("diesel", date(2026, 11, 23), 4100, "EIA, Lower Atlantic, week of Nov 23, 2026"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        row(REGULAR, "2026-11-23", "0.2"),
        row(REGULAR, "2026-11-23", "299.1"),
        row(REGULAR, "2026-11-23", "NaN"),
        row(REGULAR, "2026-11-23", "1e999999"),
        row(REGULAR, "2026-11-23", True),
        row(REGULAR, "2026-11-23", "3.1", units="$/BBL"),
        row(REGULAR, "soon", "3.1"),
        row("EMM_EPMR_PTE_NUS_DPG", "2026-11-23", "3.1"),
        {},
    ],
)
def test_implausible_and_unknown_values_are_dropped(wrong):
    assert read_proposals({"response": {"data": [wrong]}}) == []


@pytest.mark.parametrize(
    "answer",
    [None, [], {}, {"response": None}, {"response": {"data": 3}}, {"response": {"data": [3]}}],
)
def test_what_is_no_answer_is_an_error(answer):
    with pytest.raises(ValueError, match="not an answer of the EIA"):
        read_proposals(answer)
