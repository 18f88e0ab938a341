"""The page of an invitation to a company, in a tab without a browser."""

import pytest

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.session import COOKIE, CookieState
from fuel_app.accounts.tables import Person
from fuel_app.companies.service import people
from fuel_app.companies.state.invitation import CompanyInvitationState
from fuel_app.companies.tables import CompanyPerson
from fuel_app.kit import secrets
from fuel_app.messages.rules.kinds import INVITED_TO_COMPANY
from tests.helpers.admins import AdminTab
from tests.helpers.companies import a_company
from tests.helpers.members import ADMIN_FORM, STRONG, token_of
from tests.helpers.people import a_person, messages, rows
from tests.helpers.tabs import problems, redirected, run, tab_at, unavailable

pytestmark = pytest.mark.usefixtures("sqlite_database")
OWNER = "owner@palm.example"


async def the_link() -> str:
    await a_company()
    [mail] = await messages("company_invitation")
    return secrets.token(INVITED_TO_COMPANY, mail.payload["company_invitation"])


async def the_tab(path: str, cookie: str = "") -> AdminTab:
    tab = AdminTab(tab_at(f"/company-invitation{path}", cookie=f"{COOKIE}={cookie}"), Actor())
    await tab.fire(CompanyInvitationState.arrive)
    return tab


async def test_a_new_person_makes_an_account_and_lands_at_the_company():
    tab = await the_tab(f"/{await the_link()}")
    shown = await tab.screen(CompanyInvitationState)
    assert (shown.stage, shown.shown.company, shown.shown.role) == (
        "new",
        "Palm Plumbing",
        "Owner",
    )
    await tab.fire(CompanyInvitationState.create, {})
    assert problems(shown.errors)
    await tab.fire(CompanyInvitationState.edit, ADMIN_FORM)
    await tab.fire(CompanyInvitationState.create, ADMIN_FORM)
    assert redirected(await (await tab.screen(CookieState)).fetched(True)) == "/company"
    [person] = await rows(Person, email=OWNER)
    assert [each.role for each in await rows(CompanyPerson, person_id=person.id)] == ["owner"]
    assert STRONG not in repr(tab.tab.dict())


async def test_a_known_person_signs_in_and_accepts_without_the_token():
    link, person = await the_link(), await a_person(email=OWNER)
    stranger = await the_tab(f"/{link}")
    shown = await stranger.screen(CompanyInvitationState)
    assert shown.stage == "other"
    [sent] = await run(CompanyInvitationState.sign_in.fn(shown))
    assert redirected(sent) == "/sign-in?next=%2Fcompany-invitation"
    await stranger.fire(CompanyInvitationState.accept)
    assert await rows(CompanyPerson) == []
    mine = await (await the_tab("", await token_of(person))).screen(CompanyInvitationState)
    assert mine.stage == "known"
    sent = await run(CompanyInvitationState.accept.fn(mine))
    assert redirected(sent[-1]) == "/company"
    assert [each.person_id for each in await rows(CompanyPerson)] == [person.id]


async def test_a_used_link_another_account_and_a_visitor_are_told_so():
    link, other = await the_link(), await a_person(email="eve@example.com")
    signed_in = await the_tab("", await token_of(other))
    assert (await signed_in.screen(CompanyInvitationState)).stage == "none"
    first, second = await the_tab(f"/{link}"), await the_tab(f"/{link}")
    await first.fire(CompanyInvitationState.create, ADMIN_FORM)
    await second.fire(CompanyInvitationState.create, ADMIN_FORM)
    assert (await second.screen(CompanyInvitationState)).stage == "gone"
    visitor = await the_tab("")
    shown = await visitor.screen(CompanyInvitationState)
    [sent] = await run(CompanyInvitationState.arrive.fn(shown))
    assert redirected(sent) == "/sign-in?next=%2Fcompany-invitation"


async def test_an_outage_is_said_and_nothing_is_lost(monkeypatch):
    link, person = await the_link(), await a_person(email=OWNER)
    tab = await the_tab(f"/{link}", await token_of(person))
    shown = await tab.screen(CompanyInvitationState)
    assert shown.stage == "known"
    for name in ("accept_as_new", "accept_as_person"):
        monkeypatch.setattr(people, name, unavailable)
    await tab.fire(CompanyInvitationState.create, ADMIN_FORM)
    assert shown.error
    await tab.fire(CompanyInvitationState.accept)
    assert (shown.error != "", shown.busy) == (True, False)
    assert await rows(CompanyPerson) == []


async def test_a_persons_own_invitation_is_sent_to_no_other_connection():
    await the_link()
    person = await a_person(email=OWNER)
    tab = await the_tab("", await token_of(person))
    shown = await tab.screen(CompanyInvitationState)
    assert shown.stage == "known"
    assert OWNER in repr(tab.tab.dict())
    shown._open_to("another connection")
    assert OWNER not in repr(tab.tab.dict())
