"""Messages of a booking's life, as they arrive in a mailbox."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from icalendar import Calendar

from fuel_app import routes
from fuel_app.bookings.service import access, bookings, changes
from fuel_app.kit.money import Money
from fuel_app.messages import providers
from tests.faults.money_cases import give_card
from tests.helpers.bookings import (
    CONTACT,
    NOW,
    STAFF,
    Customer,
    a_customer,
    an_area,
    at,
    booked,
    booked_by_guest,
    slot,
)
from tests.helpers.mail_server import Inbox, mail_server, text_of
from tests.helpers.outbox import run_worker

pytestmark = pytest.mark.usefixtures("sqlite_database", "opened")


@pytest.fixture
def inbox(configure: Callable[..., Any]) -> Iterator[Inbox]:
    with mail_server() as received:
        configure(providers, smtp_url=received.url)
        yield received


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


def sequence_of(inbox: Inbox) -> tuple[str, str, int]:
    (file,) = inbox.last().iter_attachments()
    calendar = Calendar.from_ical(file.get_content())  # type: ignore[attr-defined]
    (event,) = calendar.events
    return str(calendar["METHOD"]), str(event["UID"]).partition("@")[0], int(str(event["SEQUENCE"]))


async def a_booked_fill(area: str) -> tuple[Customer, Any]:
    customer = await a_customer()
    return customer, await booked(customer, slot(area, 3))


async def test_customer_is_told_of_booking_moving_and_cancelling_in_one_calendar_entry(inbox):
    area = await an_area()
    customer, made = await a_booked_fill(area)
    await run_worker()
    text = text_of(inbox.last())
    assert routes.booking(made.id) in text
    assert "Convenience fee: Included in your plan" in text
    assert "until Thursday, November 26, 6:00 AM. Later it costs $15.00." in text
    assert sequence_of(inbox) == ("REQUEST", made.id, 1)
    moved = await changes.move(customer.actor, made.id, 1, slot(area, 4))
    await run_worker()
    assert moved.when in text_of(inbox.last())
    assert f"Before: {made.when}" in text_of(inbox.last())
    assert sequence_of(inbox) == ("REQUEST", made.id, 2)
    await changes.cancel(customer.actor, made.id, 2, seen_fee=Money(0))
    await run_worker()
    assert sequence_of(inbox) == ("CANCEL", made.id, 3)
    assert len(inbox.mails) == 3


async def test_guest_is_led_to_the_booking_by_a_link(inbox, monkeypatch):
    area = await an_area()
    made = await booked_by_guest(slot(area, 2))
    await run_worker()
    ((to,), letter) = inbox.mails[-1]
    assert to == CONTACT.email
    assert routes.manage(access.manage_token(made)) in text_of(letter)
    assert "Convenience fee: $15.00" in text_of(letter)
    assert "We hold up to $76; you pay for what is pumped." in text_of(letter)


async def test_reminder_goes_the_day_before_and_never_after_a_cancellation(inbox, monkeypatch):
    area = await an_area()
    customer, kept = await a_booked_fill(area)
    gone = await booked(customer, slot(area, 3, 10))
    await changes.cancel(customer.actor, gone.id, 1, seen_fee=Money(0))
    await run_worker()
    told = len(inbox.mails)
    at(monkeypatch, kept.starts_at - timedelta(hours=23))
    await run_worker()
    assert [letter["Subject"].strip() for _, letter in inbox.mails[told:]] == [
        f"Tomorrow: your fill-up, {kept.when}"
    ]
    assert routes.booking(kept.id) in text_of(inbox.last())


async def test_reminder_of_the_day_before_is_not_sent_on_the_day_itself(inbox, monkeypatch):
    """As after an outage, with the window still to come: 'Tomorrow' would be wrong."""
    customer = await a_customer()
    await give_card(customer.id)
    made = await booked(customer, slot(await an_area(), 3, 10))
    await run_worker()
    at(monkeypatch, made.starts_at - timedelta(minutes=50))
    await run_worker()
    said = [letter["Subject"].strip().partition(":")[0] for _, letter in inbox.mails]
    assert [each for each in said if each in ("Tomorrow", "Soon")] == ["Soon"]


async def test_staff_who_book_late_promise_no_time_that_is_past(inbox, monkeypatch):
    area, customer = await an_area(), await a_customer()
    wanted = slot(area, 1, 10)
    at(monkeypatch, NOW + timedelta(days=1, hours=-1))  # at 9 for 10 to 12
    request = customer.wants(wanted)
    seen = await bookings.estimate_fill(STAFF, request, customer_id=customer.id)
    more = {"key": str(uuid4()), "seen": seen, "customer_id": customer.id}
    await bookings.book(STAFF, request, **more, reason="Asked by phone")
    await run_worker()
    text = text_of(inbox.mails[0][1])
    assert "It is too late to move it. Cancelling it costs $15.00." in text
    assert "until" not in text
