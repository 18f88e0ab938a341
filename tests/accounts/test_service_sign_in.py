"""Signing in by e-mail and password: words, work, throttles, devices and the second step."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event

from fuel_app.accounts import providers
from fuel_app.accounts.queries import login_history
from fuel_app.accounts.rules.security import Visitor, WrongSignIn
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service import sessions as service
from fuel_app.accounts.tables import Challenge, StoredSession
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry, purge_expired
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.outbox import Message
from fuel_app.kit.throttle import Limit, Unlimited
from tests.helpers.people import EMAIL, PASSWORD, a_person, history, messages, rows
from tests.helpers.sign_in import session_by, signed_in, there

pytestmark = pytest.mark.usefixtures("database")

HERE = "203.0.113.7"
CHROME = "Chrome on Windows"
STRANGER = "nobody@example.com"


async def signs_in(email=EMAIL, password=PASSWORD, *, address=HERE, device=CHROME, former=""):
    return await signed_in(email, password, Visitor(address, device, former))


async def refused(email=EMAIL, password="wrong", address=HERE) -> str:
    with pytest.raises((WrongSignIn, TooManyRequests)) as refusal:
        await signs_in(email, password, address=address)
    return str(refusal.value)


async def test_the_right_password_opens_a_session_without_second_factor():
    person = await a_person()
    opened = await signs_in(f"  {EMAIL.upper()} ")
    session = await session_by(opened.session_id)
    assert (session.person_id, session.second_factor) == (person.id, False)
    assert await sessions.redeem_ticket(opened.ticket)
    about = {"device": CHROME, "network": "203.0.x.x"}
    assert await history(person.id) == [("signed_in", about)]


@pytest.mark.parametrize("password", ["wrong", "", None, 7, ["x"], "x" * 5000, "\ud800"])
async def test_unknown_and_known_emails_are_answered_in_the_same_words(password):
    await a_person()
    words = {await refused(EMAIL, password), await refused(STRANGER, password)}
    assert words == {"The email or password is not right."}


@pytest.mark.parametrize("email", ["", None, 7, "no address", "x" * 5000, "\ud800@example.com"])
async def test_odd_emails_are_refused_alike(email):
    assert await refused(email) == WrongSignIn.message


async def test_unknown_and_known_emails_cost_the_same_hashes_queries_and_rows(monkeypatch):
    await a_person()
    done, real = [], providers._verify
    monkeypatch.setattr(providers, "_verify", lambda *given: done.append("hash") or real(*given))
    event.listen(Engine, "before_cursor_execute", counter := lambda *given: done.append(given[2]))
    work = []
    try:
        for email in (EMAIL, STRANGER):
            done.clear()
            await refused(email)
            work.append((len(done), done.count("hash")))
    finally:
        event.remove(Engine, "before_cursor_execute", counter)
    assert work[0] == work[1]
    assert [len(await rows(table)) for table in (AuditEntry, Message, Challenge)] == [2, 0, 0]


async def test_the_entry_for_an_unknown_email_does_not_name_it():
    await refused(STRANGER)
    [entry] = await rows(AuditEntry)
    assert STRANGER not in repr(entry)
    assert len(entry.subject_id) == 36


@pytest.mark.parametrize("why", ["deactivated_at", "deleted_at"])
async def test_a_deactivated_or_deleted_person_is_like_an_unknown_one(why):
    gone: dict[str, Any] = {why: clock.now()}
    await a_person(**gone)
    assert await refused(EMAIL, PASSWORD) == WrongSignIn.message


async def test_a_person_without_a_password_cannot_sign_in_with_one():
    await a_person(password=None)
    assert await refused(EMAIL, "") == WrongSignIn.message


async def test_a_password_that_is_changed_meanwhile_opens_nothing(monkeypatch):
    person, real = await a_person(), providers.matches

    async def changing(stored, password):
        right = await real(stored, password)
        async with transaction() as session:
            theirs = there(await session.get(type(person), person.id))
            theirs.password_hash = "another"
        return right

    monkeypatch.setattr(providers, "matches", changing)
    assert await refused(EMAIL, PASSWORD) == WrongSignIn.message
    assert await rows(StoredSession) == []


whoever = pytest.mark.parametrize("email", [EMAIL, STRANGER])


@whoever
async def test_one_household_has_five_guesses_at_an_account_that_exists_or_not(email):
    await a_person()
    for n in range(5):
        assert await refused(email, address=f"2001:db8::{n}") == WrongSignIn.message
    for password in ("wrong", PASSWORD):
        assert "Too many attempts" in await refused(email, password, address="2001:db8::9")


async def test_a_stranger_who_guesses_on_and_on_does_not_lock_the_owner_out():
    await a_person()
    for _ in range(40):
        await refused(address="198.51.100.1")
    assert await signs_in()


@whoever
async def test_all_households_together_have_thirty_guesses_at_an_account(email):
    await a_person()
    for n in range(30):
        assert await refused(email, address=f"198.51.100.{n}") == WrongSignIn.message
    for password in ("wrong", PASSWORD):
        assert "Too many attempts" in await refused(email, password)


async def test_an_address_is_throttled_over_all_accounts():
    await a_person()
    for n in range(20):
        assert await refused(f"nobody{n}@example.com") == WrongSignIn.message
    assert "Too many attempts" in await refused(EMAIL, PASSWORD)
    assert await signs_in(address="198.51.100.1")


async def test_the_owner_is_told_once_of_failing_sign_ins(monkeypatch):
    monkeypatch.setattr("fuel_app.accounts.service.sessions.throttle", Unlimited)
    person = await a_person()
    for n in range(7):
        assert len(await messages("failed_sign_ins")) == (n >= 5)
        await refused()
    [told] = await messages("failed_sign_ins")
    assert (told.person_id, told.payload) == (person.id, {"network": "203.0.x.x"})


async def test_a_new_device_is_told_but_never_the_first():
    person = await a_person()
    await signs_in()
    await signs_in(address="203.0.99.99")  # of the same network
    assert await messages("new_sign_in") == []
    await signs_in(device="Safari on iPhone")
    await signs_in(device="Safari on iPhone")
    [told] = await messages("new_sign_in")
    assert told.person_id == person.id
    assert told.payload["device"] == "Safari on iPhone"
    assert told.payload.keys() == {"device", "network", "at"}
    await signs_in(address="198.51.100.1")
    assert len(await messages("new_sign_in")) == 2


async def test_thirty_sign_ins_in_a_quarter_of_an_hour_are_enough(monkeypatch):
    await a_person()
    monkeypatch.setattr(service, "ACCOUNT_RIGHT_SIGN_INS", Limit("few", 3, 15))
    for _ in range(3):
        assert await signs_in()
    for _ in range(6):
        with pytest.raises(TooManyRequests):
            await signs_in()


async def test_an_entry_whose_values_are_purged_knows_no_device():
    person = await a_person()
    async with transaction() as session:
        await login_history.note(session, "signed_in", person.id, Visitor())
        await purge_expired(session, clock.now() + timedelta(days=366))
    await signs_in()
    assert await messages("new_sign_in") == []


async def test_signing_in_makes_a_new_session_and_ends_the_former(password):
    await a_person()
    planted = await sessions.sign_in_shared(password, Visitor(HERE))
    first = await signs_in(former=planted.session_id)
    second = await signs_in(former=first.session_id)
    assert len({planted.session_id, first.session_id, second.session_id}) == 3
    assert [row.id for row in await rows(StoredSession)] == [second.session_id]


async def test_a_refused_sign_in_leaves_the_browsers_session_alone(password):
    former = await sessions.sign_in_shared(password, Visitor(HERE))
    with pytest.raises(WrongSignIn):
        await signs_in(STRANGER, former=former.session_id)
    assert await sessions.find(former.session_id)
