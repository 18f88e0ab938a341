"""Invitations of staff."""

import asyncio

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.rules.staff import (
    EmailHasAccount,
    HasRoles,
    InvitationGone,
    Invite,
    IsDeactivated,
    OtherAccount,
)
from fuel_app.accounts.service import sessions, staff
from fuel_app.accounts.tables import Person, PersonRole, StoredSession
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.outbox import Message
from fuel_app.membership import service as membership
from tests.helpers.members import actor_of, an_admin, invited, new_account, session_of, token_of
from tests.helpers.people import a_person, history, messages, rows
from tests.staff import HERE

ZOE = "zoe@example.com"


async def roles_of(person_id: str) -> set[str]:
    return {row.role for row in await rows(PersonRole, person_id=person_id)}


async def test_an_invited_person_joins_the_staff(database):
    _, admin = await an_admin()
    link = await invited(admin, ZOE, Role.DISPATCHER, Role.TECHNICIAN)
    [message] = await messages("invitation")
    assert (message.payload["by"], link in str(message)) == ("Rear Admiral", False)
    [entry] = await rows(AuditEntry, kind="invited")
    assert (entry.actor, entry.after) == (admin.person_id, {"roles": ["dispatcher", "technician"]})
    shown = await staff.find_invitation(link)
    assert shown
    assert (shown.email, shown.by, shown.person_id) == (ZOE, "Rear Admiral", "")
    signed_in = await staff.accept_invitation(link, new_account(), HERE)
    [person] = await rows(Person, email=ZOE)
    assert person.email_verified_at
    assert await roles_of(person.id) == {"dispatcher", "technician"}
    session = await sessions.find(signed_in.session_id)
    assert session
    assert (session.person_id, session.is_staff) == (person.id, True)
    assert await history(person.id) == [
        ("roles_changed", {"roles": ["dispatcher", "technician"], "invited_by": admin.person_id}),
        ("signed_in", {"device": HERE.device, "network": "203.0.x.x"}),
    ]


async def test_an_invitation_works_once(database):
    _, admin = await an_admin()
    link = await invited(admin, ZOE, Role.DISPATCHER)
    outcomes = await asyncio.gather(
        *(staff.accept_invitation(link, new_account(), HERE) for _ in range(4)),
        return_exceptions=True,
    )
    assert [type(each) for each in outcomes].count(InvitationGone) == 3
    assert len(await rows(Person, email=ZOE)) == 1
    assert len(await rows(StoredSession)) == 2  # with the admin's
    assert await staff.find_invitation(link) is None


@pytest.mark.parametrize("damage", [str.upper, lambda link: link[:-1], lambda _: None])
async def test_an_unknown_link_opens_nothing(sqlite_database, damage):
    _, admin = await an_admin()
    link = damage(await invited(admin, ZOE, Role.DISPATCHER))
    assert await staff.find_invitation(link) is None
    with pytest.raises(InvitationGone):
        await staff.accept_invitation(link, new_account(), HERE)


async def test_a_replaced_or_withdrawn_invitation_opens_nothing(database):
    _, admin = await an_admin()
    replaced = await invited(admin, ZOE, Role.ADMIN)
    link = await invited(admin, ZOE, Role.TECHNICIAN)
    [shown] = await staff.list_invitations(admin)
    assert (shown.email, shown.roles, shown.by) == (ZOE, "Technician", "Rear Admiral")
    assert await staff.find_invitation(replaced) is None
    assert await staff.find_invitation(link)
    assert await staff.withdraw_invitation(admin, shown.id)
    assert not await staff.withdraw_invitation(admin, shown.id)
    assert not await staff.withdraw_invitation(admin, "x")
    assert await staff.find_invitation(link) is None
    assert await staff.list_invitations(admin) == []
    [entry] = await rows(AuditEntry, kind="withdrawn")
    assert entry.subject_id == shown.id


async def test_only_admins_invite(sqlite_database):
    _, admin = await an_admin()
    await invited(admin, ZOE, Role.ADMIN)
    [shown] = await staff.list_invitations(admin)
    actor = await actor_of(await a_person(Role.DISPATCHER))
    with pytest.raises(NotAllowed):
        await staff.invite(actor, Invite.parse({"email": "a@example.com", "roles": ["admin"]}))
    with pytest.raises(NotAllowed):
        await staff.withdraw_invitation(actor, shown.id)
    with pytest.raises(NotAllowed):
        await staff.list_invitations(actor)
    assert len(await rows(Message)) == 1


async def test_an_admin_who_is_none_any_more_invites_nobody(sqlite_database):
    _, admin = await an_admin()
    other, actor = await an_admin("2@example.com")
    await staff.set_roles(admin, other.id, [Role.DISPATCHER])
    with pytest.raises(NotAllowed):
        await invited(actor, ZOE, Role.ADMIN)


