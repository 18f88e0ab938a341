"""Dates of a series, when they are due, what waits, and why it ends."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from fuel_app.bookings.rules.bookings import NoPrice, PastDue, SlotFull
from fuel_app.bookings.rules.slots import by_day, on_clock, slot_offer
from fuel_app.plans.rules.plans import (
    ACTIVE,
    BY_ID,
    CANCELLED,
    INCOMPLETE,
    PAST_DUE,
    SubscriptionInfo,
)
from fuel_app.repeats import rules

TUESDAY = date(2026, 11, 24)
DAY = timedelta(days=1)
FAMILY = BY_ID["family"]
PLAN = SubscriptionInfo(
    "ada", FAMILY, ACTIVE, TUESDAY, TUESDAY, date(2026, 12, 24), following=FAMILY
)


@pytest.mark.parametrize(
    ("weeks", "after", "expected"),
    [
        (1, TUESDAY - 3 * DAY, date(2026, 12, 1)),  # the visit itself is no date
        (1, TUESDAY, date(2026, 12, 1)),
        (1, date(2026, 12, 1), date(2026, 12, 8)),
        (2, TUESDAY + 13 * DAY, date(2026, 12, 8)),
        (2, TUESDAY + 14 * DAY, date(2026, 12, 22)),
        (4, TUESDAY, date(2026, 12, 22)),  # 28 days, not a month
        (4, date(2026, 12, 22), date(2027, 1, 19)),
        (4, date(2027, 1, 31), date(2027, 2, 16)),
    ],
)
def test_next_date_is_so_many_weeks_after_the_first(weeks, after, expected):
    assert rules.next_day(TUESDAY, weeks, after) == expected
    assert expected.weekday() == TUESDAY.weekday()


def test_date_is_due_within_the_horizon_and_before_the_plan_ends():
    day = TUESDAY + 7 * DAY
    assert rules.is_due(day, TUESDAY, 7, PLAN)
    assert not rules.is_due(day, TUESDAY, 6, PLAN)
    assert rules.is_due(day, TUESDAY, 7, None)
    ending = replace(PLAN, following=None, period_ends=day)
    assert not rules.is_due(day, TUESDAY, 7, ending)
    assert rules.is_due(day, TUESDAY, 7, replace(ending, period_ends=day + DAY))


@pytest.mark.parametrize(
    ("plan", "cars", "declines", "why"),
    [
        (PLAN, 1, 1, ""),
        (replace(PLAN, state=PAST_DUE), 1, 0, ""),
        (None, 1, 0, rules.PLAN),
        (replace(PLAN, state=CANCELLED), 0, 2, rules.PLAN),
        (replace(PLAN, state=INCOMPLETE), 1, 0, rules.PLAN),
        (PLAN, 0, 2, rules.CARS),
        (PLAN, 1, 2, rules.CARD),
    ],
)
def test_series_ends_with_plan_cars_or_card(plan, cars, declines, why):
    assert rules.why_ended(plan, cars, declines) == why
    assert why == "" or rules.END_TEXTS[why]


def test_what_may_be_over_by_tomorrow_waits():
    assert rules.waits(NoPrice())
    assert rules.waits(PastDue())
    assert not rules.waits(SlotFull())


def test_nearest_windows_are_those_around_the_wanted_one_in_order():
    offers = [
        slot_offer(f"{day}-{opens}", TUESDAY + day * DAY, opens, opens + 2)
        for day in (0, 1, 2)
        for opens in (8, 10, 16)
    ]
    full = replace(offers[4], is_open=False)
    days = by_day([*offers[:4], full, *offers[5:]])
    assert rules.nearest(days, on_clock(TUESDAY + DAY, 10), most=2) == [
        "Wed, Nov 25, 8–10 AM",  # noqa: RUF001
        "Wed, Nov 25, 4–6 PM",  # noqa: RUF001
    ]
    assert rules.nearest([], on_clock(TUESDAY, 8)) == []


def test_words_of_a_series():
    assert [rules.label(each) for each in rules.WEEKS] == [
        "Every week",
        "Every 2 weeks",
        "Every 4 weeks",
    ]
    assert rules.window_text(TUESDAY, 8, 10) == "Tuesdays, 8–10 AM"  # noqa: RUF001
    assert rules.window_text(TUESDAY, 22, 24) == "Tuesdays, 10 PM–12 AM"  # noqa: RUF001
