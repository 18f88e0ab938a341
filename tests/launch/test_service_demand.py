"""Where people wait, how far the waves are, and the funnel."""

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.db.session import transaction
from fuel_app.launch import jobs
from fuel_app.launch.rules import Funnel, FunnelLine
from fuel_app.launch.service import waves
from fuel_app.leads.rules import LOST
from tests.helpers.launch import ADMIN, NOON, a_neighborhood, area_opened_before, start, waits
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP
from tests.helpers.outbox import set_clock
from tests.helpers.people import a_person
from tests.helpers.stored_bookings import a_booking


@pytest.fixture
async def area(database, monkeypatch) -> str:
    set_clock(monkeypatch, NOON)
    area_id = await area_opened_before()
    return area_id


async def becomes_customer(submission_id: str, email: str) -> str:
    person = await a_person(email=email)
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, submission_id=submission_id))
    return person.id


async def test_zips_count_people_without_an_account(area):
    await becomes_customer(await waits(), "linked@example.com")
    await waits()
    for _ in range(2):
        await waits(zip_code=ELSEWHERE_ZIP)
    await becomes_customer(await waits(zip_code="34999"), "alone@example.com")
    await waits(zip_code="")
    found = await waves.list_zips(actor=ADMIN)
    assert [(each.name, each.waiting, each.area, each.status) for each in found] == [
        (ELSEWHERE_ZIP, 2, "", ""),
        (ZIP, 1, "Sarasota", "open"),
        ("No ZIP", 1, "", ""),
    ]


async def test_neighborhoods_count_members_without_an_account(area):
    group = await a_neighborhood("Palm Court")
    await waits(neighborhood_id=group)
    await becomes_customer(await waits(neighborhood_id=group), "linked@example.com")
    await a_neighborhood("Empty")
    (found,) = await waves.list_neighborhoods(actor=ADMIN)
    assert (found.id, found.name, found.waiting, found.area) == (group, "Palm Court", 1, "Sarasota")


async def test_waves_show_what_is_left_and_sent(area):
    for _ in range(3):
        await waits()
    await waits(status=LOST)
    await waits(email="known@example.com")
    await a_person(email="known@example.com")
    await becomes_customer(await waits(), "linked@example.com")
    (before,) = await waves.list_waves(actor=ADMIN)
    assert (before.state, before.waiting, before.invited) == ("", 3, 0)
    assert before.forecast == "3 waiting, about 1 day at 100 a day"
    await start(area)
    await jobs.send_due(NOON)
    (after,) = await waves.list_waves(actor=ADMIN)
    assert (after.state, after.waiting, after.invited) == ("running", 0, 3)
    assert (after.name, after.invited_text) == ("Sarasota", "3 invited, 3 today")


async def test_funnel_counts_sign_ups_and_first_fills(area):
    assert await waves.read_funnel(actor=ADMIN) == Funnel()
    group = await a_neighborhood("Palm Court")
    members = [await waits(neighborhood_id=group) for _ in range(2)]
    others = [await waits() for _ in range(4)]
    await start(area)
    await jobs.send_due(NOON)
    people = [
        await becomes_customer(each, f"new.{n}@example.com")
        for n, each in enumerate([*members, others[0]])
    ]
    for person_id, state in zip(people, ["completed", "booked", "cancelled"], strict=True):
        await a_booking(area, person_id=person_id, state=state)
    await a_booking(area, person_id=people[0], state="completed")
    found = await waves.read_funnel(actor=ADMIN)
    assert found.areas == (FunnelLine("Sarasota", 6, 3, 1, 50, 17),)
    assert found.days == (FunnelLine("Nov 24, 2026", 6, 3, 1, 50, 17),)
    assert found.neighborhoods == (FunnelLine("Palm Court (34236)", 2, 2, 1, 100, 50),)


@pytest.mark.parametrize(
    "read",
    [waves.list_zips, waves.list_neighborhoods, waves.list_waves, waves.read_funnel],
    ids=["zips", "neighborhoods", "waves", "funnel"],
)
async def test_only_admins_see_it(sqlite_database, read):
    with pytest.raises(NotAllowed):
        await read(actor=Actor())
