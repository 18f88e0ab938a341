"""Breaks on a way: when they are due, where they delay the least, and that a long wait is one."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fuel_app.dispatch.rules.breaks import NO_BREAKS, Breaks, Leg, visit

HALF_AN_HOUR_AFTER_FIVE = Breaks(lasts=30, after=300)


def driven(*legs: Leg, free_at: float = 0, works_from: float = 0) -> list[tuple[Any, Any]]:
    """Return when each visit begins, and the break before it."""
    visits, _ = visit(legs, free_at, works_from, HALF_AN_HOUR_AFTER_FIVE)
    return [(each.begins, each.rests_at) for each in visits]


def test_break_is_taken_before_the_stop_at_whose_end_the_work_would_be_too_long():
    legs = [Leg(10, 0, 90)] * 4
    assert driven(*legs) == [(10, None), (110, None), (210, None), (340, 300)]
    assert driven(*legs[:1], free_at=250, works_from=-10) == [(290, 250)]


def test_break_comes_where_a_wait_takes_it_in():
    """The second stop opens at 130: there 20 of the 30 minutes are free."""
    waiting = [Leg(10, 0, 90), Leg(10, 130, 90), Leg(10, 0, 90)]
    assert driven(*waiting) == [(10, None), (140, 100), (240, None)]


def test_wait_as_long_as_a_break_is_one():
    assert driven(Leg(10, 0, 90), Leg(10, 140, 90), Leg(10, 0, 180)) == [
        (10, None),
        (140, None),
        (240, None),
    ]


def test_stop_that_is_too_long_by_itself_has_one_break_before_it():
    assert driven(Leg(0, 0, 400), Leg(0, 0, 10)) == [(30, 0), (460, 430)]


legs = st.builds(Leg, st.integers(0, 60), st.integers(0, 600), st.integers(1, 60))


@given(st.lists(legs, max_size=20), st.integers(0, 200))
def test_nobody_works_longer_than_the_rule_allows_and_breaks_alone_delay(way, since):
    visits, _ = visit(way, 0, -since, HALF_AN_HOUR_AFTER_FIVE)
    free, _ = visit(way, 0, -since, NO_BREAKS)
    clock, works_from = 0.0, float(-since)
    for leg, each, before in zip(way, visits, free, strict=True):
        if each.rests_at is not None:
            assert each.rests_at == clock
            clock = works_from = clock + 30
        arrives = clock + leg.drive
        assert each.begins == max(arrives, leg.opens) >= before.begins
        if each.begins - arrives >= 30:
            works_from = each.begins
        clock = each.ends
        assert clock - works_from <= 300
    assert all(each.rests_at is None for each in free)
