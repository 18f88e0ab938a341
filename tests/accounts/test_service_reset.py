"""Forgotten passwords: links that work once, and end all sessions."""

import asyncio

import pytest

from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.rules.security import (
    ForgotPassword,
    LinkGone,
    SecondStepOver,
    Visitor,
    WrongSignIn,
)
from fuel_app.accounts.service import passwords, sessions
from fuel_app.accounts.service import sessions as service
from fuel_app.accounts.service.sessions import NeedsFactor, finish_second_step, sign_in
from fuel_app.accounts.tables import Challenge, Passkey, Person, StoredSession
from fuel_app.kit import clock, secrets
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests
from fuel_app.kit.outbox import Message
from fuel_app.kit.signals import SESSIONS, listening
from fuel_app.kit.throttle import Limit
from tests.helpers.people import EMAIL, PASSWORD, a_person, history, messages, rows
from tests.helpers.sign_in import through

pytestmark = pytest.mark.usefixtures("database")

HERE = Visitor("203.0.113.7", "Chrome on Mac")
NEW = "seven pelicans & a 12 oz cup"


async def asks(email: str = EMAIL, visitor: Visitor = HERE) -> None:
    await passwords.send_reset_link(ForgotPassword(email=email), visitor)


async def a_link(email: str = EMAIL) -> str:
    """Ask for a link. Return its token, as the mail holds it."""
    known = {message.id for message in await messages("password_reset")}
    await asks(email)
    [sent] = [each for each in await messages("password_reset") if each.id not in known]
    return secrets.token(Purpose.RESET, sent.payload["challenge"])


async def resets(link: str, password: object = NEW) -> None:
    await passwords.reset(link, password, HERE)


async def signed_in(password: str = PASSWORD) -> str:
    return through(await sign_in(EMAIL, password, HERE)).session_id


async def test_a_link_sets_the_password_and_ends_all_sessions():
    person = await a_person()
    before = [await signed_in() for _ in range(3)]
    link = await a_link()
    async with listening(SESSIONS) as changes:
        await resets(link)
        assert await changes.next(1) == {SESSIONS}
    assert [await sessions.find(each) for each in before] == [None] * 3
    with pytest.raises(WrongSignIn):
        await signed_in()
    assert await signed_in(NEW)
    [stored] = await rows(Person)
    assert stored.password_changed_at > person.created_at
    about = {"device": "Chrome on Mac", "network": "203.0.x.x"}
    assert ("password_reset", about) in await history(person.id)
    [told] = await messages("password_changed")
    assert told.person_id == person.id
    with pytest.raises(LinkGone):  # it works once
        await resets(link, "another 9 gulls & terns")


async def test_sign_ins_of_a_thief_who_knew_the_password_keep_no_owner_out(monkeypatch):
    monkeypatch.setattr(service, "ACCOUNT_RIGHT_SIGN_INS", Limit("right", 1, 15))
    await a_person()
    link = await a_link()
    await signed_in()
    with pytest.raises(TooManyRequests):
        await signed_in()
    await resets(link)
    assert await signed_in(NEW)


async def test_of_two_presses_at_once_one_works():
    await a_person()
    link = await a_link()
    passwords = [f"{NEW} {word}" for word in ("north", "south", "west")]
    done = await asyncio.gather(
        *(resets(link, password) for password in passwords), return_exceptions=True
    )
    assert sum(outcome is None for outcome in done) == 1
    assert all(outcome is None or isinstance(outcome, LinkGone) for outcome in done)
    assert await signed_in(passwords[done.index(None)])
    assert len(await messages("password_changed")) == 1


async def test_two_links_at_once_do_not_deadlock_and_one_works():
    await a_person()
    links = [await a_link() for _ in range(3)]
    done = await asyncio.gather(*(resets(link) for link in links), return_exceptions=True)
    assert sum(outcome is None for outcome in done) == 1
    assert all(outcome is None or isinstance(outcome, LinkGone) for outcome in done)


async def test_a_reset_ends_the_other_links_to_the_email():
    await a_person()
    await a_person(email="grace@example.com")
    first, second, others = await a_link(), await a_link(), await a_link("grace@example.com")
    await resets(second)
    assert not await passwords.is_reset_link_open(first)
    assert await passwords.is_reset_link_open(others)


