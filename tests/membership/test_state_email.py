"""A signed-in customer's change of the e-mail, in a tab."""

import pytest
import reflex as rx

from fuel_app.accounts.rules import Purpose
from fuel_app.customers.state.security import ReauthenticationState
from fuel_app.kit import secrets
from fuel_app.membership.state import EMAIL_CHANGED, AccountState, EmailState
from tests.factories import personal_form
from tests.helpers.customers import at, card, cookie_of, said, stale
from tests.helpers.open_area import open_area
from tests.helpers.people import EMAIL, PASSWORD, messages
from tests.helpers.tabs import answer, focused, run

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def tab() -> rx.State:
    """A signed-in customer at Account Settings, the company being open."""
    await open_area()
    return await at("/account", await cookie_of())


async def new_email(tab: rx.State) -> EmailState:
    account = await tab.get_state(AccountState)
    await run(account.begin())
    sent = await run(account.save(personal_form(email="new@example.com")))
    assert sent[-1].handler.fn.__qualname__ == "EmailState.ask"
    email = await tab.get_state(EmailState)
    await run(email.ask("new@example.com"))
    return email


async def test_a_new_e_mail_waits_for_its_code(tab):
    email = await new_email(tab)
    assert (email.pending, (await card(tab)).email) == ("new@example.com", EMAIL)
    await run(email.confirm({"code": ""}))
    assert email.error == "Enter the 6 digits."
    await run(email.confirm({"code": "wrong"}))
    assert "not right" in email.error
    await run(email.send_again())
    assert email.notice == "We have sent a new code."
    newest = max(await messages("email_code"), key=lambda each: each.id)
    code = secrets.code(Purpose.EMAIL, newest.payload["challenge"])
    sent = await run(email.confirm({"code": code}))
    assert (email.pending, email.busy, (await card(tab)).email) == ("", False, "new@example.com")
    assert EMAIL_CHANGED in await said(tab)
    assert "AccountState.arrive" in [each.handler.fn.__qualname__ for each in sent if each]


async def test_a_new_e_mail_needs_the_password_where_it_was_given_long_ago(tab):
    await stale(tab)
    email = await new_email(tab)
    proof = await tab.get_state(ReauthenticationState)
    assert (email.pending, proof.opened) == ("", True)
    sent = await run(proof.confirm({"password": PASSWORD}))
    assert "ask" in sent[-1].handler.fn.__qualname__
    await run(email.ask("new@example.com"))
    assert email.pending == "new@example.com"


async def test_an_abandoned_change_leaves_the_e_mail(tab):
    email = await new_email(tab)
    await run(email.cancel())
    await run(email.confirm({"code": "123456"}))
    await run(email.send_again())
    assert (email.pending, email.opened, email.error) == ("", False, "")
    await run(email.show(True))
    await run(email.arrive())
    assert (email.pending, email.opened) == ("", False)


async def test_a_closed_dialog_leaves_the_new_e_mail_waiting(tab):
    email = await new_email(tab)
    assert email.opened
    assert focused(await answer(email.show(False))) == "email_change_enter"
    assert (email.pending, email.opened) == ("new@example.com", False)
    await run(email.show(True))
    assert email.opened
    email.pending = ""  # another tab, or a reload
    await run(email.arrive())
    assert (email.pending, email.opened) == ("new@example.com", False)


@pytest.mark.parametrize("typed", [None, "", "ada@", 7, ["x@example.com"]])
async def test_an_odd_e_mail_is_asked_for_in_vain(tab, typed):
    email = await tab.get_state(EmailState)
    await run(email.ask(typed))
    assert email.pending == ""
    assert await messages("email_code") == []


async def test_too_many_codes_are_refused_in_words(tab):
    email = await tab.get_state(EmailState)
    for _ in range(6):
        await run(email.ask("new@example.com"))
    await run(email.send_again())
    assert "Too many attempts" in email.error
    assert "Too many attempts" in (await said(tab))[-1]
