"""Hours of an area: what holds on a day, and how staff change it."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.areas.rules.hours import (
    ALL_DAY,
    CLOSED_WEEK,
    DayException,
    DayForm,
    DayWindow,
    Hours,
    Window,
    WindowForm,
    default_week,
    hour_text,
    with_day,
    with_window,
    without_day,
    without_window,
)
from fuel_app.kit.errors import InvalidForm

MONDAY = date(2026, 11, 23)
SUNDAY = date(2026, 11, 29)
USUAL = Hours(default_week(6))
WINDOW = {"weekdays": ["0"], "opens": "12", "closes": "14", "capacity": "3"}
DAY = {"day": "2026-11-23", "window": "", "capacity": "0", "reason": "Hurricane"}


def usual(*exceptions: DayException) -> Hours:
    return Hours(USUAL.windows_by_weekday, exceptions)


def capacities(hours: Hours, day: date = MONDAY) -> list[int]:
    return [window.capacity for window in hours.on(day)]


def window(**differs: object) -> WindowForm:
    return WindowForm.parse(WINDOW | differs)


def day(**differs: object) -> DayForm:
    return DayForm.parse(DAY | differs)


def test_a_new_area_has_three_windows_from_monday_to_saturday():
    assert USUAL.on(MONDAY) == (DayWindow(8, 10, 6), DayWindow(10, 12, 6), DayWindow(14, 16, 6))
    assert [len(USUAL.on(MONDAY + timedelta(days=n))) for n in range(7)] == [3] * 6 + [0]


def test_a_closed_day_says_why_in_each_window():
    closed = usual(DayException(MONDAY, ALL_DAY, 0, "Hurricane"))
    assert {(each.capacity, each.reason) for each in closed.on(MONDAY)} == {(0, "Hurricane")}
    assert capacities(closed, MONDAY + timedelta(days=7)) == [6, 6, 6]


def test_a_closed_window_leaves_the_others_open():
    closed = usual(DayException(MONDAY, 10, 0, "Truck in repair"))
    assert [(each.capacity, each.reason) for each in closed.on(MONDAY)] == [
        (6, ""),
        (0, "Truck in repair"),
        (6, ""),
    ]
    assert [closed.capacity(MONDAY, opens) for opens in (8, 10, 9)] == [6, 0, 0]


def test_a_closure_wins_then_the_window_then_the_day_then_the_weekday():
    own, whole = DayException(MONDAY, 8, 9), DayException(MONDAY, ALL_DAY, 4)
    assert capacities(usual(whole)) == [4, 4, 4]
    assert capacities(usual(own, whole)) == [9, 4, 4]
    assert capacities(usual(own, DayException(MONDAY, ALL_DAY, 0, "Storm"))) == [0, 0, 0]
    assert capacities(usual(whole, DayException(MONDAY, 8, 0, "Storm"))) == [0, 4, 4]


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from([ALL_DAY, 8, 10, 14]), st.integers(0, 9)),
        unique_by=lambda each: each[:2],
    )
)
def test_each_day_is_decided_by_its_own_exceptions_alone(drawn):
    hours = usual(*(DayException(MONDAY + timedelta(days=n), opens, c) for n, opens, c in drawn))
    for n in range(7):
        of_day = {opens: capacity for number, opens, capacity in drawn if number == n}
        for each in hours.on(MONDAY + timedelta(days=n)):
            expected = of_day.get(each.opens, of_day.get(ALL_DAY, 6))
            assert each.capacity == (0 if of_day.get(ALL_DAY) == 0 else expected)


def test_a_window_is_added_to_each_ticked_weekday_in_order():
    hours = with_window(USUAL, window(weekdays=["0", "6"]))
    assert [each.opens for each in hours.on(MONDAY)] == [8, 10, 12, 14]
    assert [each.opens for each in hours.on(SUNDAY)] == [12]
    assert hours.on(MONDAY + timedelta(days=1)) == USUAL.on(MONDAY + timedelta(days=1))


def test_a_changed_window_replaces_the_one_of_its_hour_on_other_weekdays_too():
    hours = with_window(USUAL, window(weekdays=["0", "1"], opens="9", closes="10"), replaces=8)
    for n in range(2):
        assert [each.opens for each in hours.on(MONDAY + timedelta(days=n))] == [9, 10, 14]
    assert [each.opens for each in hours.on(MONDAY + timedelta(days=2))] == [8, 10, 14]


@pytest.mark.parametrize(("opens", "closes"), [("7", "9"), ("8", "10"), ("9", "10"), ("7", "24")])
def test_overlapping_windows_are_refused(opens, closes):
    with pytest.raises(InvalidForm) as refused:
        with_window(USUAL, window(weekdays="1", opens=opens, closes=closes))
    assert refused.value.messages == {"opens": "Overlaps 08:00 AM - 10:00 AM on Tuesday"}


@pytest.mark.parametrize("closes", ["11", "12"])
def test_a_window_that_closes_before_it_opens_is_refused(closes):
    with pytest.raises(InvalidForm) as refused:
        with_window(USUAL, window(closes=closes))
    assert refused.value.messages == {"closes": "It has to close after it opens"}


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 23), st.integers(1, 24)), min_size=1, max_size=9
    )
)
def test_whatever_is_added_no_two_windows_of_a_weekday_overlap(drawn):
    hours = Hours()
    for weekday, opens, closes in drawn:
        form = window(weekdays=[str(weekday)], opens=str(opens), closes=str(closes))
        try:
            hours = with_window(hours, form)
        except InvalidForm:
            continue
    for windows in hours.windows_by_weekday:
        assert all(one.closes <= other.opens for one, other in pairwise(windows))


def test_a_window_is_deleted_from_its_weekday_alone():
    hours = without_window(USUAL, 0, 8)
    assert [each.opens for each in hours.on(MONDAY)] == [10, 14]
    assert len(hours.on(MONDAY + timedelta(days=1))) == 3


@pytest.mark.parametrize(
    ("differs", "wrong"),
    [
        ({"weekdays": None}, "weekdays"),
        ({"weekdays": ["7", {}]}, "weekdays"),
        ({"opens": "24"}, "opens"),
        ({"opens": ""}, "opens"),
        ({"closes": "0"}, "closes"),
        ({"capacity": "0"}, "capacity"),
        ({"capacity": "201"}, "capacity"),
        ({"capacity": "-1"}, "capacity"),
        ({"capacity": "\u0663"}, "capacity"),
        ({"capacity": 6}, "capacity"),
    ],
)
def test_what_is_no_window_is_refused_beside_its_field(differs, wrong):
    with pytest.raises(InvalidForm) as refused:
        window(**differs)
    assert list(refused.value.messages) == [wrong]


def test_a_day_or_a_window_of_it_is_set_once_and_taken_back():
    hours = with_day(USUAL, day(), MONDAY)
    hours = with_day(hours, day(window="8", capacity="2", reason=" More trucks "), MONDAY)
    hours = with_day(hours, day(reason="Storm"), MONDAY)
    assert hours.exceptions == (
        DayException(MONDAY, ALL_DAY, 0, "Storm"),
        DayException(MONDAY, 8, 2, "More trucks"),
    )
    assert without_day(hours, MONDAY, ALL_DAY).exceptions == hours.exceptions[1:]


@pytest.mark.parametrize(
    ("differs", "messages"),
    [
        ({"day": "2026-11-22"}, {"day": "Choose a day from today on, within a year"}),
        ({"day": "9999-01-01"}, {"day": "Choose a day from today on, within a year"}),
        ({"day": "2026-11-29"}, {"day": "There are no windows on a Sunday"}),
        ({"window": "9"}, {"window": "Not a window of a Monday"}),
        ({"reason": " "}, {"reason": "Customers see why it is closed: enter a reason"}),
    ],
)
def test_a_day_that_cannot_differ_is_refused(differs, messages):
    with pytest.raises(InvalidForm) as refused:
        with_day(USUAL, day(**differs), MONDAY)
    assert refused.value.messages == messages


@pytest.mark.parametrize(
    ("differs", "wrong"),
    [
        ({"day": None}, "day"),
        ({"day": "2026-02-30"}, "day"),
        ({"window": "24"}, "window"),
        ({"capacity": ""}, "capacity"),
        ({"reason": "x" * 101}, "reason"),
    ],
)
def test_what_is_no_day_is_refused_beside_its_field(differs, wrong):
    with pytest.raises(InvalidForm) as refused:
        day(**differs)
    assert list(refused.value.messages) == [wrong]


def test_the_log_says_what_differs():
    changed = with_day(with_window(USUAL, window()), day(), MONDAY)
    assert USUAL.differing(changed) == {"Monday": [(8, 10, 6), (10, 12, 6), (14, 16, 6)]}
    assert changed.differing(USUAL) == {
        "Monday": [(8, 10, 6), (10, 12, 6), (12, 14, 3), (14, 16, 6)],
        "days": [["2026-11-23", -1, 0, "Hurricane"]],
    }


def test_hours_are_shown_as_on_a_clock():
    assert [hour_text(hour) for hour in (0, 8, 12, 23, 24)] == [
        *("12:00 AM", "08:00 AM", "12:00 PM", "11:00 PM", "12:00 AM")
    ]
    assert Window(10, 12, 1).text == "10:00 AM - 12:00 PM"
    assert Hours().on(MONDAY) == CLOSED_WEEK[0]
