"""Hours of an area: what holds on a day, and how staff change it."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.areas.rules.hours import (
    ALL_DAY,
    DayException,
    DayForm,
    DayWindow,
    Hours,
    Window,
    WindowForm,
    default_week,
    with_day,
    with_window,
    without_day,
    without_window,
)
from fuel_app.kit.clock import hour_of_day
from fuel_app.kit.errors import InvalidForm

MONDAY = date(2026, 11, 23)
USUAL = Hours(default_week(6))
WINDOW = {"weekdays": ["0"], "opens": "12", "closes": "14", "capacity": "3"}
DAY = {"day": "2026-11-23", "window": "", "capacity": "0", "reason": "Hurricane"}


def usual(*exceptions: DayException) -> Hours:
    return Hours(USUAL.windows_by_weekday, exceptions)


def capacities(hours: Hours) -> list[int]:
    return [window.capacity for window in hours.on(MONDAY)]


def window(**differs: object) -> WindowForm:
    return WindowForm.parse(WINDOW | differs)


def day(**differs: object) -> DayForm:
    return DayForm.parse(DAY | differs)


def test_a_new_area_has_three_windows_from_monday_to_saturday():
    assert USUAL.on(MONDAY) == (DayWindow(8, 10, 6), DayWindow(10, 12, 6), DayWindow(14, 16, 6))
    assert [len(USUAL.on(MONDAY + timedelta(days=n))) for n in range(7)] == [3] * 6 + [0]
    assert Hours().on(MONDAY) == ()


def test_a_closed_day_or_window_says_why():
    closed = usual(DayException(MONDAY, ALL_DAY, 0, "Hurricane"))
    assert {(each.capacity, each.reason) for each in closed.on(MONDAY)} == {(0, "Hurricane")}
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


def opens(hours: Hours) -> list[list[int]]:
    """Return the opening hours of Monday to Sunday."""
    return [[window.opens for window in day] for day in hours.windows_by_weekday]


def test_a_window_is_added_replaced_and_deleted_on_its_weekdays_alone():
    added = with_window(USUAL, window(weekdays=["0", "6"]))
    assert opens(added) == [[8, 10, 12, 14], *[[8, 10, 14]] * 5, [12]]
    form = window(weekdays=["0", "1"], opens="9", closes="10")
    assert opens(with_window(USUAL, form, replaces=8)) == [
        *[[9, 10, 14]] * 2,
        *[[8, 10, 14]] * 4,
        [],
    ]
    assert opens(without_window(USUAL, 0, 8)) == [[10, 14], *[[8, 10, 14]] * 5, []]


OVERLAPS = {"opens": "Overlaps 8–10 AM on Tuesday"}  # noqa: RUF001
ENDS_EARLY = {"closes": "It has to close after it opens"}


@pytest.mark.parametrize(
    ("opens", "closes", "messages"),
    [
        ("7", "9", OVERLAPS),
        ("8", "10", OVERLAPS),
        ("9", "10", OVERLAPS),
        ("7", "24", OVERLAPS),
        ("12", "11", ENDS_EARLY),
        ("12", "12", ENDS_EARLY),
    ],
)
def test_overlapping_and_empty_windows_are_refused(opens, closes, messages):
    with pytest.raises(InvalidForm) as refused:
        with_window(USUAL, window(weekdays="1", opens=opens, closes=closes))
    assert refused.value.messages == messages


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


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        (WindowForm, {"weekdays": None}),
        (WindowForm, {"weekdays": ["7", {}]}),
        (WindowForm, {"opens": "24"}),
        (WindowForm, {"closes": "0"}),
        (WindowForm, {"capacity": "0"}),
        (WindowForm, {"capacity": "201"}),
        (WindowForm, {"capacity": "\u0663"}),
        (WindowForm, {"capacity": 6}),
        (DayForm, {"day": None}),
        (DayForm, {"day": "2026-02-30"}),
        (DayForm, {"window": "24"}),
        (DayForm, {"capacity": ""}),
        (DayForm, {"reason": "x" * 101}),
    ],
)
def test_what_is_no_window_or_day_is_refused_beside_its_field(form, wrong):
    with pytest.raises(InvalidForm) as refused:
        form.parse(WINDOW | DAY | {"capacity": "3"} | wrong)
    assert list(refused.value.messages) == list(wrong)


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


def test_the_log_says_what_differs():
    changed = with_day(with_window(USUAL, window()), day(), MONDAY)
    assert USUAL.differing(changed) == {"Monday": [(8, 10, 6), (10, 12, 6), (14, 16, 6)]}
    assert changed.differing(USUAL) == {
        "Monday": [(8, 10, 6), (10, 12, 6), (12, 14, 3), (14, 16, 6)],
        "days": [["2026-11-23", -1, 0, "Hurricane"]],
    }


def test_hours_are_shown_as_on_a_clock():
    assert [hour_of_day(hour) for hour in (0, 8, 12, 23, 24)] == [
        *("12 AM", "8 AM", "12 PM", "11 PM", "12 AM")
    ]
    assert Window(10, 12, 1).text == "10 AM–12 PM"  # noqa: RUF001
