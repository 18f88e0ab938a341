"""Sign-up: pending, completed, verified. Whoever holds the mail's code becomes the person."""

import asyncio

import pytest

from fuel_app.accounts import providers as passwords
from fuel_app.accounts.jobs import delete_sign_ups
from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import PendingSignUp, Role, SignUpGone
from fuel_app.accounts.rules.security import Visitor, WrongCode
from fuel_app.accounts.service import sessions, sign_up
from fuel_app.accounts.tables import Challenge, Person, SignUp, StoredSession
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading
from fuel_app.kit.errors import TooManyRequests
from tests.helpers.sign_ups import (
    ELSEWHERE,
    EMAIL,
    HERE,
    PASSWORD,
    a_person,
    applicant,
    begun,
    code_of,
    complete,
    completed,
    mails,
    opened,
    rows,
    verify,
)


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


async def test_a_verified_sign_up_is_a_person_with_a_new_session(database):
    session = await completed()
    person = await opened(await verify(session, await code_of(session)))
    (stored,) = await rows(Person)
    assert (stored.email, stored.phone, person.person_id) == (EMAIL, "9415550123", stored.id)
    assert stored.email_verified_at == stored.password_changed_at
    assert (stored.terms_version, stored.privacy_version) == ("2026-11-22", "1")
    assert stored.terms_accepted_at
    assert await passwords.matches(stored.password_hash, PASSWORD)
    async with reading() as database:
        assert await people.roles(database, stored.id) == {Role.CUSTOMER}
    assert await rows(SignUp) == await rows(Challenge) == []
    (entry,) = await rows(AuditEntry)
    assert (entry.noun, entry.kind, entry.subject_id) == ("person", "signed_in", stored.id)
    assert await sessions.find(session.id) is None


async def test_a_pending_sign_up_is_nobody_yet(sqlite_database):
    session = await completed()
    assert (session.person_id, session.is_staff, session.actor.roles) == ("", False, frozenset())
    assert await rows(Person) == []
    pending = await sign_up.find(session)
    assert pending == PendingSignUp(session.sign_up_id, applicant(), "family")
    person = await a_person(email="eve@example.com")
    assert await sign_up.find(person) is None


async def test_an_unverified_sign_up_never_blocks_the_true_owner(database):
    attacker = await completed(password="planted-91!xq", visitor=ELSEWHERE)
    owner = await completed()
    theirs = await code_of(attacker)
    with pytest.raises(WrongCode):
        await verify(owner, theirs)
    person = await opened(await verify(owner, await code_of(owner)))
    with pytest.raises(WrongCode):
        await verify(attacker, theirs, visitor=ELSEWHERE)
    (stored,) = await rows(Person)
    assert stored.id == person.person_id
    assert await passwords.matches(stored.password_hash, PASSWORD)


async def test_a_code_works_once_also_when_two_come_at_once(database):
    session = await completed()
    code = await code_of(session)
    answers = await asyncio.gather(
        *[verify(session, code, visitor=Visitor(f"203.0.113.{n}")) for n in range(5)],
        return_exceptions=True,
    )
    refused = [answer for answer in answers if isinstance(answer, WrongCode | SignUpGone)]
    assert (len(refused), len(await rows(Person)), len(await rows(StoredSession))) == (4, 1, 1)
    with pytest.raises(SignUpGone):
        await verify(session, code)


async def test_two_owners_of_one_e_mail_cannot_both_verify_it(database):
    pair = [await completed(), await completed()]
    codes = [await code_of(each) for each in pair]
    answers = await asyncio.gather(
        *[verify(*each) for each in zip(pair, codes, strict=True)], return_exceptions=True
    )
    assert len([answer for answer in answers if isinstance(answer, WrongCode)]) == 1
    assert len(await rows(Person)) == 1


async def test_a_known_e_mail_signs_up_alike(sqlite_database):
    await a_person()
    before = [len(await rows(table)) for table in (SignUp, Challenge, StoredSession)]
    session = await completed(password="another-77!qz")
    after = [len(await rows(table)) for table in (SignUp, Challenge, StoredSession)]
    assert [more - less for more, less in zip(after, before, strict=True)] == [1, 1, 1]
    first, second = await mails()
    assert (first.recipient, first.payload.keys()) == (second.recipient, second.payload.keys())
    with pytest.raises(WrongCode):
        await verify(session, await code_of(session))


@pytest.mark.parametrize("typed", ["", "12345", None, ["000000"], "\ud800", "9" * 5000])
async def test_other_codes_are_refused_and_the_right_one_still_works(sqlite_database, typed):
    session = await completed()
    with pytest.raises(WrongCode):
        await verify(session, typed)
    code = await code_of(session)
    assert await verify(session, f" {code[:3]} {code[3:]} ")


