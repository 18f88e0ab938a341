"""The overview of a person's security, and the sessions that it ends."""

import pytest

from fuel_app.accounts.queries import login_history
from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.security import NO_CODES, OwnSecurity, Visitor
from fuel_app.accounts.service import account, security, sessions
from fuel_app.accounts.tables import Passkey
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.signals import SESSIONS, listening
from tests.helpers.signed_in import a_person, history_of, session_of

pytestmark = pytest.mark.usefixtures("sqlite_database")

HERE = Visitor("203.0.113.7", "Chrome on Windows")


async def test_the_overview_shows_what_is_the_persons_own():
    person_id, other = await a_person(phone="9415550123"), await a_person()
    session = await session_of(person_id, device="Safari on iPhone")
    await session_of(person_id)
    await session_of(other)
    async with transaction() as writing:
        for owner in (person_id, other):
            row = Passkey(person_id=owner, credential_id=owner, public_key="k", name=owner)
            writing.add(row)
        await login_history.note(writing, "signed_in", person_id, Visitor("203.0.113.7", "Edge"))
    shown = await security.overview(session)
    assert (shown.phone, shown.recovery) == ("(941) 555-0123", NO_CODES)
    assert (shown.has_factor, shown.has_app, shown.has_sms) == (True, False, False)
    assert shown.password.startswith("Last changed ")
    assert [each.name for each in shown.passkeys] == [person_id]
    assert {(each.device, each.is_this) for each in shown.sessions} == {
        ("Safari on iPhone", True),
        ("Chrome on Windows", False),
    }
    (entry,) = shown.history
    assert (entry.event, entry.device, entry.network) == ("Signed in", "Edge", "203.0.x.x")


async def test_the_login_history_tells_of_sign_ins_and_security_alone():
    person_id = await a_person()
    session = await session_of(person_id)
    async with transaction() as writing:
        for kind in ("signed_in", "note_added", "personal_changed", "deactivated", "invited"):
            await login_history.note(writing, kind, person_id, HERE)
    shown = await security.overview(session)
    assert [each.event for each in shown.history] == ["Account deactivated", "Signed in"]
    async with reading() as database:
        told = (await account.export(database, person_id))["login_history"]
    assert [each["kind"] for each in told] == ["deactivated", "signed_in"]


async def test_one_other_session_is_ended_and_all_tabs_hear_of_it():
    person_id = await a_person()
    session, other = await session_of(person_id), await session_of(person_id, device="Edge")
    async with listening(SESSIONS) as changes:
        assert await security.end_session(session, other.id, HERE)
        assert await changes.next(0.1) == {SESSIONS}
    assert await sessions.find(other.id) is None
    assert await sessions.find(session.id)
    assert await history_of(person_id) == [("signed_out", "the session in Edge")]


@pytest.mark.parametrize("given", [None, 7, "", "x", [], {}])
async def test_an_unknown_session_is_not_ended(given):
    assert not await security.end_session(await session_of(await a_person()), given, HERE)


async def test_another_persons_session_stays():
    session, theirs = await session_of(await a_person()), await session_of(await a_person())
    assert not await security.end_session(session, theirs.id, HERE)
    await security.end_sessions(session, HERE, except_id=session.id)
    await security.end_sessions(session, HERE)
    assert await sessions.find(theirs.id)


async def test_all_other_sessions_are_ended():
    person_id = await a_person()
    session = await session_of(person_id)
    others = [await session_of(person_id) for _ in range(3)]
    assert await security.end_sessions(session, HERE, except_id=session.id) == 3
    assert [await sessions.find(each.id) for each in others] == [None] * 3
    assert await sessions.find(session.id)
    assert await security.end_sessions(session, HERE, except_id=session.id) == 0
    assert await history_of(person_id) == [("signed_out", "all other sessions")]


async def test_nobody_by_name_has_no_security():
    now = clock.now()
    nobody = Session("s", now, now)
    assert await security.overview(nobody) == OwnSecurity()
    assert not await security.end_session(nobody, "s", HERE)
    assert await security.end_sessions(nobody, HERE) == 0


async def test_signing_out_is_in_the_login_history():
    person_id = await a_person()
    await sessions.sign_out((await session_of(person_id)).id)
    assert await history_of(person_id) == [("signed_out", "")]
