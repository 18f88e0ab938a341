"""Expected times of a route, and how an arrival is said."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.dispatch.rules.arrivals import (
    AFTER_SHIFT,
    AT_RISK,
    LATE,
    UNREACHED,
    ArrivalNotices,
    Expected,
    ServiceTimes,
    arrival_span,
    arrival_text,
    estimate_times,
    notify_from,
    span_text,
)
from fuel_app.dispatch.rules.day import RouteStop, TruckRoute
from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.outbox import MAIL
from tests.helpers import day_plans
from tests.helpers.stored_bookings import PLACE

DAY = date(2026, 11, 24)
TIMES = ServiceTimes()
MINUTE = timedelta(minutes=1)


def clock_at(hour: int, minute: int = 0, day: date = DAY) -> datetime:
    """Return a moment of the clocks of New York."""
    return on_clock(day, hour) + minute * MINUTE


def a_stop(number: int = 1, opens: int = 8, *, day: date = DAY, **differs: Any) -> RouteStop:
    """Return a stop of a two-hour window, ten minutes from the one before and a mile off it."""
    booking = day_plans.a_booking(
        Point(differs.pop("lat", PLACE.lat + number / 60), PLACE.lng),
        slot_id="slot",
        starts_at=on_clock(day, opens),
        ends_at=on_clock(day, opens + 2),
        state=differs.pop("state", "dispatched"),
    )
    return day_plans.a_stop(booking, **{"begins_at": booking.starts_at} | differs)


def a_route(*stops: RouteStop, starts: int = 7, ends: int = 19, day: date = DAY) -> TruckRoute:
    route = day_plans.a_route(1, *stops)
    hours = {"starts_at": on_clock(day, starts), "ends_at": on_clock(day, ends)}
    return replace(route, shift=replace(route.shift, day=day, **hours))


def begins(route: TruckRoute, now: datetime) -> list[str]:
    """Return when each service begins, on the clocks of New York."""
    return [text(each.begins_at) for each in estimate_times(route, now, TIMES)]


def text(moment: datetime) -> str:
    return f"{moment.astimezone(NEW_YORK):%H:%M}"


def test_before_the_day_services_begin_as_windows_open_and_the_truck_comes():
    route = a_route(a_stop(1), a_stop(2), a_stop(3, 10))
    assert begins(route, clock_at(0)) == ["08:00", "08:21", "10:00"]


@pytest.mark.parametrize(
    ("opens", "day", "expected"),
    [
        (8, DAY, clock_at(7)),  # on the day itself
        (8, DAY + timedelta(days=2), on_clock(DAY + timedelta(days=1), 18)),
        (5, DAY + timedelta(days=2), clock_at(7)),  # it misses its window: the shift begins at 7
    ],
)
def test_arrival_that_moves_within_the_window_of_a_later_day_waits_for_the_evening_before(
    opens, day, expected
):
    [at] = estimate_times(a_route(a_stop(1, opens, day=day), day=day), clock_at(7), TIMES)
    assert notify_from(at, clock_at(7)) == expected
    [refill] = estimate_times(a_route(day_plans.a_stop(None)), clock_at(7), TIMES)
    assert notify_from(refill, clock_at(7)) == clock_at(7)


def test_customers_are_told_of_what_they_do_not_know():
    stops = [a_stop(1), a_stop(2), a_stop(3), a_stop(4, driving_at=clock_at(9)), a_stop(5)]
    stops[1] = replace(stops[1], told_at=clock_at(9))  # as dispatched; expected at 8:21
    stops[4] = replace(stops[4], begins_at=clock_at(12))  # new on the route: the window is known
    expected = estimate_times(a_route(*stops), clock_at(0), TIMES)
    third = stops[2].booking
    assert third
    told = (third.id, third.slot_id, MAIL)
    notices = ArrivalNotices({told: clock_at(8, 40)}, 15 * MINUTE)
    assert [notices.notifies(each) for each in expected[:4]] == [False, True, False, False]
    assert notices.count(expected) == 1 + notices.notifies(expected[4])
    late = estimate_times(a_route(*stops[:3], ends=8), clock_at(0), TIMES)
    unreached = replace(notices, notified={told: UNREACHED})
    assert [unreached.notifies(each) for each in late] == [False, True, False]  # known already
    [alone] = estimate_times(a_route(stops[0], starts=6, ends=7), clock_at(0), TIMES)
    assert notices.notifies(alone)  # nobody is on the truck
    assert not notices.notifies(replace(alone, stop=day_plans.a_stop(None)))


@pytest.mark.parametrize(
    ("begins_at", "told", "ends", "expected"),
    [
        (clock_at(10, 10), None, 19, False),  # after the window, and too little to be told
        (clock_at(10, 15), None, 19, False),
        (clock_at(10, 16), None, 19, True),
        (clock_at(9), None, 19, False),  # in the window
        (clock_at(9), clock_at(9, 10), 19, False),
        (clock_at(9), clock_at(9, 30), 19, True),  # told otherwise as it was published before
        (clock_at(9), None, 8, True),  # after the shift
        (clock_at(9), UNREACHED, 8, False),
        (clock_at(9), UNREACHED, 19, True),
    ],
)
def test_publishing_tells_whom_we_miss_and_who_was_told_otherwise(begins_at, told, ends, expected):
    stop = replace(a_stop(1), leg_s=int((begins_at - clock_at(7)).total_seconds()))
    stop = replace(stop, begins_at=begins_at)
    [at] = estimate_times(a_route(stop, ends=ends), clock_at(0), TIMES)
    assert (at.begins_at, stop.booking is not None) == (begins_at, True)
    key = (stop.id, stop.slot_id, MAIL)
    notices = ArrivalNotices({key: told} if told else {}, 15 * MINUTE, publishes=True)
    assert notices.notifies(at) is expected


def test_without_any_step_a_route_that_is_late_begins_now():
    times = estimate_times(a_route(a_stop(1), a_stop(2)), clock_at(9, 55), TIMES)
    assert [text(each.begins_at) for each in times] == ["10:05", "10:26"]
    assert [each.lateness for each in times] == [AT_RISK, LATE]


def test_stop_that_the_office_has_ended_takes_no_time_of_those_after_it():
    """No technician says when it ended: the fill was recorded by hand, or could not be made."""
    for state in ("completed", "failed"):
        route = a_route(a_stop(1, state=state), a_stop(2))
        first, second = estimate_times(route, clock_at(9), TIMES)
        assert first.ends_at <= clock_at(9)
        assert text(second.begins_at) == "09:20"  # the way leads past it still
    there = a_stop(1, state="failed", driving_at=clock_at(8), arrived_at=clock_at(8, 10))
    assert begins(a_route(there, a_stop(2)), clock_at(9)) == ["08:10", "09:10"]


@pytest.mark.parametrize(
    ("begins_at", "lateness"),
    [(clock_at(10), ""), (clock_at(10, 10), AT_RISK), (clock_at(10, 11), LATE)],
)
def test_stop_is_at_risk_after_its_window_and_late_ten_minutes_after(begins_at, lateness):
    (only,) = estimate_times(a_route(a_stop()), begins_at - 10 * MINUTE, TIMES)
    assert only.lateness == lateness


@pytest.mark.parametrize(
    ("ends", "now", "lateness", "in_window"),
    [
        (10, clock_at(9, 50), "", ""),  # begins as the shift ends
        (10, clock_at(9, 51), AFTER_SHIFT, AT_RISK),
        (7, clock_at(5), AFTER_SHIFT, ""),  # planned so, in its window
        (9, clock_at(10, 30), AFTER_SHIFT, LATE),  # the technician is at home by now
    ],
)
def test_stop_that_begins_after_the_shift_is_told_from_a_late_one(ends, now, lateness, in_window):
    (only,) = estimate_times(a_route(a_stop(), starts=5, ends=ends), now, TIMES)
    assert (only.lateness, only.lateness_in_window) == (lateness, in_window)


def test_technician_who_works_on_after_the_shift_is_there():
    there = a_stop(1, driving_at=clock_at(9), arrived_at=clock_at(9, 5))
    route = a_route(there, a_stop(2, opens=10), day_plans.a_stop(None), ends=8)
    begun, waiting, refill = estimate_times(route, clock_at(9, 10), TIMES)
    assert (begun.lateness, waiting.lateness, refill.lateness) == ("", AFTER_SHIFT, "")


@pytest.mark.parametrize(
    ("driving", "now", "begin"),
    [
        (clock_at(7, 40), clock_at(7, 45), "08:00"),  # waits for the window
        (clock_at(8, 20), clock_at(8, 25), "08:30"),
        (clock_at(8, 20), clock_at(8, 45), "08:45"),  # should be there long ago
    ],
)
def test_technician_on_the_way_comes_after_the_drive(driving, now, begin):
    assert begins(a_route(a_stop(driving_at=driving)), now) == [begin]


def test_technician_who_arrived_early_waits_no_longer():
    early = a_stop(1, driving_at=clock_at(7, 30), arrived_at=clock_at(7, 40))
    assert begins(a_route(early, a_stop(2)), clock_at(7, 41)) == ["07:40", "08:01"]


def test_fueling_that_takes_longer_delays_what_follows():
    slow = a_stop(1, driving_at=clock_at(8), arrived_at=clock_at(8), fueling_at=clock_at(8, 5))
    assert begins(a_route(slow, a_stop(2)), clock_at(8, 30)) == ["08:05", "08:40"]


def test_ended_stops_stand_as_they_were_and_are_never_late():
    done = a_stop(1, arrived_at=clock_at(10, 30), ended_at=clock_at(10, 40), state="completed")
    unseen = a_stop(2, ended_at=clock_at(11), state="failed")  # its other steps were not sent
    times = estimate_times(a_route(done, unseen, a_stop(3, 10)), clock_at(11), TIMES)
    assert [text(each.begins_at) for each in times] == ["10:30", "11:00", "11:10"]
    assert [each.lateness for each in times] == ["", "", ""]


@pytest.mark.parametrize("gone", [{"state": "cancelled"}, {"slot_id": "another"}])
def test_stop_that_is_gone_takes_no_time_but_its_way_counts(gone):
    route = a_route(a_stop(1), a_stop(2, **gone), a_stop(3))
    assert begins(route, clock_at(8)) == ["08:10", "08:41"]


def test_refill_has_no_window_and_is_never_late():
    route = a_route(day_plans.a_stop(None), a_stop(1))
    assert begins(route, clock_at(0)) == ["07:10", "08:00"]
    first = estimate_times(route, clock_at(12), TIMES)[0]
    assert (text(first.begins_at), first.lateness) == ("12:10", "")
    assert first.ends_at - first.begins_at == 20 * MINUTE


def test_second_car_beside_the_first_takes_less_time():
    times = estimate_times(
        a_route(a_stop(1), a_stop(2, lat=PLACE.lat + 1 / 60)), clock_at(0), TIMES
    )
    assert [(each.ends_at - each.begins_at) / MINUTE for each in times] == [11, 7]


def test_night_in_which_an_hour_is_skipped_takes_the_time_that_passes():
    day = date(2026, 3, 8)
    route = a_route(a_stop(1, 1, day=day), a_stop(2, 1, day=day), starts=0, day=day)
    assert begins(route, clock_at(1, 40, day)) == ["01:50", "03:11"]


def test_night_in_which_an_hour_comes_twice_takes_the_time_that_passes():
    day = date(2026, 11, 1)
    route = a_route(a_stop(1, 1, day=day), a_stop(2, 1, day=day), starts=0, day=day)
    assert begins(route, clock_at(1, 40, day)) == ["01:50", "01:11"]


@pytest.mark.parametrize(
    ("begins_at", "now", "said"),
    [
        (clock_at(9, 50), clock_at(9), "between 9:40 and 10:05 AM"),
        (clock_at(9, 52), clock_at(9), "between 9:40 and 10:05 AM"),
        (clock_at(9, 53), clock_at(9), "between 9:45 and 10:10 AM"),
        (clock_at(9, 50), clock_at(9, 41), "between 9:45 and 10:05 AM"),  # not before now
        (clock_at(9, 0), clock_at(9, 45), "between 9:45 and 10:00 AM"),  # overdue
        (clock_at(12), clock_at(9), "between 11:50 AM and 12:15 PM"),
    ],
)
def test_arrival_is_said_as_a_span_of_full_five_minutes(begins_at, now, said):
    at = Expected(a_stop(), begins_at, begins_at)
    assert span_text(at, now) == said
    first, last = arrival_span(at, now)
    assert now <= first < last


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (clock_at(0), "today between 9:40 and 10:05 AM"),
        (clock_at(0) - timedelta(minutes=1), "tomorrow, {day}, between 9:40 and 10:05 AM"),
        (clock_at(0) - timedelta(hours=25), "{day}, between 9:40 and 10:05 AM"),
    ],
)
def test_arrival_is_said_with_its_day(now, said):
    begins_at = clock_at(9, 50)
    day = f"{DAY:%A, %B} {DAY.day}"
    at = Expected(a_stop(), begins_at, begins_at)
    assert arrival_text(at, now) == said.format(day=day)


def test_span_begins_with_the_window_until_the_drive_there_begins():
    opens = clock_at(8)
    planned = Expected(a_stop(opens=8), opens, opens)
    assert span_text(planned, clock_at(7)) == "between 8:00 and 8:15 AM"
    on_the_way = Expected(a_stop(opens=8, driving_at=clock_at(7, 40)), opens, opens)
    assert span_text(on_the_way, clock_at(7, 41)) == "between 7:50 and 8:15 AM"
