"""Changing routes by hand: what is on a day, and what is not."""

from dataclasses import replace
from datetime import date

import pytest

from fuel_app.dispatch.rules.day import (
    CLOSED,
    OPEN,
    PUBLISHED,
    Day,
    NoSuchDay,
    ShiftGone,
    StopGone,
    parse_day,
)
from fuel_app.dispatch.rules.route_changes import find_route, find_stop
from tests.helpers.bookings import NOW, TODAY


def test_day_without_shifts_has_no_route_and_no_stop():
    with pytest.raises(ShiftGone):
        find_route(Day(TODAY), "shift")
    with pytest.raises(StopGone):
        find_stop(Day(TODAY), "stop")


def test_days_far_from_now_are_none():
    assert parse_day("2026-11-23") == parse_day(TODAY) == TODAY
    for sent in ("9999-12-31", date.max, "0001-01-01", "1970-01-01", NOW, "today", None, 20261123):
        with pytest.raises(NoSuchDay):
            parse_day(sent)


def test_day_is_open_until_it_is_published_and_published_until_it_is_closed():
    day = Day(TODAY)
    published = replace(day, published_at=NOW)
    closed = replace(published, closed_at=NOW)
    assert [each.state for each in (day, published, closed)] == [OPEN, PUBLISHED, CLOSED]
