"""Leads of customers: deleting one takes it off the list, and leaves the customer their entry."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from sqlalchemy import insert, select, update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.tables import Person
from fuel_app.customers.service import neighborhood as own
from fuel_app.customers.tables import StoredCustomer
from fuel_app.joining import service as joining
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.leads.rules import DELETE, LeadQuery
from fuel_app.leads.tables import Lead
from fuel_app.membership.jobs import erase_due
from fuel_app.neighborhoods.rules import MemberQuery
from fuel_app.neighborhoods.state import PersonLine
from fuel_app.office import service as office
from fuel_app.submissions import service as submissions
from fuel_app.submissions.tables import LeadImport
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.helpers.bookings import STAFF
from tests.helpers.jobs import run_due
from tests.helpers.leads import fleet, joined
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.plan_money import a_customer
from tests.helpers.undoing import undone

pytestmark = pytest.mark.usefixtures("database")

ALICE = Actor(frozenset({Role.DISPATCHER}), person_id="alice")


async def a_member(palms: str | None, number: int = 0, **differs: str) -> tuple[str, str]:
    """Return a customer who was a lead first, and that lead."""
    lead, person = await joined(**differs), await a_customer(number)
    if palms:
        await joining.join(lead, palms)
    await link(person, lead)
    return person, lead


async def link(person: str, lead: str) -> None:
    async with transaction() as session:
        (await session.get_one(StoredCustomer, person)).submission_id = lead


async def entry_of(person: str) -> str | None:
    async with reading() as session:
        return (await session.get_one(StoredCustomer, person)).submission_id


async def counts(neighborhood_id: str) -> tuple[int, int]:
    """Return the members shown, and those who count for the discount."""
    found = await office.neighborhood_detail(neighborhood_id, MemberQuery(), actor=STAFF)
    assert found
    assert len(found.members) == found.neighborhood.members
    return found.neighborhood.members, found.confirmed


async def listed() -> set[str]:
    return {row.id for row in (await submissions.list_page(LeadQuery(), actor=STAFF)).rows}


async def one(lead: str) -> str:
    return (await submissions.change_lead(lead, 0, DELETE, actor=ALICE)).action_id


async def chosen(lead: str) -> str:
    return (await submissions.change_selected({lead: 0}, DELETE, actor=ALICE)).action_id


async def every(_lead: str) -> str:
    done = [each async for each in submissions.change_all(LeadQuery(), DELETE, actor=ALICE)]
    return done[-1].action_id


Delete = Callable[[str], Awaitable[str]]


@pytest.mark.parametrize("delete", [one, chosen, every])
async def test_customer_stays_a_member_when_their_lead_is_deleted_and_restored(delete: Delete):
    palms = await neighborhood("Palms")
    person, lead = await a_member(palms)
    assert await counts(palms) == (1, 1)
    action = await delete(lead)
    assert await listed() == set()
    membership = await own.membership(person)
    assert membership.neighborhood
    assert (membership.neighborhood.name, membership.confirmed) == ("Palms", 1)
    assert (await entry_of(person), await counts(palms)) == (lead, (1, 1))
    assert (await undone(action)).left == 0
    assert await listed() == {lead}
    assert (await entry_of(person), await counts(palms)) == (lead, (1, 1))


async def test_restored_lead_does_not_make_a_customer_the_pioneer_again_who_has_left():
    person, lead = await a_member(None)
    palms = (await joining.create(lead, "Palms", "34236")).id
    friend = await joined(referrer=lead)
    action = await one(lead)
    assert (await own.membership(person)).is_pioneer
    await own.leave(person)
    await undone(action)
    assert (await own.membership(person)).neighborhood is None
    found = await office.neighborhood_detail(palms, MemberQuery(), actor=STAFF)
    assert found
    assert (found.pioneer, found.neighborhood.members) == (None, 0)
    async with reading() as session:
        assert (await session.get_one(WaitlistSubmission, friend)).referred_by_id == lead


async def test_lead_of_an_account_that_was_emptied_meanwhile_stays_away():
    person, lead = await a_member(await neighborhood("Palms"))
    action, now = await one(lead), clock.now()
    async with transaction() as session:
        theirs = update(Person).where(col(Person.id) == person)
        await session.execute(theirs.values(deactivated_at=now, delete_at=now))
    assert await erase_due(now + timedelta(seconds=1)) == 1
    assert (await undone(action)).changed == 0
    assert await listed() == set()
    async with reading() as session:
        assert await session.scalar(select(WaitlistSubmission)) is None


async def test_undone_import_keeps_the_entries_of_those_who_have_become_customers():
    palms = await neighborhood("Palms")
    person, lead = await a_member(palms)
    other = await joined()
    await joining.join(other, palms)
    async with transaction() as session:
        done = {"header": [], "state": "done", "under_way": None, "actor": "x"}
        await session.execute(insert(LeadImport), [{"id": "i", "file_name": "a.csv"} | done])
        await session.execute(update(Lead).values(import_id="i"))
    assert await counts(palms) == (2, 1)
    await submissions.undo_import("i", actor=STAFF)
    await run_due()
    assert await listed() == set()
    assert (await entry_of(person), await counts(palms)) == (lead, (1, 1))


async def test_lead_deleted_while_its_customer_signs_up_stays_theirs():
    """The sign-up has locked the entry, and links it before the delete goes on."""
    lead, person = await joined(), await a_customer()
    held, asked = asyncio.Event(), asyncio.Event()

    async def signs_up() -> None:
        async with transaction() as session:
            theirs = update(WaitlistSubmission).where(col(WaitlistSubmission.id) == lead)
            await session.execute(theirs.values(status="Closed Won"))
            held.set()
            await asked.wait()
            (await session.get_one(StoredCustomer, person)).submission_id = lead

    async def deletes() -> None:
        await held.wait()
        asked.set()
        await one(lead)

    await asyncio.gather(signs_up(), deletes())
    assert (await entry_of(person), await listed()) == (lead, set())


async def test_customers_among_leads_are_named_with_what_they_keep():
    palms = await neighborhood("Palms")
    _, ada = await a_member(palms, 1, first_name="Ada", last_name="Byron")
    _, sam = await a_member(None, 2, first_name="Sam", last_name="Rivera")
    nobody, quote = await joined(first_name="Nobody"), await fleet()
    assert await submissions.customers_among([nobody, quote, "no id"], actor=STAFF) == []
    found = await submissions.customers_among([sam, nobody, ada, quote], actor=STAFF)
    assert [(each.name, each.is_member) for each in found] == [
        ("Ada Byron", True),
        ("Sam Rivera", False),
    ]
    for query, names in (
        (LeadQuery(), ["Ada Byron", "Sam Rivera"]),
        (LeadQuery.parse({"q": "rivera"}), ["Sam Rivera"]),
        (LeadQuery.parse({"type": "fleet"}), []),
    ):
        assert [
            each.name for each in await submissions.customers_among(None, query, actor=STAFF)
        ] == names


async def test_member_whose_lead_is_deleted_has_no_link_to_it():
    palms = await neighborhood("Palms")
    _, lead = await a_member(palms)
    other = await joined()
    await joining.join(other, palms)
    await one(lead)
    found = await office.neighborhood_detail(palms, MemberQuery(), actor=STAFF)
    assert found
    assert {each.id: each.is_listed for each in found.members} == {lead: False, other: True}
    assert {each.id: PersonLine.of(each).lead for each in found.members} == {
        lead: "",
        other: f"/submissions?lead={other}",
    }
