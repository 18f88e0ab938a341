"""Rules of a phone's actions: times, positions, safety check, states of a stop."""

from datetime import date, timedelta

import pytest

from fuel_app.bookings.rules.states import (
    ARRIVED,
    BOOKED,
    CANCELLED,
    COMPLETED,
    DISPATCHED,
    EN_ROUTE,
    FAILED,
    WEATHER_HOLD,
)
from fuel_app.dispatch.rules.phones import (
    ACTION_AGE_MAX,
    GONE,
    NOT_RELEASED,
    SAFETY_CHECKS,
    WAITING,
    Action,
    NoPosition,
    Unsafe,
    check_safety,
    correct_time,
    place_of,
    position_of,
    state_of,
    why_not_owed,
)
from tests.helpers.bookings import NOW
from tests.helpers.day_plans import EIGHT, a_booking, a_stop

MS = round(NOW.timestamp() * 1000)
DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("sent", "happened"),
    [
        *((MS, NOW), (MS - 60_000, NOW - timedelta(minutes=1)), (MS + 9 * DAY_MS, NOW)),
        *((each, NOW - ACTION_AGE_MAX) for each in (-1, 0, MS - 8 * DAY_MS)),
        *((each, NOW) for each in (10**30, None, True, "7")),
    ],
)
def test_time_of_a_wrong_clock_is_kept_within_a_week(sent, happened):
    assert Action.parse({"at": sent}).happened(NOW) == happened


def test_step_is_not_before_its_day_nor_the_step_that_it_follows():
    day, at = date(2026, 11, 24), EIGHT
    received = at + timedelta(hours=1)
    assert correct_time(at, received, day, None) == at
    assert correct_time(at - timedelta(days=1), received, day, None) == received
    assert correct_time(at, received, day, at + timedelta(minutes=5)) == at + timedelta(minutes=5)


@pytest.mark.parametrize(
    "sent",
    [
        *(None, [], {}, {"lat": 1}, {"lat": True, "lng": 1}, {"lat": 91, "lng": 1}),
        *({"lat": 1, "lng": 10**400}, {"lat": float("nan"), "lng": 1}, {"lat": "27", "lng": "-8"}),
    ],
)
def test_what_is_no_position_is_refused(sent):
    assert position_of({"lat": 27, "lng": -82.5}) == (27.0, -82.5)
    with pytest.raises(NoPosition):
        position_of(sent)


def test_fueling_needs_every_point_of_the_safety_check():
    every = [each.id for each in SAFETY_CHECKS]
    check_safety(every)
    for ticked, missing in (([], "The engine is off; No cig"), (every[:-1], "plate matches.")):
        with pytest.raises(Unsafe, match=missing):
            check_safety(ticked)


@pytest.mark.parametrize(
    ("differs", "why", "state"),
    [
        ({"state": DISPATCHED}, "", WAITING),
        ({"state": EN_ROUTE}, "", EN_ROUTE),
        ({"state": BOOKED}, NOT_RELEASED, WAITING),
        ({"state": CANCELLED}, "This stop was cancelled.", GONE),
        ({"state": WEATHER_HOLD}, "This stop is on hold.", GONE),
        ({"slot_id": "another"}, "This stop was moved to another time.", GONE),
        ({"state": FAILED}, "This stop has ended already.", FAILED),
        ({"state": COMPLETED}, "This stop is done already.", COMPLETED),
    ],
)
def test_stop_that_is_not_to_be_filled_says_why(differs, why, state):
    booking = a_booking(**differs)
    assert why_not_owed(booking, "slot-0") == why
    assert state_of(a_stop(booking, slot_id="slot-0")) == state


def test_cancelled_stop_has_no_number_and_the_next_one_keeps_its_own():
    gone = a_stop(a_booking(id="1", state=CANCELLED), slot_id="slot-0")
    done = a_stop(a_booking(id="2", state=COMPLETED), slot_id="slot-0")
    stops = [gone, done, a_stop(None)]
    assert [place_of(stops, each) for each in stops] == [0, 1, 2]


def test_refill_has_the_state_of_its_last_step():
    times = ({}, {"driving_at": EIGHT}, {"arrived_at": EIGHT}, {"ended_at": EIGHT})
    states = [state_of(a_stop(None, **each)) for each in times]
    assert states == [WAITING, EN_ROUTE, ARRIVED, COMPLETED]
