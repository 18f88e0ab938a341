"""People of a company: invited once, given roles and sites, removed; one owner stays."""

import asyncio

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.rules.staff import EmailHasAccount, NewAccount
from fuel_app.accounts.tables import Person
from fuel_app.companies.rules.companies import CompanyGone, StateChange
from fuel_app.companies.rules.people import (
    MOST_PEOPLE,
    Action,
    CompanyInvitationGone,
    CompanyInvite,
    CompanyRole,
    IsMember,
    LastOwner,
    MemberChange,
    MemberGone,
    OtherPersonsInvitation,
    TooManyPeople,
)
from fuel_app.companies.service import access, companies, people
from fuel_app.companies.tables import CompanyInvitation, CompanyPerson
from fuel_app.kit import clock, secrets
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.messages.rules.kinds import INVITED_TO_COMPANY
from tests.factories import UNKNOWN_ID
from tests.helpers.companies import ADMIN, DISPATCHER, a_company, a_member, site_ids
from tests.helpers.members import STRONG
from tests.helpers.people import a_person, messages, rows
from tests.staff import HERE

OWNER, MANAGER, ACCOUNTANT, VIEWER = CompanyRole
ANN = "ann@palm.example"


def an_invite(role: CompanyRole = MANAGER, email: str = ANN, *sites: str) -> CompanyInvite:
    return CompanyInvite.parse({"email": email, "role": role, "sites": list(sites)})


def a_change(role: CompanyRole, *sites: str) -> MemberChange:
    return MemberChange.parse({"role": role, "sites": list(sites)})


def new_account() -> NewAccount:
    return NewAccount.parse({"first_name": "Ann", "last_name": "Bly", "password": STRONG})


async def the_link() -> str:
    """Return the link's token of the invitation that was sent last."""
    return secrets.token(INVITED_TO_COMPANY, await the_id())


async def the_id() -> str:
    """Return the id of the invitation that was sent last."""
    mails = await messages("company_invitation")
    return mails[-1].payload["company_invitation"]


async def kinds(company_id: str) -> list[str]:
    found = await rows(AuditEntry, noun="company", subject_id=company_id)
    return [each.kind for each in sorted(found, key=lambda each: each.number)]


async def test_the_founded_company_has_one_invitation_and_its_owner_joins_by_it(database):
    company_id = await a_company()
    found = await people.find_invitation(await the_link())
    assert found
    assert (found.company, found.email, found.role) == (
        "Palm Plumbing",
        "owner@palm.example",
        "Owner",
    )
    signed_in = await people.accept_as_new(await the_link(), new_account(), HERE)
    assert signed_in.ticket
    [member] = await rows(CompanyPerson, company_id=company_id)
    assert (member.role, member.sites) == ("owner", None)
    with pytest.raises(CompanyInvitationGone):
        await people.accept_as_new(await the_link(), new_account(), HERE)
    assert await kinds(company_id) == ["founded", "joined"]


async def test_of_two_tabs_that_accept_at_once_one_joins(database):
    company_id = await a_company()
    person = await a_person(email="owner@palm.example")
    actor, link = Actor(person_id=person.id), await the_id()
    outcomes = await asyncio.gather(
        *(people.accept_as_person(actor, link) for _ in range(4)), return_exceptions=True
    )
    assert [type(each) for each in outcomes].count(CompanyInvitationGone) == 3
    assert len(await rows(CompanyPerson, company_id=company_id)) == 1


async def test_an_invitation_that_is_replaced_while_it_is_accepted_locks_in_one_order(database):
    company_id = await a_company()
    person = await a_person(email="owner@palm.example")
    again = CompanyInvite.parse({"email": "owner@palm.example", "role": "owner", "sites": []})
    outcomes = await asyncio.gather(
        people.accept_as_person(Actor(person_id=person.id), await the_id()),
        *(people.invite(DISPATCHER, company_id, again) for _ in range(3)),
        return_exceptions=True,
    )
    calm = (CompanyInvitationGone, IsMember)
    assert all(isinstance(each, calm) for each in outcomes if isinstance(each, Exception))