async def test_guessing_is_throttled_for_a_sign_up_and_for_an_address(sqlite_database):
    session = await completed()
    for n in range(15):
        with pytest.raises(WrongCode):
            await verify(session, "000", visitor=Visitor(f"203.0.113.{n}"))
    with pytest.raises(TooManyRequests):
        await verify(session, await code_of(session), visitor=ELSEWHERE)
    others = [
        await completed(email=f"{n}@example.com", visitor=Visitor("2001:db8::1")) for n in range(20)
    ]
    for other in others:
        with pytest.raises(WrongCode):
            await verify(other, "000", visitor=Visitor("192.0.2.1"))
    with pytest.raises(TooManyRequests):
        await verify(others[0], await code_of(others[0]), visitor=Visitor("192.0.2.1"))


async def test_what_follows_the_verification_is_in_its_transaction(database):
    session = await completed()

    async def fails(*_: object) -> None:
        raise RuntimeError

    code = await code_of(session)
    with pytest.raises(RuntimeError):
        await sign_up.verify(session, code, HERE, on_verified=fails)
    assert await rows(Person) == []
    assert await verify(session, code)


async def test_completing_twice_sends_one_mail(database):
    sign_up_id = await begun()
    answers = await asyncio.gather(*[complete(sign_up_id) for _ in range(3)])
    assert len({answer.session_id for answer in answers}) == 3
    (mail,) = await mails()
    assert (mail.recipient, mail.payload["sign_up"]) == (EMAIL, sign_up_id)


async def test_a_corrected_contact_replaces_the_sign_up_and_keeps_its_password(database):
    first = await begun(email="typo@example.com")
    second = await sign_up.begin(applicant(), None, HERE, former_id=first)
    (stored,) = await rows(SignUp)
    assert (stored.id, stored.email) == (second, EMAIL)
    assert await passwords.matches(stored.password_hash, PASSWORD)


async def test_a_completed_sign_up_is_not_replaced(sqlite_database):
    session = await completed()
    await sign_up.begin(applicant(), "hash", HERE, former_id=session.sign_up_id)
    assert len(await rows(SignUp)) == 2
    for former in (session.sign_up_id, "made up", ""):
        with pytest.raises(SignUpGone):
            await sign_up.begin(applicant(), None, HERE, former_id=former)


async def test_twenty_sign_ups_an_hour_come_from_one_address(sqlite_database):
    for _ in range(20):
        await begun()
    with pytest.raises(TooManyRequests):
        await begun()
    await begun(visitor=ELSEWHERE)


async def test_five_wrong_codes_use_the_mail_up_and_a_new_code_replaces_it(database):
    session = await completed()
    former = await code_of(session)
    for code in [*[wrong(former)] * 5, former]:
        with pytest.raises(WrongCode):
            await verify(session, code)
    await sign_up.resend(session, HERE)
    newest = await code_of(session)
    assert [mail.recipient for mail in await mails()] == [EMAIL, EMAIL]
    if former != newest:  # one in a million
        with pytest.raises(WrongCode):
            await verify(session, former)
    assert await verify(session, newest)
    with pytest.raises(SignUpGone):
        await sign_up.resend(session, HERE)


async def test_three_codes_are_sent_again_in_fifteen_minutes(sqlite_database):
    session = await completed()
    for _ in range(3):
        await sign_up.resend(session, HERE)
    with pytest.raises(TooManyRequests, match="15 minutes"):
        await sign_up.resend(session, HERE)


async def test_sign_ups_are_deleted_after_a_day_with_their_sessions(database, at, monkeypatch):
    monkeypatch.setattr("fuel_app.accounts.jobs.CHUNK", 2)
    for n in range(5):
        await completed(email=f"{n}@example.com")
    at(hours=20)
    await completed()
    assert await delete_sign_ups(clock.now()) == 0
    at(hours=25)
    assert await delete_sign_ups(clock.now()) == 5
    (kept,) = await rows(SignUp)
    assert kept.email == EMAIL
    assert len(await rows(Challenge)) == 1
    assert {each.sign_up_id for each in await rows(StoredSession)} <= {kept.id}


async def test_no_secret_is_stored_or_logged(sqlite_database, logged):
    session = await completed()
    code = await code_of(session)
    with pytest.raises(WrongCode):
        await verify(session, wrong(code))
    told = repr([await rows(SignUp), await rows(Challenge), await mails(), logged])
    assert PASSWORD not in told
    assert code not in told
