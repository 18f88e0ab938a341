"""Failures of sending: what is retried, what is not, and what is noted."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from fuel_app.accounts.rules import Purpose
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.outbox import Message
from fuel_app.messages import jobs as sending
from fuel_app.messages import queries
from fuel_app.messages import service as messages
from fuel_app.messages.rules import delivery
from fuel_app.messages.tables import RefusedAddress
from tests.helpers.jobs import run_due
from tests.helpers.outbox import NOON, challenge, queue, sent, set_clock, stored
from tests.helpers.people import a_person

NEW = "new@example.com"


async def test_address_that_is_refused_for_good_is_marked(sqlite_database, inbox):
    inbox.answers[NEW] = "550 5.1.1 No such user"
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    assert (row.state, row.error) == ("failed", "550 5.1.1 No such user")
    async with reading() as session:
        assert await queries.is_refused(session, NEW)
        marked = await session.get_one(RefusedAddress, NEW)
    assert marked.reason == "550 5.1.1 No such user"
    inbox.answers.clear()
    row = await sent("waitlist_welcome", {"submission": "y"}, to=NEW)
    assert (row.state, row.error) == ("skipped", delivery.REFUSED)
    # A code that somebody has just asked for is tried anyway.
    row = await sent("verify", {"challenge": await challenge(Purpose.VERIFY)}, to=NEW)
    assert row.state == "sent"
    # The address takes mail again, whether or not the code is typed.
    row = await sent("waitlist_welcome", {"submission": "z"}, to=NEW)
    assert row.state == "sent"


@pytest.mark.parametrize(
    "answer", ["452 4.2.2 Mailbox full", "550 5.7.1 Relay access denied", "530 5.7.0 Sign in"]
)
async def test_passing_failure_is_retried_with_the_same_message_id(
    sqlite_database, inbox, monkeypatch, answer
):
    inbox.answers[NEW] = answer
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    assert (row.state, row.error) == ("queued", f"{answer} (we retry)")
    inbox.answers.clear()
    later = clock.now() + timedelta(minutes=1)
    set_clock(monkeypatch, later)
    await run_due(lambda: later)
    (row,) = await stored()
    assert (row.state, row.error) == ("sent", None)
    assert inbox.last()["Message-ID"] == f"<{row.id}@localhost>"


async def test_message_fails_after_the_last_try(sqlite_database, inbox):
    inbox.answers[NEW] = "452 4.2.2 Mailbox full"
    await queue("waitlist_welcome", {"submission": "x"}, to=NEW)
    at = clock.now()
    for _ in range(sending.ATTEMPTS):
        at += timedelta(hours=2)
        await run_due(lambda at=at: at)
    (row,) = await stored()
    assert (row.state, row.error) == ("failed", "452 4.2.2 Mailbox full")


async def test_rejected_mail_fails_without_marking_the_address(sqlite_database, inbox):
    row = await sent("waitlist_welcome", {"submission": "x"}, to="a@b.example\nBcc: all@x.example")
    assert (row.state, inbox.mails) == ("failed", [])
    inbox.after_data = "554 5.6.0 Message rejected"
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    assert (row.state, row.error) == ("failed", "554 5.6.0 Message rejected")
    async with reading() as session:
        assert not await queries.is_refused(session, NEW)


async def test_phone_that_has_opted_out_is_noted(sqlite_database, twilio, at_noon):
    person = await a_person(phone="9415550123", phone_verified_at=NOON)
    async with transaction() as session:
        await messages.agree_to_texts(session, person.phone, person.id)
    twilio.answers["+19415550123"] = (400, 21610)
    row = await sent("on_the_way", person_id=person.id, channel="sms")
    assert (row.state, row.error) == ("failed", "400 21610")
    assert await messages.text_refusal("9415550123")


@pytest.mark.parametrize("kind", ["booking_confirmed", "no_such_kind"])
async def test_message_without_its_values_fails_at_once(sqlite_database, inbox, kind):
    person = await a_person()
    async with transaction() as session:
        session.add(
            Message(kind=kind, channel="mail", person_id=person.id, payload={}, send_at=NOON)
        )
    (row,) = await stored()
    job = SimpleNamespace(id="1", payload={"id": row.id}, attempts=1)
    with pytest.raises(sending.GiveUp):
        await sending.send(job)  # type: ignore[arg-type]
    async with transaction() as session:
        await sending._fail(session, job)  # type: ignore[arg-type]
    (row,) = await stored()
    assert row.state == "failed"
    assert (row.error or "").startswith("Its text could not be made.")


async def test_message_is_sent_once_when_its_job_runs_twice(sqlite_database, inbox):
    await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    (row,) = await stored()
    await sending.send(SimpleNamespace(id="1", payload={"id": row.id}, attempts=1))  # type: ignore[arg-type]
    await sending.send(SimpleNamespace(id="1", payload={"id": "gone"}, attempts=1))  # type: ignore[arg-type]
    async with transaction() as session:
        await sending._fail(session, SimpleNamespace(payload={"id": "gone"}))  # type: ignore[arg-type]
    assert len(inbox.mails) == 1


@pytest.mark.parametrize("is_erased", [False, True])
async def test_message_that_is_skipped_while_it_is_sent_is_marked_as_sent(
    sqlite_database, inbox, monkeypatch, is_erased
):
    handed_over = sending.providers.send_mail

    async def send_as_it_is_skipped(*mail):
        note = await handed_over(*mail)
        async with transaction() as session:
            await outbox.skip(session, ["once"], delivery.OUTDATED)
            if is_erased:
                await outbox.erase(session, outbox.about("", NEW))
        return note

    monkeypatch.setattr(sending.providers, "send_mail", send_as_it_is_skipped)
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW, key="once")
    assert len(inbox.mails) == 1
    assert (row.state, row.error) == ("sent", None)
    assert row.sent_at
    assert row.recipient == ("" if is_erased else NEW)
    assert row.body is None  # what was erased stays so


async def test_without_a_server_messages_are_kept(sqlite_database):
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    assert (row.state, row.error) == ("sent", "Not sent: no mail server is set.")
    person = await a_person(phone="9415550123", phone_verified_at=NOON)
    challenge_id = await challenge(Purpose.SMS, person.id)
    row = await sent("sms_code", {"challenge": challenge_id}, person_id=person.id, channel="sms")
    assert (row.state, row.error) == ("sent", "Not sent: no text message service is set.")
