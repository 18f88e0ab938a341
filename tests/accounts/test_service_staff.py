"""The first admin, roles, deactivation, and the list of staff."""

import asyncio

import pytest

from fuel_app.accounts.providers import matches
from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import SYSTEM, Actor, NotAllowed, Purpose, Role
from fuel_app.accounts.rules.staff import (
    AdminExists,
    EmailHasAccount,
    LastAdmin,
    PersonGone,
)
from fuel_app.accounts.service import sessions, staff
from fuel_app.accounts.service.sessions import start_for_person
from fuel_app.accounts.tables import Passkey, Person, PersonRole, RecoveryCode, StoredSession
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import WrongPassword
from fuel_app.kit.secrets import row_of
from fuel_app.kit.signals import SESSIONS, listening, signals
from tests.factories import UNKNOWN_ID
from tests.helpers.members import (
    STRONG,
    actor_of,
    an_admin,
    first_admin,
    session_of,
    token_of,
)
from tests.helpers.people import a_person, history, rows
from tests.staff import HERE, PASSWORD, a_token

pytestmark = pytest.mark.usefixtures("password")


async def shared() -> Actor:
    return (await session_of(await a_token())).actor


async def roles_of(person_id: str) -> set[str]:
    return {row.role for row in await rows(PersonRole, person_id=person_id)}


async def test_the_first_admin_ends_the_shared_password_and_its_sessions(database):
    here, elsewhere = await a_token(), await a_token()
    async with signals().listening(SESSIONS) as changes:
        actor = (await session_of(here)).actor
        signed_in = await staff.create_first_admin(actor, first_admin(), HERE)
        assert await changes.next(0) == {SESSIONS}
    assert [await sessions.find_by_token(each) for each in (here, elsewhere)] == [None, None]
    with pytest.raises(WrongPassword):
        await sessions.sign_in_shared(PASSWORD, HERE)
    assert await sessions.is_shared_password_retired()
    [person] = await rows(Person)
    assert (person.first_name, person.email) == ("Grace", "grace@example.com")
    assert person.email_verified_at
    assert await matches(person.password_hash, STRONG)
    assert await roles_of(person.id) == {"admin"}
    session = await sessions.find(signed_in.session_id)
    assert session
    assert (session.person_id, session.lacks_factor, session.is_staff) == (person.id, True, False)
    [roles, sign_in] = await history(person.id)
    assert roles == ("roles_changed", {"roles": ["admin"]})
    assert sign_in[0] == "signed_in"
    [entry] = await rows(AuditEntry, kind="roles_changed")
    assert (entry.actor, entry.before) == ("shared password", {"roles": []})


async def test_of_two_first_admins_at_once_one_is_created(database):
    forms = [first_admin(email=f"{name}@example.com") for name in ("a", "b", "c")]
    actors = [await shared() for _ in forms]
    outcomes = await asyncio.gather(
        *(staff.create_first_admin(*each, HERE) for each in zip(actors, forms, strict=True)),
        return_exceptions=True,
    )
    assert [type(each) for each in outcomes].count(AdminExists) == 2
    assert len(await rows(PersonRole, role="admin")) == 1
    assert len(await rows(StoredSession)) == 1


async def test_no_shared_session_opens_while_the_first_admin_is_created(database):
    actor = await shared()
    await asyncio.gather(
        staff.create_first_admin(actor, first_admin(), HERE),
        *(sessions.sign_in_shared(PASSWORD, HERE) for _ in range(4)),
        return_exceptions=True,
    )
    assert [each.person_id is None for each in await rows(StoredSession)] == [False]


async def test_only_the_shared_password_creates_the_first_admin(sqlite_database):
    customer = await actor_of(await a_person(Role.CUSTOMER))
    for actor in (customer, Actor(), SYSTEM):
        with pytest.raises(NotAllowed):
            await staff.create_first_admin(actor, first_admin(), HERE)
    assert not await rows(PersonRole, role="admin")


async def test_the_first_admin_takes_nobodys_email(database):
    await a_person(email="grace@example.com")
    actor = await shared()
    with pytest.raises(EmailHasAccount):
        await staff.create_first_admin(actor, first_admin(), HERE)
    assert await sessions.find(actor.session_id)


async def test_an_admin_changes_roles_and_the_persons_sessions_end(database):
    _, admin = await an_admin()
    person = await a_person(Role.CUSTOMER, Role.TECHNICIAN)
    token = await token_of(person)
    assert not await staff.set_roles(admin, person.id, [Role.TECHNICIAN])  # as they are
    async with signals().listening(SESSIONS) as changes:
        assert await staff.set_roles(admin, person.id, [Role.DISPATCHER, Role.CUSTOMER])
        assert await changes.next(0) == {SESSIONS}
    assert await roles_of(person.id) == {"customer", "dispatcher"}
    assert await sessions.find_by_token(token) is None
    [entry] = await rows(AuditEntry, kind="roles_changed", subject_id=person.id)
    assert (entry.actor, entry.before, entry.after) == (
        admin.person_id,
        {"roles": ["technician"]},
        {"roles": ["dispatcher"]},
    )