@pytest.mark.parametrize("link", ["", "link", "x" * 5000, "\ud800", f"{'0' * 36}.x"])
async def test_unknown_links_are_refused(link):
    assert not await passwords.is_reset_link_open(link)
    with pytest.raises(LinkGone):
        await resets(link)


async def test_a_link_is_good_for_thirty_minutes(at):
    await a_person()
    link = await a_link()
    at(minutes=31)
    assert not await passwords.is_reset_link_open(link)
    with pytest.raises(LinkGone):
        await resets(link)


async def change(person: Person, **values: object) -> None:
    async with transaction() as session:
        stored = await session.get(Person, person.id)
        for name, value in values.items():
            setattr(stored, name, value)


@pytest.mark.parametrize("changed", [{"deactivated_at": clock.now()}, {"email": "new@example.com"}])
async def test_a_link_to_an_account_that_changed_since_is_refused(changed):
    person = await a_person()
    link = await a_link()
    await change(person, **changed)
    assert not await passwords.is_reset_link_open(link)
    with pytest.raises(LinkGone):
        await resets(link)


async def test_an_email_that_changes_during_the_press_is_refused(monkeypatch):
    person = await a_person()
    link, real = await a_link(), passwords.hash_new

    async def changing(*given):
        await change(person, email="new@example.com")
        return await real(*given)

    monkeypatch.setattr(passwords, "hash_new", changing)
    with pytest.raises(LinkGone):
        await resets(link)
    assert await messages("password_changed") == []


@pytest.mark.parametrize("password", ["short1!", "password1!", "lovelace1!", None, 7, "x" * 5000])
async def test_a_poor_password_is_refused_and_leaves_the_link_open(password):
    await a_person()
    link = await a_link()
    with pytest.raises(InvalidForm) as refusal:
        await resets(link, password)
    assert refusal.value.messages["password"]
    assert await passwords.is_reset_link_open(link)


async def test_unknown_and_known_emails_write_the_same_rows():
    await a_person()
    written = []
    for email in (EMAIL, "nobody@example.com"):
        before = [len(await rows(table)) for table in (Challenge, Message, AuditEntry)]
        await asks(email)
        after = [len(await rows(table)) for table in (Challenge, Message, AuditEntry)]
        written.append([new - old for new, old in zip(after, before, strict=True)])
    assert written == [[1, 1, 0]] * 2
    kinds = {(sent.kind, sent.person_id, sent.key) for sent in await rows(Message)}
    assert kinds == {("password_reset", None, None)}


async def test_guessing_links_is_throttled_per_address():
    for n in range(20):
        with pytest.raises(LinkGone):
            await resets(f"guess {n}")
    with pytest.raises(TooManyRequests):
        await resets("guess")


async def test_a_reset_does_not_skip_the_second_factor():
    await a_person(phone="9415550123", phone_verified_at=clock.now(), sms_codes=True)
    await resets(await a_link())
    assert await rows(StoredSession) == []
    assert isinstance(await sign_in(EMAIL, NEW, HERE), NeedsFactor)


async def test_the_owner_hears_which_factors_a_reset_leaves():
    person = await a_person(totp_seed="seed", totp_confirmed_at=clock.now())
    async with transaction() as session:
        for each in ("thiefs", "own"):
            row = Passkey(person_id=person.id, credential_id=each, public_key="k")
            session.add(row)
    await resets(await a_link())
    [told] = await messages("password_changed")
    assert told.payload == {"factors": "2 passkeys, an authenticator app"}


async def test_a_reset_ends_a_second_step_that_the_old_password_opened():
    await a_person(phone="9415550123", phone_verified_at=clock.now(), sms_codes=True)
    needs = await sign_in(EMAIL, PASSWORD, HERE)
    assert isinstance(needs, NeedsFactor)
    await resets(await a_link())
    with pytest.raises(SecondStepOver):
        await finish_second_step(needs.challenge_id, "sms", "000000", HERE)


async def test_a_reset_lets_a_throttled_owner_in_again():
    await a_person()
    for n in range(5):
        for visitor in (HERE, *(Visitor(f"198.51.100.{10 * n + m}") for m in range(5))):
            with pytest.raises(WrongSignIn):
                await sign_in(EMAIL, "wrong", visitor)
    with pytest.raises(TooManyRequests):
        await sign_in(EMAIL, PASSWORD, Visitor("192.0.2.1"))
    await resets(await a_link())
    assert await signed_in(NEW)
