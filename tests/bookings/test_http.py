"""Calendar files and the CSV of one's own fills."""

import csv
from datetime import UTC, datetime
from typing import Any

import pytest
from icalendar import Calendar

from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import secrets
from fuel_app.kit.db.session import transaction
from fuel_app.messages.rules.kinds import MANAGED
from tests.helpers.open_area import open_area
from tests.helpers.people import a_person
from tests.helpers.signed_in import cookie_for
from tests.helpers.stored_bookings import CAR, GUEST, a_booking, a_fill, change
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def a_customer(email: str = "ada@example.com") -> tuple[str, dict[str, str]]:
    person = await a_person(email=email)
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code="34236"))
    return person.id, {"cookie": f"{COOKIE}={await cookie_for(person.id)}"}


def event_of(answer) -> tuple[Any, Any]:
    assert answer.headers["content-type"].startswith("text/calendar")
    assert answer.headers["cache-control"] == "no-store"
    calendar = Calendar.from_ical(answer.content)
    (event,) = calendar.events
    return calendar, event


async def test_calendar_file_of_a_booking_is_moved_and_cancelled_in_place(browser):
    person_id, headers = await a_customer()
    booking = await a_booking(await open_area(), person_id)
    address = routes.booking_calendar(booking.id)
    answer = await browser.get(address, headers=headers)
    calendar, event = event_of(answer)
    first = event["UID"]
    assert 'filename="booking.ics"' in answer.headers["content-disposition"]
    assert (calendar["METHOD"], event["SEQUENCE"]) == ("REQUEST", 1)
    assert (event.start, event.end) == (booking.starts_at, booking.ends_at)
    assert b"DTSTART:" in answer.content  # in UTC
    assert event["LOCATION"] == "1234 Palm Ave, Sarasota, FL 34236"
    assert event["URL"].endswith(routes.booking(booking.id))
    assert event["ATTENDEE"] == "mailto:ada@example.com"
    await change(booking, revision=2, state="cancelled")
    calendar, event = event_of(await browser.get(address, headers=headers))
    assert (calendar["METHOD"], event["SEQUENCE"], event["UID"]) == ("CANCEL", 2, first)
    assert event["STATUS"] == "CANCELLED"


async def test_calendar_file_over_a_clock_change_keeps_its_hours(browser):
    person_id, headers = await a_customer()
    starts, ends = datetime(2026, 11, 1, 5, tzinfo=UTC), datetime(2026, 11, 1, 7, tzinfo=UTC)
    booking = await a_booking(await open_area(), person_id, starts_at=starts, ends_at=ends)
    _, event = event_of(await browser.get(routes.booking_calendar(booking.id), headers=headers))
    assert (event.start, event.end) == (starts, ends)


async def test_strangers_get_no_calendar_file(browser):
    person_id, _ = await a_customer("bea@example.com")
    booking = await a_booking(await open_area(), person_id)
    address = routes.booking_calendar(booking.id)
    _, headers = await a_customer()
    assert (await browser.get(address)).status_code == 401
    assert (await browser.get(address, headers=headers)).status_code == 404
    shared = {"cookie": f"{COOKIE}={await a_token()}"}
    assert (await browser.get(address, headers=shared)).status_code == 403
    nothing = routes.booking_calendar("x")
    assert (await browser.get(nothing, headers=headers)).status_code == 404


async def test_guest_gets_the_calendar_file_by_link_alone(browser):
    booking = await a_booking(await open_area())
    link = secrets.token(MANAGED, booking.id)
    answer = await browser.get(routes.manage_calendar(link))
    _, event = event_of(answer)
    assert event["ATTENDEE"] == f"mailto:{GUEST['email']}"
    assert event["URL"].endswith(f"/manage/{link}")
    assert answer.headers["referrer-policy"] == "no-referrer"
    for forged in (link[:-1], secrets.token("waitlist", booking.id), booking.id):
        assert (await browser.get(routes.manage_calendar(forged))).status_code == 404


async def test_csv_has_ones_own_fills_alone_and_runs_nothing(browser):
    person_id, headers = await a_customer()
    other, _ = await a_customer("bea@example.com")
    area = await open_area()
    at = datetime(2026, 3, 8, 7, 30, tzinfo=UTC)  # after the clocks went forward
    car = {**{name: getattr(CAR, name) for name in CAR.__slots__}, "license_plate": "=1+1"}
    await a_fill(area, person_id, at, 14_203, 6_413, vehicle=car)
    await a_fill(area, other, at, 10_000, 5_000)
    await a_fill(area, person_id, at, 0, 0, state="failed")
    await a_booking(area, person_id, state="cancelled")
    answer = await browser.get(routes.FILLS_EXPORT, headers=headers)
    assert 'filename="fills.csv"' in answer.headers["content-disposition"]
    head, *lines = csv.reader(answer.text.removeprefix("\ufeff").splitlines())
    assert head[:3] == ["Date", "Vehicle", "License plate"]
    assert lines == [
        [
            "2026-03-08 03:30:00",
            "2022 Toyota Camry",
            "'=1+1",
            "regular",
            "14.203",
            "64.13",
            "1234 Palm Ave, Sarasota, FL 34236",
        ]
    ]


async def test_csv_is_for_signed_in_people(browser):
    assert (await browser.get(routes.FILLS_EXPORT)).status_code == 401
    _, headers = await a_customer()
    answer = await browser.get(routes.FILLS_EXPORT, headers=headers)
    assert len(answer.text.splitlines()) == 1


async def test_link_of_a_guest_is_not_in_the_access_log():
    from fuel_app.server.metrics import _LINK

    link = secrets.token(MANAGED, "019ab000-0000-7000-8000-000000000000")
    pages = (routes.manage(link), routes.manage_receipt(link))
    for address in (*pages, routes.manage_calendar(link), routes.manage_receipt_file(link)):
        assert link not in _LINK.sub("", address)
