"""An announcement goes out: once to each, in parts, by day, and not to who has left meanwhile."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.tables import Person
from fuel_app.announcements import jobs, rules
from fuel_app.announcements import service as announcements
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import Job, Later
from fuel_app.kit.outbox import Message
from fuel_app.membership.jobs import erase_due
from fuel_app.messages import jobs as sending  # noqa: F401 (registers it)
from fuel_app.messages import service as messages
from fuel_app.messages.rules import delivery
from fuel_app.messages.tables import SmsConsent
from tests.factories import UNKNOWN_ID
from tests.helpers.announcements import (
    OFFER,
    a_draft,
    a_reader,
    a_texted_reader,
    found,
    goes_out,
    job_of,
    outcomes,
    readers,
    send,
    sent_out,
)
from tests.helpers.jobs import stored_jobs
from tests.helpers.launch import ADMIN
from tests.helpers.mail_server import text_of
from tests.helpers.outbox import NOON, run_worker, set_clock, stored

PHONE = "9415550123"
EVENING = datetime(2026, 3, 3, 1, tzinfo=UTC)  # 8 PM in New York
SENT = ("mail", "sent", None)


@pytest.fixture(autouse=True)
def at_noon(monkeypatch):
    set_clock(monkeypatch, NOON)


@pytest.fixture
def small_outbox(monkeypatch):
    monkeypatch.setattr(rules, "_AHEAD", 4)


async def run(job: Job) -> bool:
    """Run a job that is not stored. Return whether it goes on."""
    try:
        await jobs.send(job)
    except Later:
        return True
    return False


async def test_everybody_gets_it_once_in_parts(database, inbox, small_outbox, monkeypatch):
    people = await readers(7)
    news = await sent_out()
    await run_worker()
    assert len(await outcomes(news)) == 4
    await goes_out(monkeypatch, NOON)
    assert await outcomes(news) == [SENT] * 7
    assert {to for (to,), _ in inbox.mails} == {each.email for each in people}
    assert (await found(news)).state == "sent"
    mail = inbox.last()
    assert mail["Subject"] == "A second truck"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    lines = text_of(mail).splitlines()
    assert lines[3:6] == ["It is blue.", "", "See https://example.com/news?a=1&b=2"]
    assert all(row.payload == {"announcement": news} for row in await stored())
    lines, _ = await announcements.list_announcements(10, actor=ADMIN)
    assert (lines[0].counts, lines[0].done, lines[0].goal) == ("7 e-mails sent", 7, 7)


async def test_link_of_the_mail_ends_its_kind_alone_and_is_counted(database, inbox, monkeypatch):
    people = await readers(2)
    news, offer = await sent_out(), await sent_out(**OFFER)
    await goes_out(monkeypatch, NOON)
    for sent, kind in ((news, "Newsletter"), (offer, "Special offer")):
        token = next(
            str(mail["List-Unsubscribe"]).partition("?t=")[2].rstrip(">")
            for (to,), mail in inbox.mails
            if to == people[0].email and (mail["Subject"] == "$5 off") == (sent == offer)
        )
        assert kind in await messages.find_unsubscription(token)
        lines, _ = await announcements.list_announcements(10, actor=ADMIN)
        line = next(each for each in lines if each.id == sent)
        assert line.counts == "2 e-mails sent"
        assert kind in await messages.unsubscribe(token)
    lines, _ = await announcements.list_announcements(10, actor=ADMIN)
    assert {each.counts for each in lines} == {"2 e-mails sent · 1 unsubscribed since"}
    chosen = await messages.preferences_of(people[0].id)
    assert (chosen.newsletter, chosen.marketing, chosen.email) == (False, False, True)


async def test_two_workers_at_once_queue_each_person_once(database, small_outbox):
    await readers(9)
    job = await job_of(await sent_out())
    for _ in range(3):
        assert await asyncio.gather(*[run(job) for _ in range(3)]) == [True] * 3
        async with transaction() as session:
            await session.execute(update(Message).values(state="sent"))
    assert not await run(job)
    people = [each.person_id for each in await stored()]
    assert len(people) == len(set(people)) == 9


async def test_killed_between_two_parts_it_goes_on_where_it_was(
    database, small_outbox, monkeypatch
):
    await readers(6)
    news = await sent_out()
    job, queue_all = await job_of(news), outbox.add_all

    async def dies(*_: object) -> None:
        raise asyncio.CancelledError

    for _ in range(2):
        monkeypatch.setattr(outbox, "add_all", dies)
        with pytest.raises(asyncio.CancelledError):
            await run(job)
        monkeypatch.setattr(outbox, "add_all", queue_all)
        assert await run(job)
        async with transaction() as session:
            await session.execute(update(Message).values(state="sent"))
    assert not await run(job)
    assert len({each.person_id for each in await stored()}) == len(await stored()) == 6
    assert (await found(news)).state == "sent"


async def test_who_has_changed_their_mind_meanwhile_gets_nothing(database, inbox):
    ada, grace, joan, mary, rita = [
        await a_reader(f"{name}@example.com") for name in ("ada", "grace", "joan", "mary", "rita")
    ]
    news = await sent_out()
    await run(await job_of(news))
    await messages.toggle_preference(Actor(person_id=ada.id), "newsletter")
    await messages.toggle_preference(Actor(person_id=grace.id), "email")
    changes = ((joan, {"deactivated_at": NOON}), (mary, {"email_verified_at": None}))
    async with transaction() as session:
        for person, values in changes:
            this = update(Person).where(col(Person.id) == person.id)
            await session.execute(this.values(**values))
    await run_worker()
    assert await outcomes(news) == [
        ("mail", "skipped", delivery.SWITCHED_OFF),
        ("mail", "skipped", delivery.CHANNEL_OFF),
        ("mail", "skipped", delivery.NO_PERSON),
        ("mail", "skipped", delivery.UNVERIFIED),
        SENT,
    ]
    assert [to for to, _ in inbox.mails] == [[rita.email]]


async def test_erased_customer_is_counted_and_nothing_else_is_left(database, inbox):
    ada, grace = [await a_reader(f"{name}@example.com") for name in ("ada", "grace")]
    news = await sent_out()
    job = await job_of(news)
    await run(job)
    async with transaction() as session:
        this = update(Person).where(col(Person.id) == ada.id)
        await session.execute(this.values(deactivated_at=NOON, delete_at=NOON))
    assert await erase_due(NOON + timedelta(seconds=1)) == 1
    await run(job)  # nobody is queued twice for that
    await run_worker()
    rows = [row for row in await stored() if row.batch_id == news]
    assert [(row.person_id, row.recipient, row.state) for row in rows] == [
        (None, "", "skipped"),
        (grace.id, grace.email, "sent"),
    ]
    assert (rows[0].payload, rows[0].key) == ({}, None)


async def test_texts_are_sent_with_consent_alone_which_is_asked_again(database, twilio):
    ada = await a_texted_reader("ada@example.com", PHONE)
    others = [
        await a_texted_reader(f"{number}@example.com", f"941555{number}")
        for number in (2001, 2002, 2003)
    ]
    offer = await sent_out(**OFFER)
    await run(await job_of(offer))
    await messages.end_offer_texts(Actor(person_id=others[0].id))
    await messages.receive_text("+19415552002", "STOP")
    async with transaction() as session:
        moved = update(SmsConsent).where(col(SmsConsent.phone) == "9415552003")
        await session.execute(moved.values(offers_agreed_at=None))
        this = update(Person).where(col(Person.id) == others[2].id)
        await session.execute(this.values(phone="9415552004"))  # a number without any consent
    await run_worker()
    texts = [each for each in await outcomes(offer) if each[0] == "sms"]
    assert sorted(reason or "" for _, _, reason in texts) == [
        "",
        delivery.STOPPED,
        *[delivery.NO_CONSENT] * 2,
    ]
    (asked,) = twilio.asked
    assert asked["To"] == f"+1{ada.phone}"
    assert asked["Body"] == "Gulfside Fuel: $5 off your next fill. Reply STOP to end."


async def test_fourth_message_of_a_day_waits_for_the_next(sqlite_database, twilio, monkeypatch):
    await a_texted_reader("ada@example.com", PHONE)
    first, second = await sent_out(**OFFER), await sent_out(**OFFER)

    async def states() -> list[str]:
        return sorted([each[1] for sent in (first, second) for each in await outcomes(sent)])

    await goes_out(monkeypatch, NOON, rounds=4)
    assert await states() == ["queued", "sent", "sent", "sent"]
    assert (await found(second)).state == "sent"  # what waits does not hold it up
    await goes_out(monkeypatch, NOON + timedelta(hours=23), rounds=2)
    assert await states() == ["queued", "sent", "sent", "sent"]
    await goes_out(monkeypatch, NOON + timedelta(hours=25), rounds=2)
    assert await states() == ["sent"] * 4
    assert len(twilio.asked) == 2


async def test_nothing_goes_out_from_eight_to_eight(database, inbox, small_outbox, monkeypatch):
    await readers(6)
    set_clock(monkeypatch, EVENING)
    news = await sent_out()
    await run_worker()
    assert await outcomes(news) == []
    morning = EVENING + timedelta(hours=12)
    await goes_out(monkeypatch, morning - timedelta(minutes=1), rounds=2)
    assert not inbox.mails
    set_clock(monkeypatch, morning)
    await run(await job_of(news))
    set_clock(monkeypatch, EVENING + timedelta(days=1))  # a long outage until the evening
    await run_worker()
    assert not inbox.mails
    await goes_out(monkeypatch, morning + timedelta(days=1))
    assert len(inbox.mails) == 6


async def test_scheduled_one_goes_out_at_its_time_unless_it_is_recalled(
    database, inbox, monkeypatch
):
    await readers(1)
    kept, recalled = await a_draft(), await a_draft()
    for each in (kept, recalled):
        await send(each, "2026-03-02T14:00")
    await announcements.step("recall", recalled, actor=ADMIN)
    await run_worker()
    assert not inbox.mails
    await goes_out(monkeypatch, NOON + timedelta(hours=2), rounds=3)
    assert len(inbox.mails) == 1
    assert ((await found(kept)).state, (await found(recalled)).state) == ("sent", "draft")


async def test_paused_it_stops_at_once_and_resumed_it_goes_on(
    database, inbox, small_outbox, monkeypatch
):
    await readers(6)
    news = await sent_out()
    job = await job_of(news)
    await run(job)
    await announcements.step("pause", news, actor=ADMIN)
    assert not await run(job)
    await run_worker()
    assert (await outcomes(news), inbox.mails) == ([("mail", "queued", None)] * 4, [])
    lines, _ = await announcements.list_announcements(10, actor=ADMIN)
    assert (lines[0].done, lines[0].goal, lines[0].badge) == (0, 6, "Paused")
    await announcements.step("resume", news, actor=ADMIN)
    await goes_out(monkeypatch, NOON + timedelta(minutes=15))
    assert await outcomes(news) == [SENT] * 6
    assert not await run(job)  # of before the pause


async def test_cancelled_it_goes_to_nobody_else(database, inbox, small_outbox, monkeypatch):
    await readers(6)
    news = await sent_out()
    job = await job_of(news)
    await run(job)
    await announcements.step("cancel", news, actor=ADMIN)
    assert not await run(job)
    await goes_out(monkeypatch, NOON)
    assert await outcomes(news) == [("mail", "skipped", announcements.WITHDRAWN)] * 4
    async with transaction() as session:  # one that was on its way to its composer meanwhile
        (first, *_) = await stored()
        assert await jobs._compose(session, first) == outbox.Skip(announcements.WITHDRAWN)
    assert not inbox.mails


async def test_server_that_is_away_stops_it_after_some(database, monkeypatch):
    monkeypatch.setattr(rules, "_RETRIED_MOST", 4)
    monkeypatch.setattr(rules, "_AHEAD", 4)
    await readers(9)
    news = await sent_out()
    job = await job_of(news)
    for _ in range(4):
        assert await run(job)
        async with transaction() as session:
            await session.execute(update(Message).values(error="away (we retry)"))
    assert len(await outcomes(news)) == 4


async def test_dead_job_pauses_its_announcement_and_one_of_before_does_not(database):
    await readers(1)
    news = await sent_out()
    job = await job_of(news)
    for stale in (
        Job("1", job.kind, {**job.payload, "revision": 1}, attempts=1),
        Job("1", job.kind, {**job.payload, "id": UNKNOWN_ID}, attempts=1),
    ):
        async with transaction() as session:
            await jobs._pause(session, stale)
        assert not await run(stale)
        assert (await found(news)).state == "sending"
    async with transaction() as session:
        await jobs._pause(session, job)
    assert (await found(news)).state == "paused"
    assert not await run(job)


async def test_test_says_what_the_draft_says_and_goes_at_any_hour(
    sqlite_database, inbox, monkeypatch
):
    grace = await a_reader("grace@example.com", email=False)
    by = Actor(ADMIN.roles, person_id=grace.id)
    set_clock(monkeypatch, EVENING)
    draft = await a_draft()
    await announcements.send_test(draft, key="1", actor=by)
    await run_worker()
    assert inbox.last()["Subject"] == "Test: A second truck"
    await announcements.send_test(draft, key="2", actor=by)
    await announcements.remove(draft, actor=ADMIN)
    await run_worker()
    assert len(inbox.mails) == 1
    assert clock.now() == EVENING
    assert {each.outcome for each in await stored_jobs() if each.kind == "message"} == {"done"}
