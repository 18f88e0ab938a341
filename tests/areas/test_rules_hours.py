"""Hours of an area: what holds on a day, and how staff change it."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.areas.rules.hours import (
    ALL_DAY,
    BookedWindow,
    DayException,
    DayForm,
    DayWindow,
    Hours,
    Window,
    booked_window,
    columns_of,
    default_week,
    fills_field,
    hours_text,
    parse_week,
    with_day,
    without_day,
)
from fuel_app.kit.errors import InvalidForm

MONDAY = date(2026, 11, 23)
USUAL = Hours(default_week(6))
DAY = {"day": "2026-11-23", "window": "", "capacity": "0", "reason": "Hurricane"}


def usual(*exceptions: DayException) -> Hours:
    return Hours(USUAL.windows_by_weekday, exceptions)


def capacities(hours: Hours) -> list[int]:
    return [window.capacity for window in hours.on(MONDAY)]


def typed(number: int, opens: object, closes: object, *weekdays: int, fills: object = "6"):
    """Return the fields of one column of the table."""
    hours = {f"opens-{number}": opens, f"closes-{number}": closes}
    return hours | {fills_field(number, weekday): fills for weekday in weekdays}


USUAL_WEEK = {
    **typed(0, "8", "10", *range(6)),
    **typed(1, "10", "12", *range(6)),
    **typed(2, "14", "16", *range(6)),
}


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


def test_the_table_of_a_week_is_read_as_it_is_shown():
    assert columns_of(USUAL.windows_by_weekday) == ((8, 10), (10, 12), (14, 16))
    assert parse_week(USUAL_WEEK, range(3)) == USUAL.windows_by_weekday
    sunday = {fills_field(1, 6): " 2 ", fills_field(0, 0): ""}
    changed = Hours(parse_week(USUAL_WEEK | sunday, range(3)))
    assert opens(changed) == [[10, 14], *[[8, 10, 14]] * 5, [10]]
    assert changed.windows_by_weekday[6] == (Window(10, 12, 2),)
    assert parse_week(USUAL_WEEK, [2]) == (*((Window(14, 16, 6),),) * 6, ())
    assert parse_week(None, []) == Hours().windows_by_weekday


FILLS = "Enter a number from 1 to 200"
NOWHERE = "Say how many fills on a day, or delete this window"


@pytest.mark.parametrize(
    ("differs", "messages"),
    [
        (typed(3, "7", "9", 1), {"fills-3-1": "Overlaps 8–10 AM"}),  # noqa: RUF001
        (typed(3, "8", "10", 0, 6), {"fills-3-0": "Overlaps 8–10 AM"}),  # noqa: RUF001
        (typed(3, "13", "24", 5), {"fills-3-5": "Overlaps 2–4 PM"}),  # noqa: RUF001
        (typed(3, "12", "11", 6), {"closes-3": "It has to close after it opens"}),
        (typed(3, "12", "12", 6), {"closes-3": "It has to close after it opens"}),
        (typed(3, "", "", 6), {"opens-3": "Choose an hour", "closes-3": "Choose an hour"}),
        (typed(3, "24", "0", 6), {"opens-3": "Choose an hour", "closes-3": "Choose an hour"}),
        (typed(3, "12", "14"), {"opens-3": NOWHERE}),
        (typed(3, "", "14"), {"opens-3": "Choose an hour"}),
        (typed(3, "12", "14", 6, fills="0"), {"fills-3-6": FILLS}),
        (typed(3, "12", "14", 6, fills="201"), {"fills-3-6": FILLS}),
        (typed(3, "12", "14", 6, fills="\u0663"), {"fills-3-6": FILLS}),
        (typed(3, "12", "14", 6, fills="x" * 60), {"fills-3-6": FILLS}),
        (typed(3, 12, "14", 6), {"opens-3": "Choose an hour"}),
    ],
)
def test_what_is_no_window_is_refused_beside_its_field(differs, messages):
    with pytest.raises(InvalidForm) as refused:
        parse_week(USUAL_WEEK | differs, range(4))
    assert refused.value.messages == messages


@given(
    st.lists(
        st.tuples(st.integers(0, 23), st.integers(1, 24), st.sets(st.integers(0, 6), min_size=1)),
        max_size=5,
    )
)
def test_whatever_is_typed_no_two_windows_of_a_weekday_overlap(drawn):
    sent: dict[str, object] = {}
    for number, (first, last, weekdays) in enumerate(drawn):
        sent |= typed(number, str(first), str(last), *weekdays)
    try:
        week = parse_week(sent, range(len(drawn)))
    except InvalidForm:
        return
    for windows in week:
        assert all(one.closes <= other.opens for one, other in pairwise(windows))


def test_what_is_booked_stands_beside_the_room_of_its_day():
    assert booked_window(USUAL, MONDAY, (8, 10), 3) == BookedWindow(3, 6, "", is_usual=True)
    stormy = usual(DayException(MONDAY, 8, 0, "Storm"), DayException(MONDAY, 10, 2))
    assert booked_window(stormy, MONDAY, (8, 10), 1) == BookedWindow(1, 0, "Storm", is_usual=False)
    assert booked_window(stormy, MONDAY, (10, 12), 3) == BookedWindow(3, 2, "", is_usual=False)
    assert booked_window(stormy, MONDAY, (9, 10), 1) == BookedWindow(1, 0, "", is_usual=True)
    assert booked_window(USUAL, MONDAY, (8, 11), 3) == BookedWindow(0, 0, "", is_usual=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"day": None},
        {"day": "2026-02-30"},
        {"window": "24"},
        {"capacity": ""},
        {"capacity": "201"},
        {"reason": "x" * 101},
    ],
)
def test_what_is_no_day_is_refused_beside_its_field(wrong):
    with pytest.raises(InvalidForm) as refused:
        DayForm.parse(DAY | wrong)
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
    noon = Hours(parse_week(USUAL_WEEK | typed(3, "12", "14", 0, fills="3"), range(4)))
    changed = with_day(noon, day(), MONDAY)
    assert USUAL.differing(changed) == {"Monday": [(8, 10, 6), (10, 12, 6), (14, 16, 6)]}
    assert changed.differing(USUAL) == {
        "Monday": [(8, 10, 6), (10, 12, 6), (12, 14, 3), (14, 16, 6)],
        "days": [["2026-11-23", -1, 0, "Hurricane"]],
    }


def test_hours_are_shown_as_on_a_clock():
    assert [hours_text(*hours) for hours in ((8, 10), (10, 12), (22, 24), (0, 24))] == [
        *("8–10 AM", "10 AM–12 PM", "10 PM–12 AM", "12–12 AM")  # noqa: RUF001
    ]
    assert Window(14, 16, 1).text == "2–4 PM"  # noqa: RUF001
