"""Calendar files."""

from datetime import UTC, datetime, timedelta

from icalendar import Calendar

from fuel_app.kit.calendar_file import Entry, calendar_file

STARTS = datetime(2026, 11, 24, 13, tzinfo=UTC)
NASTY = 'Camry\r\nATTENDEE:mailto:x@example.com; "a", b\\n' + "ä" * 100


def entry(**differs) -> Entry:
    values = {
        "id": "019ab000-0000-7000-8000-000000000000",
        "revision": 2,
        "starts_at": STARTS,
        "ends_at": STARTS + timedelta(hours=2),
        "title": "Fill-up: 2022 Toyota Camry",
        "place": "1234 Palm Ave",
        "address": "https://example.com/bookings/1",
    }
    return Entry(**values | differs)


def test_times_are_in_utc_and_the_alarm_rings_an_hour_before():
    file = calendar_file(entry())
    assert b"DTSTART:20261124T130000Z" in file
    (event,) = Calendar.from_ical(file).events
    (alarm,) = event.alarms.times
    assert alarm.trigger == STARTS - timedelta(hours=1)
    assert "ATTENDEE" not in event


def test_line_breaks_in_a_value_add_no_property_and_long_lines_are_folded():
    file = calendar_file(entry(title=NASTY, place=NASTY))
    (event,) = Calendar.from_ical(file).events
    assert "ATTENDEE" not in event
    assert "ä" * 100 in str(event["SUMMARY"])
    assert all(len(line) <= 75 for line in file.split(b"\r\n"))


def test_cancelled_entry_has_no_alarm():
    calendar = Calendar.from_ical(calendar_file(entry(is_cancelled=True)))
    (event,) = calendar.events
    assert (calendar["METHOD"], event["STATUS"]) == ("CANCEL", "CANCELLED")
    assert not event.alarms.times
