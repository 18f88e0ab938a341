"""Trucks and shifts as they are typed."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADES
from fuel_app.dispatch.rules import trucks
from fuel_app.dispatch.rules.day import DayOver, Shift, Truck
from fuel_app.dispatch.rules.trucks import NoDay, OnShift, ShiftForm, TruckForm
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form
from tests.dispatch.trucks import TRUCK, TYPED_TRUCK
from tests.factories import UNKNOWN_ID

TODAY = date(2026, 11, 23)


def problems(form: type[Form], sent: object) -> dict[str, str]:
    return {name: text for name, text in form.problems(sent).items() if text}


def test_every_grade_has_a_field():
    assert set(GRADES) < set(TruckForm.names())


def test_a_typed_truck_is_parsed():
    form = TruckForm.parse(TYPED_TRUCK | {"regular": "1,200.5", "diesel": ""})
    assert form.tanks == {"regular": 1_200_500}
    assert (form.zip_code, form.meter_sealed_on) == ("34236", date(2026, 5, 1))


@pytest.mark.parametrize(
    ("differs", "wrong"),
    [
        ({"name": " "}, {"name": "Name is required"}),
        ({"name": "x" * 41}, {"name": "Name must be 40 characters or fewer"}),
        ({"license_plate": None}, {"license_plate": "License plate is required"}),
        ({"meter_number": []}, {"meter_number": "Meter number is required"}),
        ({"meter_sealed_on": "May"}, {"meter_sealed_on": "Choose a day"}),
        ({"home": ""}, {"home": "Home address is required"}),
        (
            {"home": "100 Depot Rd, Sarasota"},
            {"home": "End the address with its ZIP, such as 100 Depot Rd, Sarasota, FL 34236"},
        ),
        ({"regular": "", "diesel": ""}, {"regular": "Enter the gallons of at least one tank"}),
    ],
)
def test_a_wrong_field_is_named(differs, wrong):
    assert problems(TruckForm, TYPED_TRUCK | differs) == wrong


@pytest.mark.parametrize("typed", ["0", "0.5", "-1", "10000", "1.25", "x", "1e3", "\u0661"])
def test_gallons_that_no_tank_holds_are_refused(typed):
    assert problems(TruckForm, TYPED_TRUCK | {"plus": typed}) == {
        "plus": "Enter gallons from 1 to 9,999, such as 150"
    }


def test_a_form_of_any_type_is_refused():
    for sent in (None, 7, [], {"tanks": {"regular": 1}}):
        assert len(TruckForm.problems(sent)) == len(TruckForm.names())


def test_a_home_outside_the_service_area_is_refused():
    trucks.check_home(Point(27.33, -82.53))
    with pytest.raises(InvalidForm) as refused:
        trucks.check_home(Point(25.76, -80.19))
    assert refused.value.messages == {"home": "It is outside the service area."}


def test_a_seal_of_a_later_day_is_refused():
    form = TruckForm.parse(TYPED_TRUCK | {"meter_sealed_on": "2026-11-23"})
    trucks.check_seal(form, TODAY)
    with pytest.raises(InvalidForm) as refused:
        trucks.check_seal(form, TODAY - timedelta(days=1))
    assert list(refused.value.messages) == ["meter_sealed_on"]


def test_a_truck_is_shown_as_it_was_typed():
    tanks = {"regular": 1_200_500, "diesel": 100_000}
    truck: Truck = replace(TRUCK, tanks=tanks, meter_sealed_on=date(2026, 5, 1))
    assert trucks.tanks_text(truck) == "Regular 1,200.5, Diesel 100 gallons"
    assert trucks.meter_text(truck) == "M-1, sealed May 1, 2026"
    form = TruckForm.parse(trucks.truck_fields(truck))
    assert (form.tanks, form.home, form.plus) == (tanks, truck.home, None)


@pytest.mark.parametrize(
    ("days", "named"),
    [
        (1, "Mon, Nov 23. "),
        (2, "Mon, Nov 23; Tue, Nov 24. "),
        (6, "Fri, Nov 27; 1 more day. "),
        (9, "Fri, Nov 27; 4 more days. "),
    ],
)
def test_a_truck_on_shift_says_on_which_days(days, named):
    ahead = [TODAY + timedelta(days=n) for n in range(days)]
    assert named in str(OnShift(ahead))


FORWARD, BACK = date(2027, 3, 14), date(2027, 11, 7)  # clocks change at two
TYPED = {"truck": UNKNOWN_ID, "technician": UNKNOWN_ID, "starts": "07:00", "ends": "15:15"}


def hours(starts: str, ends: str, day: date = TODAY) -> tuple[datetime, datetime]:
    return ShiftForm.parse(TYPED | {"starts": starts, "ends": ends}).on(day)


def wrong_hours(starts: str, ends: str, day: date = TODAY) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        hours(starts, ends, day)
    return refused.value.messages


@pytest.mark.parametrize(
    ("differs", "wrong"),
    [
        ({}, {}),
        ({"truck": ""}, {"truck": "Choose a truck"}),
        ({"technician": 7}, {"technician": "Choose a technician"}),
        ({"starts": "7"}, {"starts": "Enter a time, such as 7:00 AM"}),
        ({"ends": "24:00"}, {"ends": "Enter a time, such as 7:00 AM"}),
        ({"ends": None}, {"ends": "Enter a time, such as 7:00 AM"}),
        ({"starts": "07:10"}, {"starts": "Choose a time in steps of 15 minutes"}),
    ],
)
def test_a_wrong_field_of_a_shift_is_named(differs, wrong):
    assert problems(ShiftForm, TYPED | differs) == wrong


def test_hours_are_those_of_new_york():
    assert hours("07:00", "15:15") == (
        datetime(2026, 11, 23, 12, tzinfo=UTC),
        datetime(2026, 11, 23, 20, 15, tzinfo=UTC),
    )


def test_an_end_before_the_start_is_refused():
    assert wrong_hours("07:00", "07:00") == {"ends": "Enter a time after the start"}
    assert wrong_hours("07:00", "06:45") == {"ends": "Enter a time after the start"}


def test_a_shift_has_sixteen_hours_at_most():
    starts, ends = hours("05:00", "21:00")
    assert ends - starts == timedelta(hours=16)
    assert wrong_hours("05:00", "21:15") == {"ends": "A shift has 16 hours at most"}


def test_the_hours_of_a_day_without_an_hour_are_counted_as_they_pass():
    starts, ends = hours("00:00", "17:00", FORWARD)
    assert ends - starts == timedelta(hours=16)
    assert wrong_hours("02:30", "09:00", FORWARD) == {"starts": trucks.TIME_SKIPPED}
    assert wrong_hours("01:00", "02:45", FORWARD) == {"ends": trucks.TIME_SKIPPED}


def test_the_hours_of_a_day_with_one_twice_are_counted_as_they_pass():
    assert wrong_hours("00:00", "15:15", BACK) == {"ends": "A shift has 16 hours at most"}
    assert hours("01:30", "02:00", BACK) == (
        datetime(2027, 11, 7, 5, 30, tzinfo=UTC),  # the first of both
        datetime(2027, 11, 7, 7, tzinfo=UTC),
    )


def test_a_shift_keeps_its_hours_on_another_day():
    starts_at, ends_at = hours("07:00", "15:15", date(2027, 3, 12))
    shift = Shift("s", date(2027, 3, 12), TRUCK, "p", "Dana", starts_at, ends_at, 1)
    again = ShiftForm.again(shift)
    assert (again.truck, again.technician) == ("t1", "p")
    assert (again.starts, again.ends) == (time(7), time(15, 15))
    assert again.on(date(2027, 3, 19)) == hours("07:00", "15:15", date(2027, 3, 19))
    assert trucks.shift_fields(shift) == TYPED | {"truck": "t1", "technician": "p"}
    assert trucks.hours_text(shift) == "7:00 AM–3:15 PM"  # noqa: RUF001


def test_a_day_from_today_on_is_planned():
    assert trucks.planned_day("2026-11-23", TODAY) == TODAY
    assert trucks.planned_day(TODAY + trucks.SHIFTS_AHEAD, TODAY) == date(2027, 11, 24)


def test_a_day_that_is_over_stays_as_it_is():
    with pytest.raises(DayOver):
        trucks.planned_day("2026-11-22", TODAY)


@pytest.mark.parametrize(
    "day", ["", "tomorrow", None, 7, [], "9999-12-31", datetime(2026, 11, 23, tzinfo=UTC)]
)
def test_anything_else_is_no_day(day):
    with pytest.raises(NoDay):
        trucks.planned_day(day, TODAY)
