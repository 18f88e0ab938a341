"""/settings/people and the page of an invitation, in tabs without a browser."""

import asyncio
from typing import get_type_hints

import pytest
from pydantic import SecretStr
from reflex_base.utils.form import FORM_DATA_ENTRIES_KEY, transform_form_data

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.service import sessions, staff
from fuel_app.accounts.state.people import (
    UNSENT,
    DeactivationState,
    FirstAdminState,
    InviteState,
    PeopleState,
    RolesState,
    SignOutState,
)
from fuel_app.accounts.state.session import COOKIE, CookieState, SessionState
from fuel_app.accounts.tables import PersonRole
from fuel_app.kit import clock
from fuel_app.kit.errors import FAILED
from fuel_app.kit.signals import signals
from fuel_app.settings import settings
from tests.factories import UNKNOWN_ID
from tests.helpers.admins import AdminTab
from tests.helpers.members import ADMIN_FORM, an_admin, invited
from tests.helpers.people import a_person, rows
from tests.helpers.tabs import problems, redirected, run, tab_at, unavailable
from tests.staff import a_token
from tests.waiting import comes_true

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

SCREEN = "/settings/people"
ZOE = "zoe@example.com"


async def shared_tab() -> AdminTab:
    """A tab that is signed in with the shared password."""
    return AdminTab(tab_at(SCREEN, cookie=f"{COOKIE}={await a_token()}"), Actor())


async def loaded(*roles: Role) -> AdminTab:
    tab = await AdminTab.at(SCREEN, *roles)
    await tab.fire(PeopleState.load)
    return tab


async def _somebody_listens() -> bool:
    return signals().listeners > 0


async def test_the_first_admin_goes_on_to_the_second_factor():
    tab = await shared_tab()
    await tab.fire(PeopleState.load)
    shown = await tab.screen(PeopleState)
    assert (shown.needs_admin, shown.members, shown.loading) == (True, [], False)
    await tab.fire(FirstAdminState.submit, ADMIN_FORM)
    cookie = await tab.screen(CookieState)
    session = await (await tab.screen(SessionState))._look()
    assert session
    assert session.lacks_factor
    assert await sessions.redeem_ticket(cookie.ticket)
    assert redirected(await cookie.fetched(True)) == "/security"
    shown = await tab.screen(SessionState)
    assert (shown.is_staff, shown.is_person) == (False, True)
    assert redirected((await run(shown.require()))[0]) == "/security"


async def test_what_fails_is_said(monkeypatch):
    tab = await shared_tab()
    monkeypatch.setattr(staff, "create_first_admin", unavailable)
    await tab.fire(FirstAdminState.submit, ADMIN_FORM)
    assert (await tab.screen(FirstAdminState)).error == FAILED
    admin = await loaded()
    for name in ("set_roles", "list_staff"):
        monkeypatch.setattr(staff, name, unavailable)
    for name in ("invite", "withdraw_invitation"):
        monkeypatch.setattr(staff, name, unavailable)
    await admin.fire(InviteState.submit, {"email": ZOE, "roles": ["admin"]})
    assert (await admin.screen(InviteState)).error == FAILED
    roles = await admin.screen(RolesState)
    await admin.fire(RolesState.begin, admin.actor.person_id)
    await admin.fire(RolesState.submit, {"roles": ["admin"]})
    assert (roles.opened, roles.error, roles.busy) == (True, FAILED, False)
    await admin.fire(RolesState.close, False)
    monkeypatch.setattr(staff, "reactivate", unavailable)
    await admin.fire(PeopleState.reactivate, admin.actor.person_id)  # no dialog is open
    assert await admin.said() == [FAILED]
    assert (await admin.screen(PeopleState)).failed


async def test_an_admin_sees_the_staff():
    await a_person(Role.CUSTOMER, email="customer@example.com")
    await a_person(Role.TECHNICIAN, email=ZOE, first_name="Zoe", deactivated_at=clock.now())
    tab = await loaded()
    shown = await tab.screen(PeopleState)
    assert [
        (line.email, line.roles, line.is_active, line.id == shown.you) for line in shown.members
    ] == [
        ("grace@example.com", "Admin", True, True),
        (ZOE, "Technician", False, False),
    ]
    assert not shown.needs_admin


async def test_an_admin_invites_and_withdraws():
    tab = await loaded()
    form = {"email": ZOE, "roles": ["dispatcher", "technician"]}
    for _ in range(2):  # a double click
        await tab.fire(InviteState.submit, form | {"agreed": "0"})
    shown = await tab.screen(PeopleState)
    [line] = shown.invitations
    assert (line.email, line.roles, line.by) == (ZOE, "Technician, Dispatcher", "Grace Hopper")
    await tab.fire(PeopleState.withdraw, line.id)
    assert shown.invitations == []
    await tab.fire(PeopleState.withdraw, line.id)
    await tab.fire(InviteState.submit, form | {"agreed": "1"})
    withdrawn = f"The invitation of {ZOE} is withdrawn"
    assert await tab.said() == [withdrawn, UNSENT]  # a text once


