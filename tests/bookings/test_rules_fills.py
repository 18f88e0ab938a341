"""Recorded fills: the fields of a correction, and when staff may record one."""

from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta

import pytest

from fuel_app.bookings.rules.bookings import FillGone
from fuel_app.bookings.rules.fills import (
    CHECKED_FIRST,
    UNCONFIRMED,
    MoreThanTank,
    MoreThanTwoTanks,
    fill_fields,
    parse_fill,
    record_label,
    recording_of,
)
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money
from tests.helpers.bookings import CAR
from tests.helpers.day_plans import EIGHT, a_booking
from tests.helpers.fills import FILLED


@pytest.mark.parametrize(
    ("start", "end", "fields"),
    [
        (20_000, 32_300, ("", "20.000", "32.300")),
        (0, 12_300, ("", "0.000", "12.300")),
        (0, 0, ("12.300", "", "")),
        (5_000, 0, ("12.300", "5.000", "")),
        (0, 40_000, ("12.300", "", "40.000")),
    ],
)
def test_a_recorded_fill_stands_in_the_fields_as_it_was_typed(start, end, fields):
    ticket = {"number": "T-1", "meter_start": start, "meter_end": end}
    shown = fill_fields(a_booking(filled_milligallons=12_300, ticket=ticket).fill())
    assert (shown["gallons"], shown["meter_start"], shown["meter_end"]) == fields
    assert shown["ticket"] == "T-1"


def test_nothing_recorded_leaves_the_fields_empty():
    assert set(fill_fields(a_booking().fill()).values()) == {""}


def test_a_car_that_is_not_of_the_visit_is_gone():
    booking = a_booking()
    assert booking.fill(booking.fills[0].id) == booking.fill() == booking.fills[0]
    with pytest.raises(FillGone):
        booking.fill("another")


def test_a_fill_is_recorded_from_its_window_on_and_then_corrected():
    assert record_label(a_booking(), EIGHT - timedelta(days=1)) == ""
    assert record_label(a_booking(), EIGHT) == "Record the fill"
    assert record_label(a_booking(completed_at=EIGHT), EIGHT) == "Correct the fill"


@pytest.mark.parametrize(
    ("typed", "field", "message"),
    [
        ({"gallons": ""}, "gallons", "Enter the gallons, or both readings of the meter"),
        ({"gallons": "", "meter_end": "5"}, "gallons", "Enter the gallons, or both readings"),
        ({"gallons": "a lot"}, "gallons", "Enter gallons, such as 11.382"),
        ({"gallons": "1.2345"}, "gallons", "Enter gallons, such as 11.382"),
        ({"meter_start": "9", "meter_end": "8"}, "meter_end", "This is less than at the start"),
        ({"meter_start": "1", "meter_end": "8"}, "gallons", "The meter says 7.000"),
        ({"gallons": "1001"}, "gallons", "Enter 1,000 gallons or less"),
        ({"ticket": " "}, "ticket", "Ticket number is required"),
        ({"started": "2026-11-26T08:01"}, "started", "This time has not come yet"),
        ({"started": "noon"}, "started", "Enter a day and a time"),
        ({"gallons": ["12"]}, "gallons", "Enter the gallons"),
    ],
)
def test_fill_that_contradicts_itself_is_refused(typed, field, message):
    with pytest.raises(InvalidForm) as raised:
        parse_fill(FILLED | typed, datetime(2026, 11, 26, 13, tzinfo=UTC))
    assert raised.value.messages[field].startswith(message)


# Of a tank of 10 gallons 11 are accepted, and two tanks are 20.
BILLED = {"state": "completed", "total": Money(4000), "filled_milligallons": 10_000}
WAITING = {"state": "completed", "gallons_asked_at": EIGHT, "filled_milligallons": 99_000}


@pytest.mark.parametrize(
    ("booking", "gallons", "who", "recorded"),
    [
        ({}, 10_000, "technician", ("complete", True, "")),
        ({}, 25_000, "technician", ("complete", True, CHECKED_FIRST)),
        ({}, 18_000, "technician", ("complete", True, UNCONFIRMED)),
        ({}, 18_000, "staff, confirmed", ("complete", True, "")),
        ({}, 99_000, "staff, confirmed", ("complete", True, CHECKED_FIRST)),
        ({}, 99_000, "admin, confirmed", ("complete", True, "")),
        ({"state": "cancelled"}, 10_000, "staff", ("complete", False, "")),
        ({"state": "failed"}, 99_000, "technician", ("complete", False, "")),
        (BILLED, 9_000, "technician", ("correct", True, "")),
        (WAITING, 9_000, "technician", ("correct", True, "")),
        (WAITING, 9_000, "admin", ("correct", True, "")),
        ({"state": "completed"}, 9_000, "staff", ("correct", False, "")),
        ({}, 18_000, "staff", MoreThanTank),
        (BILLED, 18_000, "technician", MoreThanTank),
        (BILLED, 99_000, "technician", MoreThanTwoTanks),
        (BILLED, 99_000, "staff, confirmed", MoreThanTwoTanks),
        (WAITING, 9_000, "staff", MoreThanTwoTanks),
    ],
)
def test_fill_is_billed_asked_about_or_refused(booking, gallons, who, recorded):
    about = {
        "by_technician": who == "technician",
        "is_admin": who.startswith("admin"),
        "is_confirmed": who.endswith("confirmed"),
    }
    filled = a_booking(car=replace(CAR, tank_tenths=100), **booking)
    if isinstance(recorded, type):
        with pytest.raises(recorded):
            recording_of(filled, filled.fill(), gallons, **about)
    else:
        assert astuple(recording_of(filled, filled.fill(), gallons, **about)) == recorded