async def test_a_forwarded_invitation_lets_nobody_else_in(sqlite_database):
    await a_company()
    other = await a_person(email="eve@example.com")
    with pytest.raises(OtherPersonsInvitation):
        await people.accept_as_person(Actor(person_id=other.id), await the_id())
    unverified = await a_person(email="owner@palm.example", email_verified_at=None)
    with pytest.raises(OtherPersonsInvitation):
        await people.accept_as_person(Actor(person_id=unverified.id), await the_id())
    with pytest.raises(EmailHasAccount):
        await people.accept_as_new(await the_link(), new_account(), HERE)
    [row] = await rows(CompanyInvitation)
    assert row.accepted_at is None
    with pytest.raises(CompanyInvitationGone):
        await people.accept_as_person(Actor(person_id=other.id), "no token")


async def test_an_invitation_ends_by_time_withdrawal_a_newer_one_and_closing(sqlite_database):
    other = await a_company(name="Other", owner_email="x@example.com")
    company_id = await a_company()
    owner = await a_member(company_id)
    await people.invite(owner, company_id, an_invite())
    former = await the_link()
    await people.invite(owner, company_id, an_invite(VIEWER))
    assert await people.find_invitation(former) is None
    newest = await people.find_invitation(await the_link())
    assert newest
    assert not await people.withdraw(owner, company_id, UNKNOWN_ID)
    assert not await people.withdraw(DISPATCHER, other, newest.id)
    assert await people.withdraw(owner, company_id, newest.id)
    assert await people.find_invitation(await the_link()) is None
    await people.invite(owner, company_id, an_invite())
    await companies.set_state(ADMIN, company_id, "closed", StateChange(reason="Sold"))
    assert await people.find_invitation(await the_link()) is None
    with pytest.raises(NotAllowed):
        await people.invite(DISPATCHER, company_id, an_invite())


async def test_an_expired_invitation_is_gone(sqlite_database):
    await a_company()
    async with transaction() as session:
        [row] = await rows(CompanyInvitation)
        row.expires_at = clock.now()
        await session.merge(row)
    assert await people.find_invitation(await the_link()) is None


async def test_people_and_invitations_are_listed_with_their_sites(sqlite_database):
    company_id = await a_company()
    sites = await site_ids(company_id)
    owner = await a_member(company_id)
    await a_member(company_id, MANAGER, sites=[sites["Main yard"]])
    await a_member(company_id, VIEWER, sites=[UNKNOWN_ID])
    listed = await people.list_people(owner, company_id)
    assert {(each.role, each.sites) for each in listed if not each.is_invitation} == {
        ("owner", "All sites"),
        ("manager", "Main yard"),
        ("viewer", "No site any more"),
    }
    assert [each.email for each in listed if each.is_invitation] == ["owner@palm.example"]
    assert [each.role for each in listed if each.is_you] == ["owner"]


async def test_only_owners_and_staff_change_people(sqlite_database):
    company_id = await a_company()
    owner = await a_member(company_id)
    for role in (MANAGER, ACCOUNTANT, VIEWER):
        member = await a_member(company_id, role)
        for refused in (
            people.invite(member, company_id, an_invite()),
            people.change_member(member, company_id, owner.person_id, a_change(VIEWER)),
            people.remove_member(member, company_id, owner.person_id),
        ):
            with pytest.raises(NotAllowed):
                await refused
    with pytest.raises(NotAllowed):
        await people.list_people(member_of(company_id, ACCOUNTANT, await actors()), company_id)
    stranger = Actor(frozenset({Role.CUSTOMER}), person_id=UNKNOWN_ID)
    with pytest.raises(CompanyGone):
        await people.list_people(stranger, company_id)
    await people.invite(DISPATCHER, company_id, an_invite(MANAGER))


async def actors() -> list[CompanyPerson]:
    return await rows(CompanyPerson)


def member_of(company_id: str, role: CompanyRole, known: list[CompanyPerson]) -> Actor:
    found = next(each for each in known if each.role == role and each.company_id == company_id)
    return Actor(frozenset({Role.CUSTOMER}), person_id=found.person_id)


async def test_an_owner_of_another_company_reaches_nothing(sqlite_database):
    mine, theirs = await a_company(), await a_company(name="Other", owner_email="o@o.example")
    owner = await a_member(mine)
    await a_member(theirs, email="b@o.example")
    [victim] = await rows(CompanyPerson, company_id=theirs)
    for refused in (
        people.list_people(owner, theirs),
        people.invite(owner, theirs, an_invite()),
        people.remove_member(owner, theirs, victim.person_id),
        people.list_people(owner, "no id"),
    ):
        with pytest.raises(CompanyGone):
            await refused
    with pytest.raises(MemberGone):
        await people.remove_member(owner, mine, victim.person_id)


