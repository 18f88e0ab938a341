"""Pages of mailed links: another password, the former e-mail."""

from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import NewEmail, Purpose
from fuel_app.accounts.rules.security import Visitor, WrongSignIn
from fuel_app.accounts.service import account
from fuel_app.accounts.service.sessions import sign_in
from fuel_app.accounts.state.sign_in_pages import (
    PASSWORD_CHANGED,
    EmailUndoState,
    ForgotPasswordState,
    ResetPasswordState,
)
from fuel_app.accounts.tables import Person
from fuel_app.kit import secrets
from fuel_app.kit.ui.toast import ToastState
from fuel_app.membership import service as membership
from tests.helpers.people import EMAIL, a_person, messages, rows
from tests.helpers.signed_in import session_of
from tests.helpers.tabs import focused, problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


NEW = "seven pelicans & a 12 oz cup"


async def asked(form: Any) -> ForgotPasswordState:
    state = await tab_at(routes.FORGOT_PASSWORD).get_state(ForgotPasswordState)
    state.arrive()
    await run(state.ask(form))
    return state


async def a_link() -> str:
    await a_person()
    await asked({"email": EMAIL})
    [sent] = await messages("password_reset")
    return secrets.token(Purpose.RESET, sent.payload["challenge"])


async def opened(link: str) -> ResetPasswordState:
    state = await tab_at(f"{routes.RESET_PASSWORD}/{link}").get_state(ResetPasswordState)
    await run(state.arrive())
    return state


@pytest.mark.parametrize("email", [EMAIL, "nobody@example.com"])
async def test_known_and_unknown_emails_are_answered_alike(email):
    await a_person()
    state = await asked({"email": f" {email.upper()}"})
    assert (state.sent_to, state.error, state.busy) == (email, "", False)


@pytest.mark.parametrize("form", [None, {}, {"email": 7}, {"email": "ada"}, []])
async def test_an_odd_email_is_refused_beside_its_field(form):
    state = await asked(form)
    assert problems(state.errors) == {"email": "Invalid email address"}
    assert state.sent_to == ""


async def test_the_answer_outlives_a_lost_connection_until_one_asks_again():
    state = await asked({"email": EMAIL})
    state.arrive()
    assert state.sent_to == EMAIL
    state.ask_again()
    assert state.sent_to == ""


async def test_a_link_leads_to_the_sign_in_and_works_with_the_new_password():
    state = await opened(await a_link())
    assert state.link == "open"
    sent = await run(state.set_password({"password": NEW}))
    assert redirected(sent[-1]) == routes.SIGN_IN
    assert [each.text for each in (await state.get_state(ToastState)).toasts] == [PASSWORD_CHANGED]
    assert await sign_in(EMAIL, NEW, Visitor("203.0.113.7"))


@pytest.mark.parametrize("link", ["link", "x" * 5000, "a.b", "%00"])
async def test_an_unknown_link_is_calmly_refused(link):
    state = await opened(link)
    assert state.link == "gone"
    await run(state.set_password({"password": NEW}))
    assert (state.link, state.error, state.busy) == ("gone", "", False)


@pytest.mark.parametrize("form", [{"password": "short"}, {"password": ""}, {}, None, []])
async def test_a_poor_password_is_refused_beside_its_field(form):
    state = await opened(await a_link())
    sent = await run(state.set_password(form))
    assert problems(state.errors).keys() == {"password"}
    assert focused(sent[-1]) == "reset_password_password"
    assert state.link == "open"


async def test_no_log_entry_holds_a_password_an_email_or_a_token(logged):
    link = await a_link()
    await run((await opened(link)).set_password({"password": NEW}))
    await run((await opened(link)).set_password({"password": NEW}))
    with pytest.raises(WrongSignIn):
        await sign_in(EMAIL, "wrong", Visitor("203.0.113.7"))
    written = repr(logged)
    assert "sign_in.refused" in written
    assert not any(secret in written for secret in (NEW, EMAIL, link, link.partition(".")[2]))


async def test_the_states_variables_hold_neither_token_nor_password():
    link = await a_link()
    state = await opened(link)
    await run(state.set_password({"password": NEW}))
    kept = repr([state.dict(), state._backend_vars])
    assert link not in kept
    assert NEW not in kept


async def an_undo_link() -> str:
    by = await session_of((await a_person()).id)
    await account.send_email_code(by, NewEmail(email="new@example.com"), Visitor())
    [sent] = await messages("email_code")
    code = secrets.code(Purpose.EMAIL, sent.payload["challenge"])
    await membership.confirm_email(by, code, Visitor())
    [told] = await messages("email_changed")
    return secrets.token(Purpose.EMAIL_UNDO, told.payload["challenge"])


async def undo_opened(link: str) -> EmailUndoState:
    state = await tab_at(f"{routes.UNDO_EMAIL}/{link}").get_state(EmailUndoState)
    await run(state.arrive())
    return state


async def test_opening_the_page_changes_nothing_and_the_button_restores():
    state = await undo_opened(await an_undo_link())
    [person] = await rows(Person)
    assert (state.link, person.email) == ("open", "new@example.com")
    await run(state.undo())
    [person] = await rows(Person)
    assert (state.link, state.error, state.busy, person.email) == ("used", "", False, EMAIL)


async def test_a_used_or_made_up_link_is_gone():
    link = await an_undo_link()
    first, second = await undo_opened(link), await undo_opened(link)
    await run(first.undo())
    await run(second.undo())
    assert second.link == "gone"
    assert (await undo_opened("nonsense")).link == "gone"


async def test_a_refusal_is_said_and_the_link_stays():
    link = await an_undo_link()
    await a_person(email=EMAIL)
    state = await undo_opened(link)
    await run(state.undo())
    assert "belongs to another account" in state.error
    assert (state.link, state.busy) == ("open", False)
