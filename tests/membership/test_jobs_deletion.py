"""Closing an account, and the job that empties it when its days are over."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.queries import challenges
from fuel_app.accounts.queries.people import KEPT_WHEN_ERASED
from fuel_app.accounts.rules import NewEmail, Purpose, Role, Session
from fuel_app.accounts.rules.security import (
    AccountClosed,
    ReauthenticationNeeded,
    Visitor,
    WrongSignIn,
)
from fuel_app.accounts.rules.staff import LastAdmin
from fuel_app.accounts.service import account, sessions, staff
from fuel_app.accounts.service.sessions import sign_in
from fuel_app.accounts.tables import (
    Challenge,
    Person,
)
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock, outbox, secrets
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from fuel_app.membership import service as membership
from fuel_app.membership.jobs import erase_due
from fuel_app.messages import service as messages
from fuel_app.messages.tables import (
    SmsConsent,
)
from tests.helpers.members import an_admin
from tests.helpers.people import EMAIL, PASSWORD, a_person, history, rows
from tests.helpers.people import messages as stored_messages
from tests.helpers.signed_in import session_of

pytestmark = pytest.mark.usefixtures("database")

HERE = Visitor("203.0.113.7", "Chrome on Mac")
PHONE = "9415550123"


async def with_messages() -> Session:
    """Return the session of a customer who waits for a code and a message, and takes texts."""
    person = await a_person(phone=PHONE, phone_verified_at=clock.now(), terms_version="1")
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code="34236"))
        await challenges.issue(session, Purpose.EMAIL, clock.now(), person_id=person.id)
        await messages.agree_to_texts(session, PHONE, person.id)
        await outbox.add(session, "new_sign_in", person_id=person.id, payload={"device": "Mac"})
    return await session_of(person.id)


async def closed() -> tuple[Session, datetime]:
    by = await with_messages()
    return by, await membership.close(by, HERE)


async def the_person(person_id: str) -> Person:
    [person] = await rows(Person, id=person_id)
    return person


async def test_closing_ends_the_sessions_and_all_that_is_pending():
    by, at = await closed()
    person = await the_person(by.person_id)
    assert at - clock.now() > timedelta(days=29, hours=23)
    assert (person.delete_at, person.deactivated_at is not None) == (at, True)
    assert await sessions.find(by.id) is None
    assert await rows(Challenge) == []
    [waiting] = await rows(Message, person_id=by.person_id)
    assert waiting.state == outbox.SKIPPED
    [told] = await stored_messages("account_deleted")
    assert (told.recipient, told.person_id, told.state) == (EMAIL, None, outbox.QUEUED)
    assert [kind for kind, _ in await history(by.person_id)] == ["deletion_asked"]


async def test_closing_leaves_what_was_sent():
    by = await with_messages()
    async with transaction() as session:
        theirs = update(Message).where(col(Message.person_id) == by.person_id)
        await session.execute(theirs.values(state=outbox.SENT))
    await membership.close(by, HERE)
    [sent] = await rows(Message, person_id=by.person_id)
    assert sent.state == outbox.SENT


async def test_closing_needs_a_fresh_proof():
    by = await with_messages()
    with pytest.raises(ReauthenticationNeeded):
        await membership.close(replace(by, proved_at=None), HERE)
    assert (await the_person(by.person_id)).delete_at is None


async def test_closing_twice_at_once_closes_once():
    by = await with_messages()
    asked = [membership.close(by, HERE) for _ in range(2)]
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert sorted(type(each).__name__ for each in outcomes) == ["NotAllowed", "datetime"]
    assert len(await stored_messages("account_deleted")) == 1


async def test_the_last_admin_cannot_go():
    admin, _ = await an_admin()
    by = await session_of(admin.id, second_factor=True)
    with pytest.raises(LastAdmin):
        await membership.close(by, HERE)
    await an_admin("other@example.com")
    await membership.close(by, HERE)


async def test_whoever_had_the_e_mail_before_hears_of_the_end():
    by = await session_of((await a_person()).id)
    await account.send_email_code(by, NewEmail(email="thief@example.com"), HERE)
    [sent] = await stored_messages("email_code")
    code = secrets.code(Purpose.EMAIL, sent.payload["challenge"])
    await membership.confirm_email(by, code, HERE)
    await membership.close(by, HERE)
    told = {each.recipient for each in await stored_messages("account_deleted")}
    assert told == {EMAIL, "thief@example.com"}


async def test_staff_restore_a_closed_account_in_time():
    by, at = await closed()
    _, actor = await an_admin()
    assert await staff.reactivate(actor, by.person_id)
    assert await erase_due(at) == 0
    person = await the_person(by.person_id)
    assert (person.email, person.delete_at, person.deactivated_at) == (EMAIL, None, None)


async def test_the_owner_who_signs_in_again_hears_how_to_restore_it():
    _, at = await closed()
    with pytest.raises(AccountClosed, match=long_date(day_of(at))):
        await sign_in(EMAIL, PASSWORD, HERE)
    with pytest.raises(WrongSignIn):
        await sign_in(EMAIL, "wrong", HERE)
    await erase_due(at)
    with pytest.raises(WrongSignIn):
        await sign_in(EMAIL, PASSWORD, HERE)


async def test_nothing_is_emptied_before_its_day():
    by, at = await closed()
    assert await erase_due(at - timedelta(seconds=1)) == 0
    assert (await the_person(by.person_id)).email == EMAIL


async def test_an_emptied_account_keeps_the_named_columns_alone():
    by, at = await closed()
    before = await the_person(by.person_id)
    assert await erase_due(at) == 1
    after = await the_person(by.person_id)
    assert after.passkey_user != before.passkey_user
    kept = before.model_dump(include=set(KEPT_WHEN_ERASED))
    kept |= {"deleted_at": at, "passkey_user": after.passkey_user}
    assert after.model_dump() == Person(id=by.person_id).model_dump() | kept


async def test_emptying_again_changes_nothing():
    by, at = await closed()
    await erase_due(at)
    once = await the_person(by.person_id)
    assert await erase_due(at + timedelta(days=1)) == 0
    assert await the_person(by.person_id) == once


async def test_a_stop_outlives_the_account():
    _, at = await closed()
    async with transaction() as session:
        consent = await session.get(SmsConsent, PHONE)
        assert consent
        consent.stopped_at = at
    await erase_due(at)
    [kept] = await rows(SmsConsent)
    assert (kept.phone, kept.person_id, kept.wording, kept.stopped_at) == (PHONE, None, "", at)


async def test_erases_every_due_account_and_no_other():
    other = await a_person(Role.CUSTOMER, email="other@example.com")
    at = clock.now()
    async with transaction() as session:
        for number in range(25):
            session.add(Person(email=f"gone.{number}@example.com", deactivated_at=at, delete_at=at))
    assert await erase_due(at) == 25
    assert (await the_person(other.id)).email == "other@example.com"
