"""A signed-in person's password: changed, and given again before something sensitive."""

from dataclasses import replace

import pytest

from fuel_app.accounts.rules import NotAllowed, Purpose, Session
from fuel_app.accounts.rules.security import WRONG_CURRENT, ForgotPassword, Visitor
from fuel_app.accounts.service import passwords, sessions
from fuel_app.accounts.tables import Person, StoredSession
from fuel_app.kit import secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests
from fuel_app.kit.signals import SESSIONS, listening
from tests.helpers.people import EMAIL, PASSWORD, a_person, history, messages
from tests.helpers.sign_in import session_by, signed_in, there

pytestmark = pytest.mark.usefixtures("database")

HERE = Visitor("203.0.113.7", "Chrome on Mac")
NEW = "seven pelicans & a 12 oz cup"


async def a_session(password: str = PASSWORD) -> Session:
    return await session_by((await signed_in(EMAIL, password, HERE)).session_id)


async def unproved(session: Session) -> None:
    async with transaction() as writing:
        there(await writing.get(StoredSession, session.id)).proved_at = None


async def test_a_change_ends_all_other_sessions_and_is_told():
    person = await a_person()
    here, elsewhere = await a_session(), await a_session()
    async with listening(SESSIONS) as changes:
        await passwords.change(here, PASSWORD, NEW, HERE)
        assert await changes.next(1) == {SESSIONS}
    assert await sessions.find(here.id)
    assert await sessions.find(elsewhere.id) is None
    about = {"device": "Chrome on Mac", "network": "203.0.x.x"}
    assert ("password_changed", about) in await history(person.id)
    assert len(await messages("password_changed")) == 1
    assert await a_session(NEW)


async def test_a_change_ends_the_links_for_another_password():
    await a_person()
    await passwords.send_reset_link(ForgotPassword(email=EMAIL), HERE)
    [sent] = await messages("password_reset")
    link = secrets.token(Purpose.RESET, sent.payload["challenge"])
    assert await passwords.is_reset_link_open(link)
    await passwords.change(await a_session(), PASSWORD, NEW, HERE)
    assert not await passwords.is_reset_link_open(link)


@pytest.mark.parametrize("current", ["wrong", " ", "x" * 5000])
async def test_a_change_needs_the_current_password(current):
    await a_person()
    session = await a_session()
    with pytest.raises(InvalidForm) as refusal:
        await passwords.change(session, current, NEW, HERE)
    assert refusal.value.messages == {"current": WRONG_CURRENT}
    assert await a_session()


@pytest.mark.parametrize("new", ["short1!", "lovelace1!", None, 7])
async def test_a_poor_new_password_is_refused(new):
    await a_person()
    with pytest.raises(InvalidForm) as refusal:
        await passwords.change(await a_session(), PASSWORD, new, HERE)
    assert refusal.value.messages.keys() == {"new"}
    assert await a_session()


async def test_a_password_that_is_replaced_meanwhile_is_not_the_current_one(monkeypatch):
    person = await a_person()
    session, real = await a_session(), passwords.hash_new

    async def changing(*given, **more):
        async with transaction() as writing:
            there(await writing.get(Person, person.id)).password_hash = "another"
        return await real(*given, **more)

    monkeypatch.setattr(passwords, "hash_new", changing)
    with pytest.raises(InvalidForm):
        await passwords.change(session, PASSWORD, NEW, HERE)


async def test_only_the_right_password_given_again_proves_the_session():
    person = await a_person()
    session = await a_session()
    await unproved(session)
    with pytest.raises(InvalidForm) as refusal:
        await passwords.reauthenticate(session, "wrong", HERE)
    assert refusal.value.messages == {"password": WRONG_CURRENT}
    assert there(await sessions.find(session.id)).proved_at is None
    assert [kind for kind, _ in await history(person.id)] == ["signed_in", "sign_in_failed"]
    await passwords.reauthenticate(session, PASSWORD, HERE)
    assert there(await sessions.find(session.id)).proved_at


async def test_guessing_in_an_open_session_is_throttled_and_told():
    await a_person()
    session = await a_session()
    for _ in range(5):
        with pytest.raises(InvalidForm):
            await passwords.reauthenticate(session, "wrong", HERE)
    with pytest.raises(TooManyRequests):
        await passwords.reauthenticate(session, PASSWORD, HERE)
    with pytest.raises(TooManyRequests):
        await passwords.change(session, PASSWORD, NEW, HERE)
    assert len(await messages("failed_sign_ins")) == 1


async def test_only_a_person_has_a_password(password):
    shared = await sessions.sign_in_shared(password, HERE)
    session = await sessions.find(shared.session_id)
    assert session
    for nobody in (session, replace(session, person_id="0" * 36)):
        with pytest.raises(NotAllowed):
            await passwords.reauthenticate(nobody, password, HERE)
        with pytest.raises(NotAllowed):
            await passwords.change(nobody, password, NEW, HERE)