async def test_the_last_owner_stays_and_others_leave(database):
    company_id = await a_company()
    owner, viewer = await a_member(company_id), await a_member(company_id, VIEWER)
    with pytest.raises(LastOwner):
        await people.remove_member(owner, company_id, owner.person_id)
    with pytest.raises(LastOwner):
        await people.change_member(owner, company_id, owner.person_id, a_change(MANAGER))
    await people.remove_member(viewer, company_id, viewer.person_id)
    with pytest.raises(CompanyGone):
        await people.list_people(viewer, company_id)
    second = await a_member(company_id, email="second@palm.example")
    outcomes = await asyncio.gather(
        people.remove_member(owner, company_id, owner.person_id),
        people.remove_member(second, company_id, second.person_id),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["LastOwner", "NoneType"]


async def test_an_owner_whose_account_is_deactivated_is_removed_while_another_stays(
    sqlite_database,
):
    company_id = await a_company()
    owner, gone = await a_member(company_id), await a_member(company_id, email="gone@palm.example")
    async with transaction() as session:
        person = await session.get_one(Person, gone.person_id)
        person.deactivated_at = clock.now()
    with pytest.raises(LastOwner):
        await people.remove_member(owner, company_id, owner.person_id)
    await people.remove_member(owner, company_id, gone.person_id)


async def test_a_member_gets_another_role_and_sites(sqlite_database):
    company_id = await a_company()
    sites = await site_ids(company_id)
    owner, manager = await a_member(company_id), await a_member(company_id, MANAGER)
    await people.change_member(
        owner, company_id, manager.person_id, a_change(VIEWER, sites["Main yard"])
    )
    async with reading() as session:
        now = await access.allow(session, manager, company_id, Action.SEE_SITES)
        with pytest.raises(NotAllowed):
            await access.allow(session, manager, company_id, Action.CHANGE_SITES)
    assert now.sites == {sites["Main yard"]}
    await people.change_member(owner, company_id, manager.person_id, a_change(OWNER))
    await people.change_member(owner, company_id, owner.person_id, a_change(MANAGER))
    assert (await kinds(company_id))[-1] == "role_changed"


async def test_a_member_is_not_invited_and_rises_by_an_invitation_sent_before(sqlite_database):
    company_id = await a_company()
    owner = await a_member(company_id, email="boss@palm.example")
    with pytest.raises(IsMember):
        await people.invite(owner, company_id, an_invite(VIEWER, "boss@palm.example"))
    viewer = await a_member(company_id, VIEWER, email="owner@palm.example")
    await people.accept_as_person(viewer, await the_id())
    [member] = await rows(CompanyPerson, person_id=viewer.person_id)
    assert member.role == "owner"


async def test_an_invitation_does_not_make_the_last_owner_less(sqlite_database):
    company_id = await a_company(owner_email="first@palm.example")
    await people.invite(DISPATCHER, company_id, an_invite(VIEWER, "late@palm.example"))
    owner = await a_member(company_id, email="late@palm.example")
    with pytest.raises(LastOwner):
        await people.accept_as_person(owner, await the_id())


async def test_a_company_has_room_for_so_many_and_a_person_sends_so_many(
    sqlite_database, monkeypatch
):
    company_id = await a_company()
    owner = await a_member(company_id)
    monkeypatch.setattr(people, "MOST_PEOPLE", 3)
    await people.invite(owner, company_id, an_invite())
    await people.invite(owner, company_id, an_invite())  # in place of the one before
    with pytest.raises(TooManyPeople):
        await people.invite(owner, company_id, an_invite(VIEWER, "b@palm.example"))
    assert MOST_PEOPLE == 200
    for _ in range(3):
        await people.invite(owner, company_id, an_invite())
    with pytest.raises(TooManyRequests):  # to one mailbox, plus tags aside
        await people.invite(owner, company_id, an_invite(MANAGER, "ann+1@palm.example"))


async def test_invitations_of_who_was_removed_end_with_them(sqlite_database):
    company_id = await a_company()
    owner, other = await a_member(company_id), await a_member(company_id, email="b@palm.example")
    await people.invite(other, company_id, an_invite(OWNER, "private@b.example"))
    link = await the_link()
    await people.remove_member(owner, company_id, other.person_id)
    assert await people.find_invitation(link) is None


async def test_an_invitation_to_a_company_that_closes_meanwhile_is_gone(sqlite_database):
    company_id = await a_company()
    person = await a_person(email="owner@palm.example")
    invitation = await the_id()
    await companies.set_state(ADMIN, company_id, "closed", StateChange(reason="Sold"))
    with pytest.raises(CompanyInvitationGone):
        await people.accept_as_person(Actor(person_id=person.id), invitation)


async def test_who_waits_for_the_lock_of_a_company_that_removes_them_is_refused(database):
    company_id = await a_company()
    owner, other = await a_member(company_id), await a_member(company_id, email="b@palm.example")
    outcomes = await asyncio.gather(
        people.remove_member(owner, company_id, other.person_id),
        people.invite(other, company_id, an_invite(OWNER, "private@b.example")),
        return_exceptions=True,
    )
    assert outcomes[0] is None
    invited = await rows(CompanyInvitation, email="private@b.example")
    assert all(each.withdrawn_at for each in invited)


async def test_who_is_limited_reads_no_other_sites_names(sqlite_database):
    company_id = await a_company()
    sites = await site_ids(company_id)
    viewer = await a_member(company_id, VIEWER, sites=[sites["Main yard"]])
    await a_member(company_id, MANAGER, sites=[sites["Back lot"]])
    shown = {each.sites for each in await people.list_people(viewer, company_id)}
    assert "Back lot" not in shown


async def test_a_person_turns_to_one_of_their_companies(sqlite_database):
    first, second = await a_company(name="A"), await a_company(name="B")
    person = await a_member(first, VIEWER)
    assert (await access.find_membership(person.person_id, "")).company_id == first  # type: ignore[union-attr]
    async with transaction() as session:
        session.add(CompanyPerson(company_id=second, person_id=person.person_id, role="owner"))
    await access.choose(person, second)
    chosen = await access.find_membership(person.person_id, None)
    assert chosen
    assert (chosen.company_id, chosen.role) == (second, OWNER)
    assert [each.company_name for each in await access.list_memberships(person.person_id)] == [
        "B",
        "A",
    ]
    assert (await access.find_membership(person.person_id, first)).company_name == "A"  # type: ignore[union-attr]
    assert await access.find_membership(person.person_id, UNKNOWN_ID) is None
    with pytest.raises(NotAllowed):
        await access.choose(person, UNKNOWN_ID)


async def test_who_closes_the_account_leaves_but_not_as_the_last_owner(sqlite_database):
    company_id, closed = await a_company(), await a_company(name="Closed")
    owner = await a_member(company_id)
    async with transaction() as session:
        session.add(CompanyPerson(company_id=closed, person_id=owner.person_id, role="owner"))
    await companies.set_state(ADMIN, closed, "closed", StateChange(reason="Sold"))
    with pytest.raises(LastOwner):
        async with transaction() as session:
            await people.leave_all(session, owner.person_id)
    await a_member(company_id, email="second@palm.example")
    async with transaction() as session:
        assert await people.export_person(session, owner.person_id) == {
            "companies": [
                {"company": "Closed", "role": "owner"},
                {"company": "Palm Plumbing", "role": "owner"},
            ]
        }
        await people.leave_all(session, owner.person_id)
        await people.erase_person(session, "owner@palm.example")
    assert await access.list_memberships(owner.person_id) == []
    assert {each.email for each in await rows(CompanyInvitation)} == {""}


async def test_a_signed_in_person_finds_their_own_invitation(sqlite_database):
    company_id = await a_company()
    person = await a_person(email="owner@palm.example")
    owner = Actor(frozenset({Role.CUSTOMER}), person_id=person.id)
    found = await people.find_own_invitation(owner)
    assert found
    assert (found.company, found.person_id) == ("Palm Plumbing", person.id)
    assert await people.find_own_invitation(Actor()) is None
    unverified = await a_person(email="new@palm.example", email_verified_at=None)
    assert await people.find_own_invitation(Actor(person_id=unverified.id)) is None
    await companies.set_state(ADMIN, company_id, "closed", StateChange(reason="Sold"))
    assert await people.find_own_invitation(owner) is None
