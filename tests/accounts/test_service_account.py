"""One's own account: another e-mail and its undo, the race for an address, one's data."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import EmailInUse, FormerInUse, NewEmail, NotAllowed, Purpose, Session
from fuel_app.accounts.rules.security import LinkGone, ReauthenticationNeeded, Visitor, WrongCode
from fuel_app.accounts.service import account, sessions
from fuel_app.accounts.service.account import export
from fuel_app.accounts.tables import Challenge, Person
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.membership import service as membership
from tests.helpers.people import a_person, history, messages, rows
from tests.helpers.signed_in import session_of

pytestmark = pytest.mark.usefixtures("database")

FORMER, NEW = "ada@example.com", "countess@example.com"
HERE = Visitor("203.0.113.7", "Chrome on Mac")


async def signed_in(email: str = FORMER) -> Session:
    return await session_of((await a_person(email=email)).id)


async def code_for(by: Session, email: str = NEW) -> str:
    await account.send_email_code(by, NewEmail(email=email), HERE)
    [sent] = [each for each in await messages("email_code") if each.recipient == email][-1:]
    return secrets.code(Purpose.EMAIL, sent.payload["challenge"])


async def change(by: Session, email: str = NEW) -> str:
    """Change the e-mail. Return the token of the undo."""
    assert await membership.confirm_email(by, await code_for(by, email), HERE) == email
    newest = max(await messages("email_changed"), key=lambda each: each.id)
    return secrets.token(Purpose.EMAIL_UNDO, newest.payload["challenge"])


async def email_of(by: Session) -> str | None:
    [person] = await rows(Person, id=by.person_id)
    return person.email


async def test_a_change_waits_for_its_code_until_it_is_given_up():
    by = await signed_in()
    assert await account.pending_email(by) == ""
    code = await code_for(by)
    assert await account.pending_email(by) == NEW
    await account.cancel_email_change(by)
    assert await account.pending_email(by) == ""
    with pytest.raises(WrongCode):
        await membership.confirm_email(by, code, HERE)


async def test_the_code_changes_the_e_mail_once_and_tells_the_former_one():
    by = await signed_in()
    code = await code_for(by)
    assert await email_of(by) == FORMER
    assert await membership.confirm_email(by, f" {code[:3]} {code[3:]} ", HERE) == NEW
    assert await email_of(by) == NEW
    [told] = await messages("email_changed")
    assert (told.recipient, told.person_id) == (FORMER, by.person_id)
    about = {"device": "Chrome on Mac", "network": "203.0.x.x"}
    assert await history(by.person_id) == [("email_changed", about)]
    with pytest.raises(WrongCode):
        await membership.confirm_email(by, code, HERE)


@pytest.mark.parametrize("typed", ["", "000000 ", None, "\ud800", "1" * 1000])
async def test_a_wrong_code_changes_nothing(typed: Any):
    by = await signed_in()
    await code_for(by)
    with pytest.raises(WrongCode):
        await membership.confirm_email(by, typed, HERE)
    assert await email_of(by) == FORMER


async def test_a_code_is_sent_only_after_a_fresh_proof():
    by = await signed_in()
    stale = replace(by, proved_at=clock.now() - timedelta(minutes=11))
    with pytest.raises(ReauthenticationNeeded):
        await account.send_email_code(stale, NewEmail(email=NEW), HERE)
    assert await rows(Challenge) == []


@pytest.mark.parametrize("third", [FORMER, "ada.new@example.com"])
async def test_a_thief_gets_no_undo_when_the_owner_changes_the_e_mail_again(third):
    by = await signed_in()
    owners = await change(by, "thief@example.com")
    assert await membership.confirm_email(by, await code_for(by, third), HERE) == third
    assert [each.recipient for each in await messages("email_changed")] == [FORMER]
    assert [each.recipient for each in await messages("security_changed")] == ["thief@example.com"]
    await account.undo_email_change(owners, HERE)
    assert await email_of(by) == FORMER


async def test_a_change_after_the_undo_of_the_last_has_expired_can_be_undone(at):
    by = await signed_in()
    await change(by)
    at(days=8)
    by = await session_of(by.person_id)
    assert await account.is_email_undo_open(await change(by, "third@example.com"))


async def test_change_to_an_email_in_use_is_refused_only_after_its_code():
    by, _ = await signed_in(), await signed_in(NEW)
    code = await code_for(by)
    with pytest.raises(EmailInUse):
        await membership.confirm_email(by, code, HERE)
    assert await email_of(by) == FORMER
    assert await messages("email_changed") == []


async def test_two_people_race_for_an_address_and_one_gets_it():
    both = [await signed_in(), await signed_in("grace@example.com")]
    codes = [await code_for(by) for by in both]
    outcomes = await asyncio.gather(
        *[membership.confirm_email(by, code, HERE) for by, code in zip(both, codes, strict=True)],
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["EmailInUse", "str"]


async def test_the_same_code_sent_twice_at_once_changes_once():
    by = await signed_in()
    code = await code_for(by)
    outcomes = await asyncio.gather(
        *[membership.confirm_email(by, code, HERE) for _ in range(2)], return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["WrongCode", "str"]
    assert len(await messages("email_changed")) == 1


async def test_the_own_address_typed_again_changes_nothing():
    by = await signed_in()
    assert await membership.confirm_email(by, await code_for(by, FORMER), HERE) == FORMER
    assert await messages("email_changed") == []


async def test_the_sixth_code_of_an_hour_is_refused():
    by = await signed_in()
    for _ in range(5):
        await account.send_email_code(by, NewEmail(email=NEW), HERE)
    with pytest.raises(TooManyRequests):
        await account.send_email_code(by, NewEmail(email=NEW), HERE)


async def test_the_undo_restores_the_e_mail_once_and_ends_all_sessions():
    by = await signed_in()
    link = await change(by)
    assert await account.is_email_undo_open(link)
    await account.undo_email_change(link, HERE)
    assert await email_of(by) == FORMER
    [person] = await rows(Person, id=by.person_id)
    assert person.password_hash is None  # whoever changed the e-mail knew it
    assert await sessions.find(by.id) is None
    assert not await account.is_email_undo_open(link)
    with pytest.raises(LinkGone):
        await account.undo_email_change(link, HERE)
    assert [kind for kind, _ in await history(by.person_id)] == ["email_changed"] * 2


@pytest.mark.parametrize("link", ["", "nonsense", "0" * 36 + ".x", "\ud800"])
async def test_made_up_links_undo_nothing(link):
    assert not await account.is_email_undo_open(link)
    with pytest.raises(LinkGone):
        await account.undo_email_change(link, HERE)


async def test_an_undo_waits_while_another_account_has_the_address():
    by = await signed_in()
    link = await change(by)
    await signed_in(FORMER)
    with pytest.raises(FormerInUse):
        await account.undo_email_change(link, HERE)
    assert await email_of(by) == NEW
    assert await account.is_email_undo_open(link)


async def test_a_closed_account_neither_changes_nor_undoes():
    by = await signed_in()
    link, code = await change(by), await code_for(by, "third@example.com")
    async with transaction() as session:
        person = await session.get(Person, by.person_id)
        assert person
        person.deactivated_at = clock.now()
    with pytest.raises(NotAllowed):
        await membership.confirm_email(by, code, HERE)
    with pytest.raises(LinkGone):
        await account.undo_email_change(link, HERE)


async def test_no_address_is_in_the_login_history_and_no_code_in_a_row():
    by = await signed_in()
    code = await code_for(by)
    link = await change(by)
    stored = repr(
        [await rows(Challenge), await messages("email_code"), await history(by.person_id)]
    )
    assert code not in stored
    assert link.partition(".")[2] not in stored
    assert FORMER not in repr(await history(by.person_id))


async def test_the_data_are_the_persons_own_without_secrets():
    person = await a_person()
    await a_person(email="grace@example.com", first_name="Grace")
    async with reading() as session:
        held = await export(session, person.id)
    assert (held["person"]["email"], held["person"]["roles"]) == (person.email, ["customer"])
    assert "grace" not in repr(held).lower()
    assert str(person.password_hash) not in repr(held)
    async with reading() as session:
        assert await export(session, "somebody") == {}
