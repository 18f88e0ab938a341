"""Delivery of text messages as the provider reports it, and what waits for a retry."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from sqlalchemy import update

from fuel_app.accounts.rules import Actor, Purpose, Role
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from fuel_app.messages import http, providers
from fuel_app.messages import service as messages
from fuel_app.messages.providers import Outcome
from fuel_app.messages.rules.listing import MessageQuery
from tests.factories import UNKNOWN_ID
from tests.helpers.outbox import NOON, VALUES, challenge, queue, run_worker, set_clock, stored
from tests.helpers.people import a_person
from tests.messages.twilio import SETTINGS, signature

ADMIN = Actor(frozenset({Role.ADMIN}), "an admin", session_id="1")
SID = "SM" + "0" * 32
STATUS = "/api/webhooks/twilio/status"
FILTERED = Outcome(SID, "Not delivered 30007: a carrier has filtered it")


async def a_text(**options) -> str:
    """Queue a code as a text message. Return the message's id."""
    person = await a_person(phone="9415550123", phone_verified_at=NOON)
    payload = {"challenge": await challenge(Purpose.PHONE, person.id)}
    return await queue("phone_code", payload, channel="sms", person_id=person.id, **options)


async def the_message() -> Message:
    (row,) = await stored()
    return row


async def test_report_of_delivery_is_stored_once(database, twilio, monkeypatch):
    set_clock(monkeypatch, NOON)
    message_id = await a_text()
    await run_worker()
    row = await the_message()
    assert (row.state, row.provider_id, row.delivered_at) == ("sent", SID, None)
    for again in (Outcome(SID, ""), Outcome(SID, ""), FILTERED):
        await messages.record_delivery(message_id, again)
    row = await the_message()
    assert (row.state, row.delivered_at) == ("sent", NOON)
    (line,) = (await messages.list_messages(ADMIN, MessageQuery())).rows
    assert (line.state, line.color) == ("Delivered", "green")


async def test_text_message_that_a_carrier_drops_has_failed(database, twilio):
    message_id = await a_text()
    await run_worker()
    earlier_try = Outcome("SM" + "1" * 32, "Not delivered 30003")
    await messages.record_delivery(message_id, earlier_try)
    assert (await the_message()).state == "sent"
    for _ in range(2):
        await messages.record_delivery(message_id, FILTERED)
    row = await the_message()
    assert (row.state, row.error) == ("failed", FILTERED.problem)


async def test_report_before_the_sending_is_stored_counts(database):
    message_id = await a_text()
    await messages.record_delivery(message_id, FILTERED)
    assert ((await the_message()).state, (await the_message()).provider_id) == ("failed", SID)
    await run_worker()
    assert (await the_message()).state == "failed"


async def test_text_message_known_as_delivered_is_not_sent_again(database, twilio, monkeypatch):
    set_clock(monkeypatch, NOON)
    twilio.answers["+19415550123"] = (503, 0)  # it took the message all the same
    message_id = await a_text()
    await run_worker()
    await messages.record_delivery(message_id, Outcome(SID, ""))
    set_clock(monkeypatch, NOON + timedelta(hours=1))
    await run_worker()
    row = await the_message()
    assert (len(twilio.asked), row.state, row.provider_id, row.error) == (1, "sent", SID, None)
    assert (row.sent_at, row.delivered_at) == (NOON, NOON)


async def test_report_of_a_mail_or_an_unknown_message_changes_nothing(sqlite_database):
    mail_id = await queue("waitlist_welcome", {"submission": "x"}, to="new@example.com")
    for message_id in (mail_id, None, "x", UNKNOWN_ID):
        await messages.record_delivery(message_id, FILTERED)
    assert (await the_message()).state == "queued"


async def test_messages_that_wait_are_counted_by_channel(database, monkeypatch):
    set_clock(monkeypatch, NOON)
    for channel in ("sms", "sms", "mail"):
        await queue("arrived", VALUES, channel=channel, to="9415550123")
    assert await messages.count_waiting(ADMIN) == []
    async with transaction() as session:
        await session.execute(update(Message).values(error="away (we retry)"))
    assert await messages.count_waiting(ADMIN) == [
        "1 e-mail waits since Mar 2, 2026, 12:00 PM: away (we retry)",
        "2 text messages wait since Mar 2, 2026, 12:00 PM: away (we retry)",
    ]


@pytest.fixture
def reported(configure, browser):
    """Return a function that reports a status as Twilio does."""
    configure(providers, **SETTINGS)
    configure(http, site_url="https://fuel.example")

    async def send(message_id: str, form: dict[str, str], sign: str | None = None):
        address = f"{STATUS}?message={message_id}"
        given = signature(f"https://fuel.example{address}", form) if sign is None else sign
        headers = {
            "X-Twilio-Signature": given,
            "content-type": "application/x-www-form-urlencoded",
        }
        return await browser.post(address, content=urlencode(form), headers=headers)

    return send


async def test_status_callback_is_taken_with_a_signature_alone(sqlite_database, reported):
    message_id = await a_text()
    form = {"MessageSid": SID, "MessageStatus": "undelivered", "ErrorCode": "30007"}
    for_another = signature(f"https://fuel.example{STATUS}?message=other", form)
    for forged in ("x", for_another):
        assert (await reported(message_id, form, sign=forged)).status_code == 403
    assert (await the_message()).state == "queued"
    on_the_way = {"MessageSid": SID, "MessageStatus": "sent"}
    assert (await reported(message_id, on_the_way)).status_code == 204
    assert (await the_message()).state == "queued"
    answer = await reported(message_id, form)
    assert (answer.status_code, answer.text) == (204, "")
    assert (await the_message()).error == FILTERED.problem