async def test_a_customer_accepts_signed_in_and_signs_in_anew(database):
    _, admin = await an_admin()
    person = await a_person(Role.CUSTOMER, email=ZOE)
    link = await invited(admin, ZOE, Role.DISPATCHER)
    shown = await staff.find_invitation(link)
    assert shown
    assert shown.person_id == person.id
    here, elsewhere = await token_of(person), await token_of(person)
    await staff.accept_own_invitation((await session_of(here)).actor)
    assert await roles_of(person.id) == {"customer", "dispatcher"}
    assert await sessions.find_by_token(here) is None
    assert await sessions.find_by_token(elsewhere) is None
    assert await rows(StoredSession, person_id=person.id) == []
    assert await staff.find_invitation(link) is None
    with pytest.raises(InvitationGone):
        await staff.accept_own_invitation(await actor_of(person))


async def test_of_two_at_once_who_accept_one_succeeds(database):
    _, admin = await an_admin()
    actor = await actor_of(await a_person(Role.CUSTOMER, email=ZOE))
    await invited(admin, ZOE, Role.DISPATCHER)
    outcomes = await asyncio.gather(
        *(staff.accept_own_invitation(actor) for _ in range(2)), return_exceptions=True
    )
    assert outcomes.count(None) == 1


async def test_a_signed_in_persons_own_invitation_needs_no_link(database):
    _, admin = await an_admin()
    person = await a_person(Role.CUSTOMER, email=ZOE)
    actor = await actor_of(person)
    assert await staff.find_own_invitation(actor) is None
    await invited(admin, ZOE, Role.DISPATCHER)
    found = await staff.find_own_invitation(actor)
    assert found
    assert (found.email, found.by, found.person_id) == (ZOE, "Rear Admiral", person.id)
    assert await staff.find_own_invitation(admin) is None
    assert await staff.find_own_invitation(Actor()) is None


async def test_nobody_accepts_for_somebody_else_or_with_an_e_mail_not_verified(database):
    _, admin = await an_admin()
    unverified = await actor_of(await a_person(Role.CUSTOMER, email=ZOE, email_verified_at=None))
    other = await actor_of(await a_person(Role.CUSTOMER))
    link = await invited(admin, ZOE, Role.ADMIN)
    assert await staff.find_own_invitation(unverified) is None
    for actor in (unverified, other):
        with pytest.raises(InvitationGone):
            await staff.accept_own_invitation(actor)
    with pytest.raises(EmailHasAccount):
        await staff.accept_invitation(link, new_account(), HERE)
    assert await roles_of(other.person_id) == {"customer"}
    assert await staff.find_invitation(link)


async def test_an_ended_session_accepts_nothing(sqlite_database):
    _, admin = await an_admin()
    person = await a_person(Role.CUSTOMER, email=ZOE)
    actor = await actor_of(person)
    await sessions.sign_out(actor.session_id)
    await invited(admin, ZOE, Role.DISPATCHER)
    with pytest.raises(OtherAccount):
        await staff.accept_own_invitation(actor)
    assert await roles_of(person.id) == {"customer"}


async def test_a_guessable_password_leaves_the_invitation_open(sqlite_database):
    _, admin = await an_admin()
    link = await invited(admin, ZOE, Role.DISPATCHER)
    with pytest.raises(InvalidForm):
        await staff.accept_invitation(link, new_account(password="password-1!"), HERE)
    assert await staff.find_invitation(link)


async def test_roles_that_a_person_has_are_not_given_again(sqlite_database):
    _, admin = await an_admin()
    await a_person(Role.DISPATCHER, email=ZOE)
    with pytest.raises(HasRoles):
        await invited(admin, ZOE, Role.DISPATCHER)
    await invited(admin, ZOE, Role.DISPATCHER, Role.ADMIN)


async def test_the_deactivated_are_reactivated_and_not_invited(sqlite_database):
    _, admin = await an_admin()
    person = await a_person(Role.CUSTOMER, email=ZOE)
    link = await invited(admin, ZOE, Role.DISPATCHER)
    await staff.deactivate(admin, person.id)
    assert await staff.find_invitation(link) is None
    with pytest.raises(IsDeactivated):
        await invited(admin, ZOE, Role.DISPATCHER)


@pytest.mark.parametrize("loses", ["account", "own account", "role"])
async def test_an_invitation_does_not_outlive_its_inviter(database, loses):
    _, admin = await an_admin()
    other, inviter = await an_admin("2@example.com")
    link, stays = (
        await invited(inviter, ZOE, Role.ADMIN),
        await invited(admin, "bob@example.com", Role.ADMIN),
    )
    if loses == "account":
        await staff.deactivate(admin, other.id)
    elif loses == "own account":
        await membership.close(await session_of(await token_of(other)), HERE)
    else:
        await staff.set_roles(admin, other.id, [Role.DISPATCHER])
    assert await staff.find_invitation(link) is None
    assert await staff.find_invitation(stays)
