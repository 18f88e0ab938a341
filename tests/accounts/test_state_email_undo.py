"""The page of the link that restores a former e-mail."""

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import NewEmail, Purpose
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import account
from fuel_app.accounts.state.sign_in_pages import EmailUndoState
from fuel_app.accounts.tables import Person
from fuel_app.kit import secrets
from fuel_app.membership import service as membership
from tests.helpers.people import EMAIL, a_person, messages, rows
from tests.helpers.signed_in import session_of
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def a_link() -> str:
    by = await session_of((await a_person()).id)
    await account.send_email_code(by, NewEmail(email="new@example.com"), Visitor())
    [sent] = await messages("email_code")
    code = secrets.code(Purpose.EMAIL, sent.payload["challenge"])
    await membership.confirm_email(by, code, Visitor())
    [told] = await messages("email_changed")
    return secrets.token(Purpose.EMAIL_UNDO, told.payload["challenge"])


async def opened(link: str) -> EmailUndoState:
    state = await tab_at(f"{routes.UNDO_EMAIL}/{link}").get_state(EmailUndoState)
    await run(state.arrive())
    return state


async def test_opening_the_page_changes_nothing_and_the_button_restores():
    state = await opened(await a_link())
    [person] = await rows(Person)
    assert (state.link, person.email) == ("open", "new@example.com")
    await run(state.undo())
    [person] = await rows(Person)
    assert (state.link, state.error, state.busy, person.email) == ("used", "", False, EMAIL)


async def test_a_used_or_made_up_link_is_gone():
    link = await a_link()
    first, second = await opened(link), await opened(link)
    await run(first.undo())
    await run(second.undo())
    assert second.link == "gone"
    assert (await opened("nonsense")).link == "gone"


async def test_a_refusal_is_said_and_the_link_stays():
    link = await a_link()
    await a_person(email=EMAIL)
    state = await opened(link)
    await run(state.undo())
    assert "belongs to another account" in state.error
    assert (state.link, state.busy) == ("open", False)