async def test_an_invitation_is_called_sent_where_mail_can_be_sent(monkeypatch):
    with_mail = settings.model_copy(update={"smtp_url": SecretStr("smtp://localhost")})
    monkeypatch.setattr("fuel_app.accounts.state.people.settings", with_mail)
    tab = await loaded()
    await tab.fire(InviteState.submit, {"email": ZOE, "roles": ["dispatcher"]})
    assert await tab.said() == [f"Invitation sent to {ZOE}"]


async def test_a_failed_withdrawal_is_said(monkeypatch):
    tab = await loaded()
    await tab.fire(InviteState.submit, {"email": ZOE, "roles": "admin"})
    [line] = (await tab.screen(PeopleState)).invitations
    answers = iter([NotAllowed(), ConnectionError()])

    async def refuses(*_: object) -> None:
        raise next(answers)

    monkeypatch.setattr(staff, "withdraw_invitation", refuses)
    for _ in range(2):
        await tab.fire(PeopleState.withdraw, line.id)
    assert (await tab.said())[1:] == [NotAllowed.message, FAILED]


async def test_the_screen_follows_what_others_change():
    _, admin = await an_admin()
    tab = await loaded()
    shown = await tab.screen(PeopleState)

    async def _sees_one() -> bool:
        return len(shown.invitations) == 1

    following = asyncio.create_task(run(PeopleState.follow.fn(shown)))
    assert await comes_true(_somebody_listens, within=10)
    await invited(admin, ZOE, Role.DISPATCHER)
    assert await comes_true(_sees_one, within=10)
    following.cancel()


async def test_an_admin_changes_roles():
    person = await a_person(Role.TECHNICIAN, email=ZOE, first_name="Zoe")
    tab = await loaded()
    roles = await tab.screen(RolesState)
    await tab.fire(RolesState.begin, person.id)
    assert (roles.opened, roles.name, roles.held) == (True, "Zoe Lovelace", ["technician"])
    await tab.fire(RolesState.submit, {"roles": ["dispatcher"]})
    assert (roles.opened, roles.busy) == (False, False)
    assert [row.role for row in await rows(PersonRole, person_id=person.id)] == ["dispatcher"]
    await tab.fire(RolesState.submit, {"roles": ["admin"]})  # a second click
    assert len(await rows(PersonRole, role="admin")) == 1
    assert await tab.said() == ["The roles of Zoe Lovelace are saved"]


async def test_an_admin_deactivates_and_reactivates():
    person = await a_person(Role.DISPATCHER, email=ZOE, first_name="Zoe")
    tab = await loaded()
    shown = await tab.screen(PeopleState)
    await tab.fire(DeactivationState.submit, {})  # nothing is open
    await tab.fire(DeactivationState.begin, person.id)
    await tab.fire(DeactivationState.submit, {})
    assert [line.is_active for line in shown.members] == [True, False]
    await tab.fire(PeopleState.reactivate, person.id)
    assert [line.is_active for line in shown.members] == [True, True]
    await tab.fire(PeopleState.reactivate, UNKNOWN_ID)
    await tab.fire(DeactivationState.begin, UNKNOWN_ID)
    question = await tab.screen(DeactivationState)
    assert not question.opened
    await tab.fire(DeactivationState.begin, tab.actor.person_id)
    await tab.fire(DeactivationState.submit, {})
    assert (question.opened, "last admin" in question.error) == (True, True)
    assert await tab.said() == ["Zoe Lovelace is deactivated", "Zoe Lovelace can sign in again"]


async def test_a_weak_password_stays_refused_until_it_is_another():
    tab = await shared_tab()
    weak = ADMIN_FORM | {"password": "password1!"}
    assert await tab.fire(FirstAdminState.submit, weak) == ["first_admin_password"]
    shown = await tab.screen(FirstAdminState)
    await tab.fire(FirstAdminState.edit, weak)  # the button loses the focus
    assert "easy to guess" in problems(shown.errors)["password"]
    await tab.fire(FirstAdminState.edit, ADMIN_FORM)
    assert not problems(shown.errors)


@pytest.mark.parametrize("state", [InviteState, RolesState])
@pytest.mark.parametrize("ticked", [[], ["admin"], ["technician", "dispatcher"]])
def test_every_ticked_role_arrives(state, ticked):
    entries = [["email", "zoe@example.com"], *(["roles", role] for role in ticked)]
    for event in (state.edit, state.submit):
        hint = get_type_hints(event.fn)["form"]
        sent = transform_form_data({FORM_DATA_ENTRIES_KEY: entries}, hint)
        assert state._whole(state, sent) == {"roles": ticked, "email": "zoe@example.com"}


async def test_an_admin_signs_a_member_out_everywhere(sqlite_database):
    person = await a_person(Role.TECHNICIAN, email="zoe@example.com", first_name="Zoe")
    tab = await AdminTab.at("/settings/people")
    await tab.fire(PeopleState.load)
    await tab.fire(SignOutState.submit, {})  # nothing is open
    await tab.fire(SignOutState.begin, person.id)
    await tab.fire(SignOutState.submit, {})
    assert not (await tab.screen(SignOutState)).opened
    assert await tab.said() == ["Zoe Lovelace is signed out everywhere"]
