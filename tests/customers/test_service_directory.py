"""The customers as the staff look them up."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM, Actor, NotAllowed, Role
from fuel_app.accounts.rules.staff import describe_kind, describe_values
from fuel_app.accounts.service import directory as people_directory
from fuel_app.accounts.service import staff
from fuel_app.accounts.service.sessions import start_for_person
from fuel_app.accounts.tables import Person
from fuel_app.areas.tables import Area
from fuel_app.customers.rules.customers import (
    PAGE_SIZE,
    CustomerGone,
    CustomerQuery,
    CustomerRow,
    NewNote,
)
from fuel_app.customers.service import directory, locations, vehicles
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.lists import Page
from fuel_app.plans.rules.plans import CANCELLED, INCOMPLETE, PAST_DUE
from fuel_app.plans.tables import Subscription
from fuel_app.preview.service.account import sample_customers
from tests.factories import UNKNOWN_ID, own_vehicle, place
from tests.helpers.members import actor_of, an_admin
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.open_area import open_area
from tests.helpers.people import a_person, rows
from tests.helpers.plan_money import join
from tests.staff import HERE

START = datetime(2026, 3, 9, 15, tzinfo=UTC)


async def a_customer(
    name: str = "Ada Lovelace", plan: str = "solo", zip_code: str = "34236", **differs: Any
) -> str:
    """Store a customer, each one a day after the one before. Return the id."""
    first, _, last = name.partition(" ")
    differs = {"email": f"{name.replace(' ', '.').lower()}@example.com"} | differs
    person = await a_person(Role.CUSTOMER, first_name=first, last_name=last, **differs)
    since = START + timedelta(days=len(await rows(StoredCustomer)))
    async with transaction() as session:
        session.add(
            StoredCustomer(
                person_id=person.id,
                created_at=since,
                address="1 Main Street",
                city="Sarasota",
                state="FL",
                zip_code=zip_code,
            )
        )
        session.add(Subscription(person_id=person.id, plan_id=plan))
    return person.id


async def page(**asked: Any) -> Page[CustomerRow]:
    return await directory.page(SYSTEM, CustomerQuery.parse(asked))


async def names(**asked: Any) -> list[str]:
    return [row.name for row in (await page(**asked)).rows]


async def three() -> None:
    await a_customer("Bob Stone", "family")
    await a_customer("Zoe Adams", "solo")
    await a_customer("Álvaro Núñez", "big-family", email="al@example.com")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["Álvaro Núñez", "Zoe Adams", "Bob Stone"]),
        ({"sort": "since"}, ["Bob Stone", "Zoe Adams", "Álvaro Núñez"]),
        ({"sort": "name"}, ["Bob Stone", "Zoe Adams", "Álvaro Núñez"]),
        ({"sort": "-name"}, ["Álvaro Núñez", "Zoe Adams", "Bob Stone"]),
        ({"sort": "plan"}, ["Álvaro Núñez", "Bob Stone", "Zoe Adams"]),
        ({"plan": "solo"}, ["Zoe Adams"]),
        ({"plan": "gold", "sort": "since"}, ["Bob Stone", "Zoe Adams", "Álvaro Núñez"]),
        ({"q": "ZOE A"}, ["Zoe Adams"]),
        ({"q": "stone@"}, ["Bob Stone"]),
        ({"q": "bob.stone@EXAMPLE"}, ["Bob Stone"]),
        ({"q": "Álva"}, ["Álvaro Núñez"]),
        ({"q": "%"}, []),
        ({"q": "_"}, []),
        ({"q": "o", "plan": "family"}, ["Bob Stone"]),
    ],
)
async def test_customers_are_searched_filtered_and_sorted(database, asked, found):
    await three()
    assert await names(**asked) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("nunez ALVARO", "Álvaro Núñez"),
        ("lukasz", "Łukasz O'Neil Jr."),
        ("oneil jr", "Łukasz O'Neil Jr."),
        ("o\u2019neil", "Łukasz O'Neil Jr."),
        ("hzy e82", "Zoe Adams"),
        ("HZYE82", "Zoe Adams"),
        ("1087 laurel", "Zoe Adams"),
        ("pena adams 4b", "Zoe Adams"),
        ("34239", "Zoe Adams"),
        ("33101", "Bob Stone"),
        ("14 Bay", "Bob Stone"),
        ("34239 stone", None),
    ],
)
async def test_callers_are_found_by_what_they_say_in_any_order(database, typed, found):
    await a_customer("Álvaro Núñez")
    await a_customer("Łukasz O'Neil Jr.", email="l@example.com")
    bob, zoe = await a_customer("Bob Stone", zip_code="33101"), await a_customer("Zoe Adams")
    async with transaction() as session:
        await session.execute(
            update(StoredCustomer)
            .where(col(StoredCustomer.person_id) == bob)
            .values(address="14 Bay Road")
        )
    await open_area("34239")
    await vehicles.save(zoe, own_vehicle(license_plate="HZY-E82"))
    for street, unit in (("1087 Laurel Street", ""), ("5 Peña Ct", "4B")):
        await locations.save(zoe, place(street=street, unit=unit, zip_code="34239"))
    assert await names(q=typed) == ([found] if found else [])


async def test_a_changed_name_is_found_by_the_new_one(database):
    ada = await a_customer(email="ada@example.com")
    async with transaction() as session:
        await people_directory.change_details(session, ada, {"last_name": "Núñez"})
    assert (await names(q="nunez"), await names(q="lovelace")) == (["Ada Núñez"], [])


async def test_customers_are_filtered_by_area_and_state(database):
    await open_area("34236")
    [area] = await rows(Area)
    now = clock.now()
    await a_customer("Here Now")
    await a_customer("Else Where", zip_code="33101")
    await a_customer("Off Line", deactivated_at=now)
    await a_customer("Going Away", deactivated_at=now, delete_at=now)
    assert await names(area=area.id, state="active") == ["Here Now"]
    assert await names(area=area.id) == ["Going Away", "Off Line", "Here Now"]
    assert await names(area=UNKNOWN_ID, state="nonsense", sort="since") == [
        *("Here Now", "Else Where", "Off Line", "Going Away")
    ]
    assert await names(state="active") == ["Else Where", "Here Now"]
    assert await names(state="deactivated") == ["Off Line"]
    assert await names(state="closing") == ["Going Away"]
    assert [row.is_closing for row in (await page()).rows] == [True, False, False, False]


async def test_customers_are_filtered_by_the_state_of_their_plan(database):
    await three()
    zoe = next(row.id for row in (await page()).rows if row.name == "Zoe Adams")
    async with transaction() as session:
        theirs = update(Subscription).where(col(Subscription.person_id) == zoe)
        starts = {"started_at": START, "period_starts": START.date()}
        ends = {"period_ends": START.date() + timedelta(days=31)}
        await session.execute(theirs.values(state=PAST_DUE, **starts, **ends))
    assert [(row.name, row.plan_state) for row in (await page(plan_state=PAST_DUE)).rows] == [
        ("Zoe Adams", PAST_DUE)
    ]
    assert await names(plan_state=INCOMPLETE) == ["Álvaro Núñez", "Bob Stone"]
    assert await names(plan_state=CANCELLED) == []
    assert len(await names(plan_state="nonsense")) == 3


@pytest.mark.parametrize(
    ("asked", "found"),
    [("PALM", ["Ada Lovelace"]), ("palé", ["Ada Lovelace"]), ("isles", []), ("%", [])],
    ids=["any case", "accents", "empty neighborhood", "wildcard"],
)
async def test_customers_are_filtered_by_a_part_of_their_neighborhoods_name(database, asked, found):
    ada, _ = await a_customer(), await a_customer("Zoe Adams")
    await join(await neighborhood("Pále Palm Grove", zip_code="34236"), ada)
    await neighborhood("Bay Isles", zip_code="34236")
    assert await names(neighborhood=asked) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("(941) 555-0188", ["Zoe Adams"]),
        ("+1 941.555.0188", ["Zoe Adams"]),
        ("0188", ["Zoe Adams"]),
        ("88", []),
        ("zoe 0188", []),
    ],
)
async def test_customers_are_found_by_a_phone_number_or_its_end(database, typed, found):
    await a_customer(phone="9415550123")
    await a_customer("Zoe Adams", phone="9415550188")
    assert await names(q=typed) == found


async def test_the_list_can_be_of_some_people_alone(database):
    ada, _ = await a_customer(), await a_customer("Zoe Adams")
    found = await directory.page(SYSTEM, CustomerQuery(), only=[ada])
    assert [row.id for row in found.rows] == [ada]
    assert (await directory.page(SYSTEM, CustomerQuery(), only=[])).total == 0


async def test_pages_follow_one_another_and_the_last_one_stands_for_those_beyond(database):
    for number in range(PAGE_SIZE + 2):
        await a_customer(f"Person {number:03}")
    first, last = await page(sort="name"), await page(sort="name", page="9")
    assert (first.total, first.pages, len(first.rows)) == (PAGE_SIZE + 2, 2, PAGE_SIZE)
    assert (last.page, [row.name for row in last.rows]) == (2, ["Person 050", "Person 051"])


async def test_deleted_people_and_people_who_are_no_customers_are_left_out(database):
    gone = await a_customer("Gone Away", deleted_at=clock.now())
    await a_person(Role.DISPATCHER)
    off = await a_customer("Off Line", deactivated_at=clock.now())
    assert [(row.id, row.is_active) for row in (await page()).rows] == [(off, False)]
    assert await directory.find(SYSTEM, gone) is None


async def test_one_customer_is_shown_with_the_last_sign_in(database):
    customer_id = await a_customer(plan="family", phone="9415550123")
    [person] = await rows(Person)
    found = await directory.find(SYSTEM, customer_id)
    assert found
    assert (found.last_sign_in, found.is_active, found.email_verified) == (None, True, True)
    assert found.address == "1 Main Street, Sarasota, FL 34236"
    async with transaction() as session:
        await start_for_person(session, person, HERE, second_factor=False)
    found = await directory.find(SYSTEM, customer_id)
    assert found
    assert found.last_sign_in
    assert found.last_sign_in.tzinfo


@pytest.mark.parametrize("person_id", [UNKNOWN_ID, "", None, 5, "\ud800", ["x"]])
async def test_an_unknown_customer_is_none(sqlite_database, person_id):
    assert await directory.find(SYSTEM, person_id) is None
    assert await directory.notes(SYSTEM, person_id) == []
    with pytest.raises(CustomerGone):
        await directory.add_note(SYSTEM, person_id, NewNote.parse({"text": "x"}))


async def test_a_note_names_its_author(database):
    customer_id = await a_customer()
    dispatcher = await actor_of(await a_person(Role.DISPATCHER, email="d@example.com"))
    for text in ("The gate is green", "  Call\nfirst "):
        await directory.add_note(dispatcher, customer_id, NewNote.parse({"text": text}))
    noted = await directory.notes(dispatcher, customer_id)
    assert [(note.text, note.author) for note in noted] == [
        ("Call\nfirst", "Ada Lovelace"),
        ("The gate is green", "Ada Lovelace"),
    ]
    entries = await rows(AuditEntry, kind="note_added")
    assert {entry.actor for entry in entries} == {dispatcher.person_id}
    assert "gate" not in str([entry.after for entry in entries])


@pytest.mark.parametrize("text", ["", "  ", None, "x" * 2001, ["x"]])
def test_a_note_has_1_to_2000_characters(text):
    assert NewNote.problems({"text": text})["text"]


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_customers_and_technicians_look_nobody_up(sqlite_database, role):
    customer_id = await a_customer()
    actor = Actor(frozenset({role}), customer_id, session_id="x")
    query = CustomerQuery()
    for refused in (
        sample_customers(actor, query),
        directory.page(actor, query),
        directory.find(actor, customer_id),
        directory.notes(actor, customer_id),
        directory.add_note(actor, customer_id, NewNote.parse({"text": "x"})),
        staff.list_changes(actor, customer_id),
    ):
        with pytest.raises(NotAllowed):
            await refused


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        *((typed, ["Sarah Johnson"]) for typed in ("", "JOHNSON", " sárah.J ", "example.com")),
        *((typed, []) for typed in ("nobody", "%", "johnson sarah")),
    ],
)
async def test_the_sample_is_found_by_name_or_email(sqlite_database, typed, names):
    found = await sample_customers(SYSTEM, CustomerQuery.parse({"q": typed}))
    assert found
    assert ([row.name for row in found.found], found.chosen) == (names, None)


async def test_the_audit_log_of_a_person_is_worded(database):
    _, admin = await an_admin()
    customer_id = await a_customer()
    await staff.set_roles(admin, customer_id, [Role.DISPATCHER])
    await staff.deactivate(admin, customer_id)
    read = await staff.list_changes(admin, customer_id)
    assert [(each.what, each.before, each.after, each.who) for each in read] == [
        ("Account deactivated", "", "", "Rear Admiral"),
        ("Roles changed", "No roles", "Dispatcher", "Rear Admiral"),
    ]
    assert await staff.list_changes(admin, "x") == []


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (None, ""),
        ({"note": UNKNOWN_ID, "invited_by": UNKNOWN_ID}, ""),
        ({"device": "Chrome", "network": "203.0.x.x"}, "Chrome, 203.0.x.x"),
        ({"what": "passkey"}, "passkey"),
        ({"fields": ["first_name", "phone"]}, "first name, phone"),
        ({"roles": ["admin", "gone"]}, "Admin"),
    ],
)
def test_stored_values_are_worded(values, text):
    assert describe_values(values) == text


def test_an_unknown_kind_is_worded_too():
    assert describe_kind("noted_elsewhere") == "Noted elsewhere"
