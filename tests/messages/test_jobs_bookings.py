"""Messages about bookings: the link, the calendar file, and reminders that have become wrong."""

from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from icalendar import Calendar

from fuel_app.kit import outbox, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Pdf
from fuel_app.messages import service as messages
from fuel_app.messages.rules import delivery
from fuel_app.messages.rules.kinds import BLANK, MANAGED
from tests.helpers.mail_server import text_of
from tests.helpers.outbox import NOON, VALUES, notify, run_worker, sent, set_clock, stored
from tests.helpers.people import a_person

GUEST = "guest@example.com"
BOOKING = VALUES["booking"]
PAYLOAD = {name: value for name, value in VALUES.items() if name not in {"at", "by", "submission"}}
KINDS = ("booking_confirmed", "booking_moved", "booking_cancelled")
pytestmark = pytest.mark.usefixtures("at_noon", "sqlite_database")


def entry_of(mail: EmailMessage) -> tuple[Calendar, EmailMessage]:
    (file,) = mail.iter_attachments()
    assert isinstance(file, EmailMessage)
    content = file.get_content()
    return Calendar.from_ical(content), file


@pytest.mark.parametrize("kind", [*KINDS[:2], "day_before", "hour_before"])
async def test_customer_and_guest_are_led_to_the_booking_by_a_link_in_no_row(inbox, kind):
    person = await a_person()
    row = await sent(kind, {"booking": BOOKING, "repeats": ""}, person_id=person.id)
    assert f"/bookings/{BOOKING}" in text_of(inbox.last())
    assert BLANK not in (row.body or "").partition("Unsubscribe")[0]
    row = await sent(kind, {"booking": BOOKING}, to=GUEST)
    token = secrets.token(MANAGED, BOOKING)
    assert f"/manage/{token}" in text_of(inbox.last())
    assert BLANK in (row.body or "")
    assert token not in "\n".join(repr(each) for each in await stored())


@pytest.mark.parametrize("kind", KINDS)
async def test_mail_about_a_booking_carries_its_entry_of_the_calendar(inbox, kind):
    person = await a_person()
    await sent(kind, {"booking": BOOKING, "revision": 3}, person_id=person.id)
    calendar, file = entry_of(inbox.last())
    (event,) = calendar.events
    is_cancelled = kind == "booking_cancelled"
    assert file.get_filename() == "booking.ics"
    assert file.get_content_type() == "text/calendar"
    assert calendar["METHOD"] == ("CANCEL" if is_cancelled else "REQUEST")
    assert file["Content-Type"].params["method"] == calendar["METHOD"]
    assert str(event["UID"]).startswith(f"{BOOKING}@")
    assert event["SEQUENCE"] == 3
    assert event.start == datetime(2026, 3, 5, 13, tzinfo=UTC)
    assert event.end == datetime(2026, 3, 5, 15, tzinfo=UTC)
    assert (event["ATTENDEE"], len(event.alarms.times)) == (
        f"mailto:{person.email}",
        0 if is_cancelled else 1,
    )


async def test_words_of_a_confirmation_say_price_parts_and_the_late_fee(inbox):
    price = "Fuel, about 12 gallons at $3.45: $41.40\nConvenience fee: $15.00"
    await sent("booking_confirmed", {"booking": BOOKING, "price": price}, to=GUEST)
    text = text_of(inbox.last())
    assert "Convenience fee: $15.00" in text
    assert "until Thursday, March 5, 6:00 AM. Later it costs $15.00." in text
    await sent("booking_cancelled", {"booking": BOOKING}, to=GUEST)
    assert "/one-time-fill" in text_of(inbox.last())


async def test_guest_is_mailed_alone_and_a_customer_on_each_channel(inbox):
    person = await a_person(phone="9415550123", phone_verified_at=NOON)
    async with transaction() as session:
        await messages.agree_to_texts(session, person.phone, person.id)
        await notify(session, "booking_moved", None, PAYLOAD, to=GUEST, key="guest")
        await notify(session, "booking_moved", person.id, PAYLOAD, key="person")
        await notify(session, "booking_moved", person.id, PAYLOAD, key="person")
    assert [(row.channel, row.recipient) for row in await stored()] == [
        ("mail", GUEST),
        ("mail", ""),
        ("sms", ""),
    ]


async def test_reminder_of_a_moved_booking_or_that_is_too_late_is_never_sent(inbox, monkeypatch):
    tomorrow = NOON + timedelta(days=1)
    async with transaction() as session:
        for key, hours in (("day_before:1", 12), ("day_before:2", 12), ("day_before:3", -1)):
            due = {"wanted": tomorrow, "good_until": tomorrow + timedelta(hours=hours)}
            await notify(session, "day_before", None, PAYLOAD, to=GUEST, key=key, **due)
        await messages.cancel_queued(session, "day_before:1", "hour_before:1")
    set_clock(monkeypatch, tomorrow)
    await run_worker()
    assert [(row.state, row.error) for row in await stored()] == [
        ("skipped", delivery.OUTDATED),
        ("sent", None),
        ("skipped", delivery.TOO_LATE),
    ]
    assert len(inbox.mails) == 1


async def test_mail_with_an_invoice_brings_its_receipt_along(inbox, monkeypatch):
    asked = []

    async def receipt(invoice_id: str) -> Pdf | None:
        asked.append(invoice_id)
        return Pdf("GF-000042.pdf", b"%PDF-1.4") if len(asked) == 1 else None

    monkeypatch.setitem(outbox.MAKERS, "invoice", receipt)
    person = await a_person()
    await sent("receipt", person_id=person.id)
    (file,) = inbox.last().iter_attachments()
    assert (file.get_filename(), file.get_content_type()) == ("GF-000042.pdf", "application/pdf")
    assert file.get_payload(decode=True) == b"%PDF-1.4"
    await sent("completed", {"booking": BOOKING}, to=GUEST)  # whose invoice is no more
    assert list(inbox.last().iter_attachments()) == []
    assert f"/manage/receipt/{secrets.token(MANAGED, BOOKING)}" in text_of(inbox.last())
    assert asked == [VALUES["invoice"]] * 2
