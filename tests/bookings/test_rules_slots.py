"""Slots by New York's clocks: ids, horizons, cut-offs; on every day, clock changes included."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.bookings.rules.slots import (
    CUTOFF,
    CUTOFF_TEXT,
    Booker,
    SlotId,
    booking_ends,
    by_day,
    can_be_booked,
    can_be_left,
    horizon,
    on_clock,
    parse_slot_id,
    short_when,
    slot_offer,
    with_places,
)
from fuel_app.customers.pages import QUESTIONS
from fuel_app.kit.clock import NEW_YORK, day_of, time_span

AREA = "01234567-89ab-7def-8123-456789abcdef"
SPRING, AUTUMN, LEAP = date(2026, 3, 8), date(2026, 11, 1), date(2028, 2, 29)
MONTH_END = date(2026, 1, 31)
SECOND = timedelta(seconds=1)

days = st.one_of(
    st.sampled_from([SPRING, AUTUMN, LEAP, MONTH_END, date(2026, 12, 31)]),
    st.dates(date(2024, 1, 1), date(2036, 12, 31)),
)
windows = st.tuples(st.integers(4, 23), st.integers(1, 6)).map(lambda w: (w[0], min(24, sum(w))))
bookers = st.builds(
    Booker, st.sampled_from([7, 14, 21]), st.integers(12, 23), st.booleans(), st.booleans()
)


def offer(day, opens=8, closes=10):
    return slot_offer(str(SlotId(AREA, day, opens)), day, opens, closes)


@given(days, st.integers(0, 23))
def test_id_names_area_day_and_hour_and_is_read_back(day, opens):
    parts = SlotId(AREA, day, opens)
    assert parse_slot_id(str(parts)) == parts
    assert len(str(parts)) == 50


@pytest.mark.parametrize(
    "sent",
    [
        *("", None, 7, [], {}, AREA, f"{AREA}-2026-02-30-08", f"{AREA}-2026-11-24-24"),
        *(f"{AREA}-0001-01-01-08", f"{AREA}-1999-12-31-08"),
        *(f"{AREA}-2026-11-24-8", f"x{AREA}-2026-11-24-08", f"{AREA}-2026-11-24-08\n"),
    ],
)
def test_text_that_is_no_id_names_no_slot(sent):
    assert parse_slot_id(sent) is None


@given(days, windows)
def test_window_is_read_off_new_yorks_clocks_on_any_day(day, window):
    slot = offer(day, *window)
    assert day_of(slot.starts_at) == day
    assert slot.starts_at.astimezone(NEW_YORK).hour == window[0]
    assert slot.ends_at.astimezone(NEW_YORK).hour == window[1] % 24
    assert slot.starts_at.tzinfo is UTC
    assert slot.ends_at - slot.starts_at == timedelta(hours=window[1] - window[0])
    assert time_span(slot.starts_at, slot.ends_at) == slot.time


def test_hour_that_a_night_skips_leaves_no_window():
    slot = offer(SPRING, 2, 3)
    assert slot.starts_at >= slot.ends_at
    assert offer(AUTUMN, 1, 2).ends_at - offer(AUTUMN, 1, 2).starts_at == timedelta(hours=2)


@given(days, windows, bookers, st.integers(-3 * 86_400, 86_400))
def test_slot_is_booked_within_the_horizon_until_its_end_of_booking(day, window, booker, seconds):
    slot = offer(day, *window)
    now = slot.starts_at + timedelta(seconds=seconds)
    assert can_be_booked(slot, booker, now) == (now <= booking_ends(slot, booker))


@given(days, windows, bookers)
def test_nobody_but_staff_books_within_two_hours_of_a_window(day, window, booker):
    slot = offer(day, *window)
    last = booking_ends(slot, booker)
    if booker.is_staff:
        assert last == slot.ends_at
    elif booker.same_day:
        assert last <= slot.starts_at - CUTOFF
        assert last <= on_clock(day, 12)
    else:
        local = last.astimezone(NEW_YORK)
        assert (local.date(), local.hour) == (day - timedelta(days=1), booker.closes_hour)


@given(days, bookers)
def test_horizon_ends_after_its_days_in_new_york(day, booker):
    listed = horizon(day, booker.horizon_days)
    assert (listed[0], listed[-1]) == (day, day + timedelta(days=booker.horizon_days))
    assert len(set(listed)) == booker.horizon_days + 1
    noon = on_clock(day, 12)
    assert can_be_booked(offer(listed[-1]), booker, noon)
    assert not can_be_booked(offer(listed[-1] + timedelta(days=1)), booker, noon)


@pytest.mark.parametrize("day", [SPRING, AUTUMN, LEAP, MONTH_END], ids=str)
def test_booking_ends_at_eight_in_the_evening_before_to_the_second(day):
    slot, booker = offer(day), Booker(7)
    eight = datetime.combine(day - timedelta(days=1), datetime.min.time(), NEW_YORK)
    last = eight.replace(hour=20).astimezone(UTC)
    assert can_be_booked(slot, booker, last)
    assert not can_be_booked(slot, booker, last + SECOND)


def test_big_family_books_the_same_day_before_noon_two_hours_ahead():
    booker, afternoon, morning = Booker(21, same_day=True), offer(LEAP, 14, 16), offer(LEAP, 10, 12)
    assert can_be_booked(afternoon, booker, on_clock(LEAP, 12))
    assert not can_be_booked(afternoon, booker, on_clock(LEAP, 12) + SECOND)
    assert can_be_booked(morning, booker, on_clock(LEAP, 8))
    assert not can_be_booked(morning, booker, on_clock(LEAP, 8) + SECOND)


@given(days, windows, st.integers(-10, 10))
def test_window_is_left_freely_until_two_hours_before_it(day, window, seconds):
    slot = offer(day, *window)
    now = slot.starts_at - CUTOFF + timedelta(seconds=seconds)
    assert can_be_left(slot.starts_at, now) == (seconds <= 0)


@pytest.mark.parametrize(
    ("left", "is_closed", "reason", "note", "is_open"),
    [
        (4, False, "", "", True),
        (3, False, "", "3 left", True),
        (1, False, "", "1 left", True),
        (0, False, "", "Full", False),
        (-2, False, "", "Full", False),
        (0, True, "", "Closed", False),
        (0, True, "Storm", "Closed: Storm", False),
    ],
)
def test_offer_says_what_is_left_or_why_it_is_closed(left, is_closed, reason, note, is_open):
    shown = with_places(offer(LEAP), left, is_closed=is_closed, reason=reason)
    assert (shown.note, shown.is_open) == (note, is_open)
    (day,) = by_day([shown])
    assert (day.name, day.slots) == ("Tuesday, February 29, 2028", (shown,))


@pytest.mark.parametrize(
    ("opens", "closes", "text"),
    [
        (8, 10, "Tue, Nov 24, 8–10 AM"),  # noqa: RUF001
        (10, 12, "Tue, Nov 24, 10 AM–12 PM"),  # noqa: RUF001
        (14, 16, "Tue, Nov 24, 2–4 PM"),  # noqa: RUF001
    ],
)
def test_short_window_names_half_of_the_day_once(opens, closes, text):
    slot = offer(date(2026, 11, 24), opens, closes)
    assert short_when(slot.starts_at, slot.ends_at) == text


def test_short_window_keeps_minutes():
    at = on_clock(date(2026, 11, 24), 8) + timedelta(minutes=30)
    assert short_when(at, at + timedelta(hours=1)) == "Tue, Nov 24, 8:30–9:30 AM"  # noqa: RUF001


def test_windows_are_grouped_by_day_in_the_order_of_time():
    first, second, third = offer(LEAP, 8), offer(LEAP, 14, 16), offer(LEAP + timedelta(days=1))
    days = by_day([third, second, first])
    assert [day.slots for day in days] == [(first, second), (third,)]
    assert by_day([]) == ()


def test_texts_say_the_cutoff():
    """The questions of Help lie below bookings, and cannot ask for it."""
    assert f"{CUTOFF // timedelta(hours=1)} hours" == CUTOFF_TEXT
    assert any(f"up to {CUTOFF_TEXT} before" in answer for _, answer in QUESTIONS)
