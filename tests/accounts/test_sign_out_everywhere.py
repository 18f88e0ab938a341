"""Signing a member of the staff out everywhere, such as on a lost phone."""

from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions, staff
from fuel_app.accounts.state.people import MemberState, PeopleState
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.signals import SESSIONS, listening
from tests.helpers.admins import AdminTab
from tests.helpers.members import an_admin, token_of
from tests.helpers.people import a_person, history, rows


async def test_an_admin_signs_out_the_phone_that_was_lost(database):
    _, admin = await an_admin()
    person = await a_person(Role.TECHNICIAN)
    lost, other = await token_of(person), await token_of(person)
    async with listening(SESSIONS) as changes:
        await staff.sign_out_everywhere(admin, person.id)
        assert await changes.next(5)
    assert [await sessions.find_by_token(each) for each in (lost, other)] == [None, None]
    [(kind, after)] = await history(person.id)
    assert (kind, after) == ("signed_out", {"what": "all sessions, by an admin"})
    [entry] = await rows(AuditEntry, kind="signed_out", subject_id=person.id)
    assert entry.actor == admin.person_id
    assert await sessions.find_by_token(await token_of(person))  # they sign in again


async def test_an_admin_signs_a_member_out_everywhere(sqlite_database):
    person = await a_person(Role.TECHNICIAN, email="zoe@example.com", first_name="Zoe")
    tab = await AdminTab.at("/settings/people")
    await tab.fire(PeopleState.load)
    await tab.fire(MemberState.sign_out)  # nothing is open
    await tab.fire(MemberState.open, "sign out", person.id)
    await tab.fire(MemberState.sign_out)
    assert (await tab.screen(MemberState)).opened == ""
    assert await tab.said() == ["Zoe Lovelace is signed out everywhere"]