async def test_two_admins_who_remove_each_other_at_once_leave_one(database):
    (one, actor_one), (two, actor_two) = (
        await an_admin("1@example.com"),
        await an_admin("2@example.com"),
    )
    outcomes = await asyncio.gather(
        staff.set_roles(actor_one, two.id, []),
        staff.deactivate(actor_two, one.id),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["NotAllowed", "bool"]
    assert len([each for each in await staff.list_staff(SYSTEM) if each.is_active]) == 1


async def test_the_last_admin_stays(database):
    person, admin = await an_admin()
    retired = await a_person(Role.ADMIN, email="old@example.com", deactivated_at=clock.now())
    for refused in (
        staff.set_roles(admin, person.id, [Role.DISPATCHER]),
        staff.deactivate(admin, person.id),
    ):
        with pytest.raises(LastAdmin):
            await refused
    async with transaction() as session:
        with pytest.raises(LastAdmin):
            staff.refuse_last_admin(await people.lock_admins(session), person.id)
        staff.refuse_last_admin(await people.lock_admins(session), retired.id)
    assert await staff.set_roles(admin, person.id, [Role.ADMIN, Role.TECHNICIAN])
    assert await roles_of(person.id) == {"admin", "technician"}


async def test_a_deactivated_person_is_out_at_once_and_may_come_back(database):
    _, admin = await an_admin()
    person = await a_person(Role.DISPATCHER)
    token = await token_of(person)
    async with signals().listening(SESSIONS) as changes:
        assert await staff.deactivate(admin, person.id)
        assert await changes.next(0) == {SESSIONS}
    assert await sessions.find_by_token(token) is None
    # A sign-in whose transaction began before.
    assert await sessions.find_by_token(await token_of(person)) is None
    assert not await staff.deactivate(admin, person.id)
    assert await staff.reactivate(admin, person.id)
    assert not await staff.reactivate(admin, person.id)
    assert [kind for kind, _ in await history(person.id)] == ["deactivated", "reactivated"]
    assert await session_of(await token_of(person))


async def test_only_admins_change_staff(sqlite_database):
    by_shared_password = await shared()
    root, _ = await an_admin()
    actor = await actor_of(await a_person(Role.DISPATCHER))
    for change in (staff.deactivate, staff.reactivate, staff.sign_out_everywhere):
        with pytest.raises(NotAllowed):
            await change(actor, root.id)
    for nobody in (actor, by_shared_password):
        with pytest.raises(NotAllowed):
            await staff.set_roles(nobody, actor.person_id, [Role.ADMIN])
    with pytest.raises(NotAllowed):
        await staff.list_staff(actor)
    assert await roles_of(root.id) == {"admin"}


@pytest.mark.parametrize("person_id", [UNKNOWN_ID, "x", None])
async def test_an_unknown_person_is_refused(sqlite_database, person_id):
    _, admin = await an_admin()
    for change in (staff.deactivate, staff.sign_out_everywhere):
        with pytest.raises(PersonGone):
            await change(admin, person_id)


async def test_the_list_names_staff_alone(database):
    root, _ = await an_admin()
    await a_person(Role.CUSTOMER)
    off = await a_person(Role.TECHNICIAN, email="off@example.com", deactivated_at=clock.now())
    both = await a_person(
        Role.DISPATCHER,
        Role.CUSTOMER,
        email="both@example.com",
        first_name="Zoe",
        totp_confirmed_at=clock.now(),
    )
    async with transaction() as session:
        await start_for_person(session, both, HERE, second_factor=True)
    listed = await staff.list_staff(SYSTEM)
    assert [each.id for each in listed] == [root.id, both.id, off.id]
    assert [each.is_active for each in listed] == [True, True, False]
    assert [each.has_factor for each in listed] == [False, True, False]
    assert [each.last_sign_in == "Never" for each in listed] == [True, False, True]
    assert (listed[1].roles, listed[1].held) == ("Dispatcher", ["dispatcher"])


async def test_the_command_restores_an_admin_without_factors(database):
    person = await a_person(
        Role.CUSTOMER,
        email="lost@example.com",
        deactivated_at=clock.now(),
        totp_seed="seed",
        totp_confirmed_at=clock.now(),
    )
    async with transaction() as session:
        session.add_all(
            [
                Passkey(person_id=person.id, credential_id="c", public_key="k"),
                RecoveryCode(person_id=person.id, code_hash="h"),
            ]
        )
    shared_token, own_token = await a_token(), await token_of(person)
    assert person.password_hash
    token = await staff.restore_admin("lost@example.com")
    assert row_of(Purpose.RESET, token)
    [restored] = await rows(Person)
    assert (restored.deactivated_at, restored.totp_seed) == (None, None)
    assert restored.password_hash is None  # whoever had it is not an admin by it
    assert await roles_of(person.id) == {"customer", "admin"}
    assert not await rows(Passkey)
    assert not await rows(RecoveryCode)
    assert await sessions.find_by_token(shared_token) is None
    assert await sessions.find_by_token(own_token) is None
    [entry] = await rows(AuditEntry, kind="roles_changed")
    assert entry.actor == "system"


async def test_the_command_adds_an_admin_where_there_is_nobody(database):
    await staff.restore_admin("new@example.com")
    [person] = await rows(Person)
    assert (person.email, person.password_hash) == ("new@example.com", None)
    assert await roles_of(person.id) == {"admin"}
    await staff.restore_admin("new@example.com")
    assert len(await rows(Person)) == 1


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
