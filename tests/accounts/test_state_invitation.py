"""The page of an invitation, in a tab without a browser."""

import pytest

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import staff
from fuel_app.accounts.state.session import COOKIE, CookieState, SessionState
from fuel_app.accounts.state.sign_in_pages import InvitationState
from fuel_app.accounts.tables import Person, PersonRole, StoredSession
from tests.helpers.admins import AdminTab
from tests.helpers.members import ADMIN_FORM, STRONG, an_admin, invited, token_of
from tests.helpers.people import a_person, rows
from tests.helpers.tabs import problems, redirected, run, tab_at, unavailable

pytestmark = pytest.mark.usefixtures("sqlite_database")

ZOE = "zoe@example.com"


async def invitation_tab(link: str, cookie: str = "") -> AdminTab:
    tab = AdminTab(tab_at(f"/invitation/{link}", cookie=f"{COOKIE}={cookie}"), Actor())
    await tab.fire(InvitationState.arrive)
    return tab


async def own_tab(cookie: str) -> AdminTab:
    tab = AdminTab(tab_at("/invitation", cookie=f"{COOKIE}={cookie}"), Actor())
    await tab.fire(InvitationState.arrive)
    return tab


async def test_an_invited_person_makes_an_account():
    _, admin = await an_admin()
    link = await invited(admin, ZOE, Role.DISPATCHER)
    tab = await invitation_tab(link)
    shown = await tab.screen(InvitationState)
    assert (shown.stage, shown.email, shown.roles) == ("new", ZOE, "Dispatcher")
    assert await tab.fire(InvitationState.create, {}) == ["invitation_first_name"]
    await tab.fire(InvitationState.edit, ADMIN_FORM)
    assert not problems(shown.errors)
    await tab.fire(InvitationState.create, ADMIN_FORM)
    assert (await tab.screen(CookieState)).ticket
    assert (await tab.screen(SessionState)).is_staff is False  # not before the cookie is there
    cookie = await tab.screen(CookieState)
    assert redirected(await cookie.fetched(True)) == "/dashboard"
    assert len(await rows(Person, email=ZOE)) == 1
    assert STRONG not in repr(tab.tab.dict())


async def test_a_used_invitation_is_said_calmly():
    _, admin = await an_admin()
    link = await invited(admin, ZOE, Role.DISPATCHER)
    tab, other = await invitation_tab(link), await invitation_tab(link)
    await tab.fire(InvitationState.create, ADMIN_FORM)
    await other.fire(InvitationState.create, ADMIN_FORM)
    assert (await other.screen(InvitationState)).stage == "gone"
    assert (await (await invitation_tab("x")).screen(InvitationState)).stage == "gone"


async def test_a_known_person_signs_in_before_accepting():
    _, admin = await an_admin()
    person = await a_person(Role.CUSTOMER, email=ZOE)
    link = await invited(admin, ZOE, Role.ADMIN)
    tab = await invitation_tab(link)
    shown = await tab.screen(InvitationState)
    assert shown.stage == "other"
    [sent] = await run(InvitationState.sign_in.fn(shown))
    assert redirected(sent) == "/sign-in?next=%2Finvitation"
    await tab.fire(InvitationState.accept)
    assert shown.stage == "other"
    signed_in = await own_tab(await token_of(person))
    mine = await signed_in.screen(InvitationState)
    assert (mine.stage, mine.email, mine.roles) == ("known", ZOE, "Admin")
    sent = await run(InvitationState.accept.fn(mine))
    assert redirected(sent[-1]) == "/sign-in"
    assert await signed_in.said() == ["Accepted. Sign in to go on."]
    assert not (await signed_in.screen(CookieState)).ticket
    assert await rows(StoredSession, person_id=person.id) == []
    assert {row.role for row in await rows(PersonRole, person_id=person.id)} == {
        "admin",
        "customer",
    }


async def test_the_page_without_a_link_tells_who_has_no_invitation():
    person = await a_person(Role.CUSTOMER, email=ZOE)
    tab = await own_tab(await token_of(person))
    assert (await tab.screen(InvitationState)).stage == "none"
    await tab.fire(InvitationState.accept)
    assert (await tab.screen(InvitationState)).stage == "none"


async def test_the_page_without_a_link_leads_visitors_to_the_sign_in():
    tab = await own_tab("")
    [sent] = await run(InvitationState.arrive.fn(await tab.screen(InvitationState)))
    assert redirected(sent) == "/sign-in?next=%2Finvitation"


async def test_what_fails_on_the_invitations_page_is_said(monkeypatch):
    _, admin = await an_admin()
    person = await a_person(Role.CUSTOMER, email=ZOE)
    link = await invited(admin, ZOE, Role.ADMIN)
    tab = await invitation_tab(link, await token_of(person))
    shown = await tab.screen(InvitationState)
    for name in ("accept_invitation", "accept_own_invitation"):
        monkeypatch.setattr(staff, name, unavailable)
    await tab.fire(InvitationState.create, ADMIN_FORM)
    assert shown.error
    await tab.fire(InvitationState.accept)
    assert shown.error
    assert not shown.busy
    assert len(await rows(StoredSession, person_id=person.id)) == 1
