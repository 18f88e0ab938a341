"""Messages of the outbox are sent once, later, or not at all."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, update

from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.tables import Challenge, Person
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import Job, LeaseLost
from fuel_app.kit.outbox import COMPOSERS, Message, Skip
from fuel_app.messages import jobs as sending
from fuel_app.messages import service as messages
from fuel_app.messages.rules import delivery
from fuel_app.messages.rules.kinds import BLANK, KINDS, kind_of
from tests.helpers.jobs import stored_jobs
from tests.helpers.mail_server import text_of
from tests.helpers.outbox import (
    NOON,
    VALUES,
    challenge,
    queue,
    run_worker,
    sent,
    set_clock,
    stored,
)
from tests.helpers.people import a_person

ADA = "ada@example.com"
NEW = "new@example.com"
PURPOSES = {
    "verify": Purpose.VERIFY,
    "password_reset": Purpose.RESET,
    "callers_code": Purpose.CALLERS_EMAIL,
    "email_code": Purpose.EMAIL,
    "email_changed": Purpose.EMAIL_UNDO,
    "invitation": Purpose.INVITE,
    "sms_code": Purpose.SMS,
    "phone_code": Purpose.PHONE,
    "proposal_code": Purpose.PROPOSAL,
}

# Kinds whose link's token derives from a row's id, by its purpose.
LINKED = {"area_open": "waitlist", "company_invitation": "company", "proposal_sent": "proposal"}


async def secret_text() -> str:
    """Return all that the outbox and its jobs hold."""
    return "\n".join(repr(row) for row in await stored())


ANNOUNCED = {"newsletter", "offer", "announcement_test"}  # in tests/announcements


@pytest.mark.usefixtures("at_noon")
@pytest.mark.parametrize(
    "kind", [name for name in KINDS if "mail" in KINDS[name].channels and name not in ANNOUNCED]
)
async def test_each_mail_arrives_and_its_secrets_are_in_no_row(sqlite_database, inbox, kind):
    person = await a_person(phone="9415550123", phone_verified_at=NOON)
    payload = {"at": "2026-03-02T16:00:00+00:00", "by": person.id}
    if kind in PURPOSES:
        payload["challenge"] = await challenge(PURPOSES[kind], person.id)
    if kind == "company_invitation":
        payload["company_invitation"] = person.id
    if kind == "proposal_sent":
        payload["proposal_contact"] = person.id
    if kind in {"area_open", "waitlist_welcome"}:
        payload["submission"] = person.id
    strangers = {"verify", "callers_code", "email_code", "invitation", "area_open"}
    strangers |= {"company_invitation", "proposal_code", "proposal_sent"}
    to = {"to": NEW} if kind in strangers else {}
    row = await sent(kind, payload, person_id=None if to else person.id, **to)
    assert (row.state, row.error, row.recipient) == ("sent", None, to.get("to", ADA))
    mail = inbox.last()
    assert str(mail["To"]) == row.recipient
    assert mail["Subject"] == row.subject
    assert row.sent_at == NOON
    assert row.body
    may_unsubscribe = not kind_of(kind).always
    assert (mail["List-Unsubscribe"] is not None) == may_unsubscribe
    assert (mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click") == may_unsubscribe
    hidden = BLANK in row.body
    only_guests = {"token"} == {*kind_of(kind).secrets} and kind not in {*PURPOSES, *LINKED}
    secret = kind_of(kind).secrets and not only_guests
    assert hidden == bool(secret or may_unsubscribe)
    assert (text_of(mail).splitlines() == row.body.splitlines()) == (not hidden)
    assert BLANK not in text_of(mail)
    if kind in PURPOSES:
        purpose, row_id = PURPOSES[kind], payload["challenge"]
        known = secrets.code(purpose, row_id), secrets.token(purpose, row_id)
        assert any(each in text_of(mail) for each in known)
        rows = await secret_text()
        assert not any(each in rows for each in known)
    if kind in LINKED:
        assert secrets.token(LINKED[kind], person.id) in text_of(mail)


@pytest.mark.parametrize("kind", ["sms_code", "phone_code", "on_the_way"])
async def test_text_message_arrives_and_its_secrets_are_in_no_row(
    sqlite_database, twilio, at_noon, kind
):
    person = await a_person(phone="9415550123", phone_verified_at=NOON)
    async with transaction() as session:
        await messages.agree_to_texts(session, person.phone, person.id)
    payload = {}
    if kind in PURPOSES:
        payload["challenge"] = await challenge(PURPOSES[kind], person.id)
    to = {"to": "9415550199"} if kind == "phone_code" else {}
    row = await sent(kind, payload, person_id=person.id, channel="sms", **to)
    assert (row.state, row.recipient) == ("sent", to.get("to", "9415550123"))
    (asked,) = twilio.asked
    assert (asked["To"], asked["From"]) == (f"+1{row.recipient}", "+19415550100")
    assert BLANK in (row.body or "")
    assert asked["Body"] != row.body
    code = secrets.code(PURPOSES.get(kind, Purpose.SMS), payload.get("challenge", ""))
    assert (code in asked["Body"]) == bool(payload)
    assert code not in await secret_text()


@pytest.mark.parametrize("closed", [{}, {"deactivated_at": NOON, "delete_at": NOON}])
@pytest.mark.parametrize("kind", ["verify", "email_code"])
async def test_known_email_is_told_that_it_has_an_account(sqlite_database, inbox, kind, closed):
    await a_person(**closed)
    challenge_id = await challenge(PURPOSES[kind])
    row = await sent(kind, {"challenge": challenge_id}, to=ADA)
    assert "You already have an account" in text_of(inbox.last())
    assert secrets.code(PURPOSES[kind], challenge_id) not in str(inbox.last())
    assert row.state == "sent"


async def test_reset_without_an_account_and_used_code_are_not_sent(sqlite_database, inbox):
    await a_person(deactivated_at=NOON)
    for to in (ADA, NEW):
        row = await sent("password_reset", {"challenge": await challenge(Purpose.RESET)}, to=to)
        assert (row.state, row.error) == ("skipped", delivery.NO_ACCOUNT)
    challenge_id = await challenge(Purpose.VERIFY)
    async with transaction() as session:
        await session.execute(update(Challenge).values(used_at=clock.now()))
    row = await sent("verify", {"challenge": challenge_id}, to=NEW)
    assert (row.state, row.error) == ("skipped", delivery.USED)
    assert not inbox.mails


async def test_message_goes_to_the_address_that_the_person_has_by_now(sqlite_database, inbox):
    person = await a_person()
    for differs in ({"email": NEW}, {"deactivated_at": NOON}):
        await queue("new_sign_in", person_id=person.id)
        async with transaction() as session:
            await session.execute(update(Person).values(**differs))
        await run_worker()
    assert [to for to, _ in inbox.mails] == [[NEW]]
    assert [row.error for row in await stored()] == [None, delivery.NO_PERSON]
    await queue("new_sign_in", person_id=person.id)
    async with transaction() as session:
        await session.execute(delete(Person))
    await run_worker()
    assert (await stored(), len(inbox.mails)) == ([], 1)


async def test_stopped_phone_gets_no_code(sqlite_database, twilio):
    person = await a_person(phone="9415550123", phone_verified_at=NOON)
    await messages.receive_text("+19415550123", "STOP")
    challenge_id = await challenge(Purpose.SMS, person.id)
    row = await sent("sms_code", {"challenge": challenge_id}, person_id=person.id, channel="sms")
    assert (row.state, row.error, twilio.asked) == ("skipped", delivery.STOPPED, [])


async def test_marketing_waits_for_the_morning(sqlite_database, inbox, monkeypatch):
    late = NOON + timedelta(hours=10)  # 10 PM in New York
    set_clock(monkeypatch, late)
    row = await sent("area_open", to=NEW)
    morning = late + timedelta(hours=10)
    assert (row.state, row.send_at, inbox.mails) == ("queued", morning, [])
    set_clock(monkeypatch, morning - timedelta(seconds=1))
    await run_worker()
    assert not inbox.mails
    set_clock(monkeypatch, morning)
    await run_worker()
    assert [row.state for row in await stored()] == ["sent"]
    assert len(inbox.mails) == 1


async def test_reminder_that_has_to_wait_for_too_long_is_skipped(
    sqlite_database, inbox, monkeypatch
):
    late = NOON + timedelta(hours=10)
    set_clock(monkeypatch, late)
    person = await a_person()
    until = late + timedelta(hours=2)
    row = await sent("hour_before", person_id=person.id, good_until=until)
    assert (row.state, row.error) == ("skipped", delivery.TOO_LATE)


async def test_fourth_marketing_mail_waits_for_the_next_day(
    sqlite_database, inbox, monkeypatch, at_noon
):
    for _ in range(5):
        await queue("area_open", to=NEW)
    await queue("area_open", to=ADA)
    await run_worker()
    assert [row.state for row in await stored()] == [*["sent"] * 3, *["queued"] * 2, "sent"]
    set_clock(monkeypatch, NOON + timedelta(hours=23))
    await run_worker()
    assert len(inbox.mails) == 4
    set_clock(monkeypatch, NOON + timedelta(hours=24))
    await run_worker()
    assert {row.state for row in await stored()} == {"sent"}
    assert len(inbox.mails) == 6


async def test_fourth_welcome_of_a_day_is_not_sent(sqlite_database, inbox):
    rows = [await sent("waitlist_welcome", {"submission": "x"}, to=NEW) for _ in range(4)]
    assert [row.state for row in rows] == ["sent", "sent", "sent", "skipped"]
    assert rows[-1].error == delivery.LIMIT


async def test_texts_are_emptied_after_30_days(database):
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    await sending.empty_bodies(clock.now() + timedelta(days=29))
    assert (await stored())[0].body == row.body
    await sending.empty_bodies(clock.now() + timedelta(days=31))
    assert (await stored())[0].body is None


@pytest.mark.parametrize("name", ["Ada\r\nBcc: all@example.com", "Ada\nX: y", "Ada\x00\u2028Eve"])
async def test_name_with_line_breaks_adds_no_header(sqlite_database, inbox, at_noon, name):
    person = await a_person()
    values = {"neighborhood": name, "technician": name, "arrives": name}
    for kind in ("tier_reached", "arrived", "on_the_way"):
        row = await sent(kind, values, person_id=person.id)
        assert row.state == "sent"
        to, mail = inbox.mails[-1]
        assert (to, str(mail["To"])) == ([ADA], ADA)
        assert mail["Bcc"] is None
        assert mail["X"] is None
        assert len(mail.get_all("Subject") or []) == 1


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("Grace Hopper", "Grace Hopper invites you"),
        ("shared password", "Gulfside Fuel invites you"),
        ("the id of a person", "Ada Lovelace invites you"),
    ],
)
async def test_invitation_says_who_invites(sqlite_database, inbox, by, said):
    person = await a_person()
    by = person.id if by == "the id of a person" else by
    challenge_id = await challenge(Purpose.INVITE)
    await sent("invitation", {"challenge": challenge_id, "by": by}, to=NEW)
    assert said in text_of(inbox.last())


def composes(monkeypatch: pytest.MonkeyPatch, says: Any) -> list[str]:
    """Have a kind composed as it is sent, by returning or raising this. Return the ids asked."""
    asked: list[str] = []

    async def compose(_session: Any, row: Message) -> Any:
        asked.append(row.id)
        if isinstance(says, Exception):
            raise says
        return says

    monkeypatch.setitem(COMPOSERS, "arrived", compose)
    return asked


async def test_message_says_what_its_composer_says_when_it_is_sent(
    sqlite_database, inbox, monkeypatch
):
    asked = composes(monkeypatch, {"technician": "Dana"})
    row = await sent("arrived", person_id=(await a_person()).id)
    assert (row.state, row.subject, row.payload["technician"]) == (
        *("sent", "Dana has arrived"),
        "Dana",
    )
    assert asked == [row.id]
    assert inbox.last()["Subject"] == "Dana has arrived"


async def test_message_is_not_sent_for_its_composers_reason_or_failure(
    sqlite_database, inbox, monkeypatch
):
    composes(monkeypatch, Skip("It is as it was."))
    person = await a_person()
    row = await sent("arrived", person_id=person.id)
    assert (row.state, row.error) == ("skipped", "It is as it was.")
    assert {each.outcome for each in await stored_jobs()} == {"done"}
    composes(monkeypatch, RuntimeError("no route"))
    row = await sent("arrived", person_id=person.id)
    assert (row.state, len(inbox.mails)) == ("queued", 0)


async def test_worker_that_has_lost_a_message_to_another_composes_nothing(
    sqlite_database, inbox, monkeypatch
):
    composes(monkeypatch, {"technician": "Dana"})
    message_id = await queue("arrived", person_id=(await a_person()).id)
    (job,) = await stored_jobs()
    with pytest.raises(LeaseLost):  # it was claimed once more since
        await sending.send(Job(job.id, job.kind, job.payload, attempts=7))
    (row,) = [each for each in await stored() if each.id == message_id]
    assert (row.state, row.payload["technician"]) == ("queued", VALUES["technician"])
    assert not inbox.mails


async def test_time_until_which_a_change_is_free_goes_by_when_it_is_sent(
    sqlite_database, inbox, monkeypatch
):
    set_clock(monkeypatch, NOON)
    await sent("password_changed", person_id=(await a_person()).id)
    assert "When: Mar 2, 2026, 12:00 PM" in text_of(inbox.last())  # of its queueing
    for minutes, said in ((1, "until Thursday, March 5, 6:00 AM"), (-1, "too late to move it")):
        ends = (NOON + timedelta(minutes=minutes)).isoformat()
        await sent("booking_confirmed", {"free_until_at": ends}, to=NEW)
        assert said in text_of(inbox.last())
