"""ZIP codes that leave an open area: asked about, kept or cancelled, plans that end."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.areas import AreaChanged, AreaForm
from fuel_app.areas.service import areas as area_service
from fuel_app.bookings.tables import StoredBooking
from fuel_app.companies.service import sites
from fuel_app.companies.tables import StoredSite
from fuel_app.customers.tables import StoredAddress, StoredCustomer
from fuel_app.kit import audit
from fuel_app.kit.audit import Done
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.launch.rules import (
    CANCEL,
    Answer,
    HasCompanies,
    LeftOut,
    StillServed,
    ZipsNeedAnswer,
)
from fuel_app.launch.service import areas as area_changes
from fuel_app.outcomes.service import plans
from fuel_app.plans.tables import Subscription
from tests.helpers.bookings import (
    NOW,
    Customer,
    a_customer,
    a_place,
    an_area,
    at,
    booked,
    slot,
    stored,
    taken,
)
from tests.helpers.companies import a_company
from tests.helpers.people import messages, rows

ADMIN = Actor(frozenset({Role.ADMIN}), person_id=new_id(), session_id=new_id())
DISPATCHER = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())
HOME, OTHER, THIRD = "34236", "34237", "34238"

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _monday_morning(monkeypatch):
    at(monkeypatch, NOW)


async def form(area_id: str, *zips: str) -> AreaForm:
    """Return an area as it is, with other ZIPs if they are given."""
    row = next(each for each in await area_service.listing(actor=ADMIN) if each.id == area_id)
    known = {name: getattr(row, name) for name in AreaForm.model_fields}
    return AreaForm.model_construct(None, **known | ({"zips": zips} if zips else {}))


async def change(
    area_id: str, *zips: str, actor: Actor = ADMIN, **answer: Any
) -> area_changes.AreaOutcome:
    seen, wanted = await form(area_id), await form(area_id, *zips)
    return await area_changes.change_area(area_id, seen, wanted, actor=actor, **answer)


async def asked(area_id: str, *zips: str, **answer: Any) -> LeftOut:
    before = await form(area_id)
    with pytest.raises(ZipsNeedAnswer) as question:
        await change(area_id, *zips, **answer)
    assert await form(area_id) == before
    assert question.value.names.keys() == {
        each.person_id for each in question.value.left_out.bookings
    }
    return question.value.left_out


async def ending() -> set[str]:
    return {each.person_id for each in await rows(Subscription) if each.cancel_at_period_end}


async def told() -> set[str]:
    return {each.person_id or "" for each in await messages("plan_changed")}


async def lives(customer: Customer, zip_code: str) -> None:
    """Give a customer another address."""
    async with transaction() as session:
        place = a_place(customer.id)
        place.zip_code = zip_code
        session.add(place)


def undone(done: Done) -> Any:
    async def undo() -> None:
        async for _ in audit.undo(done.action_id, actor=str(ADMIN)):
            pass

    return undo()


async def test_zips_without_anybody_leave_without_a_question():
    area_id, customer = await an_area(HOME, OTHER), await a_customer()
    await booked(customer, slot(area_id))
    made = await change(area_id, HOME)
    assert (made.done.changed, made.cancelled, made.ended) == (1, 0, 0)
    assert (await form(area_id)).zips == (HOME,)
    assert (await ending(), await told()) == (set(), set())


async def test_zips_of_an_area_that_is_not_open_leave_without_a_question():
    await an_area(HOME)
    wanted = AreaForm.parse({"name": "Bay", "zips": OTHER, "grades": ["regular"], "tax": "0"})
    area_id = await area_service.create(wanted, actor=ADMIN)
    customer = await a_customer()
    await lives(customer, OTHER)
    assert (await change(area_id, THIRD)).done.changed == 1


@pytest.mark.parametrize("status", ["open", "paused"])
async def test_kept_bookings_stay_and_plans_without_another_address_end_with_their_period(status):
    area_id, stays, moves = await an_area(HOME, OTHER), await a_customer(1), await a_customer(2)
    new = await a_customer(3, state="incomplete")
    await lives(moves, OTHER)
    await booked(stays, slot(area_id))
    if status == "paused":
        await area_service.step("pause", area_id, actor=ADMIN)
    found = await asked(area_id, OTHER)
    assert [each.person_id for each in found.bookings] == [stays.id]
    assert {each.id: (each.is_stranded, each.loses_plan) for each in found.customers} == {
        stays.id: (True, True),
        moves.id: (False, False),
        new.id: (True, False),
    }
    made = await change(area_id, OTHER, asked=found)
    assert (made.cancelled, made.ended) == (0, 1)
    assert [each.state for each in await stored()] == ["booked"]
    assert (await ending(), await told()) == ({stays.id}, {stays.id})
    [message, *_] = await messages("plan_changed")
    assert message.payload["what"].endswith(
        "cancelled, since we can no longer come to your address"
    )
    assert (await form(area_id)).zips == (OTHER,)


async def test_cancelled_bookings_cost_nothing_and_their_customers_are_told_why():
    area_id, customer, other = await an_area(HOME, OTHER), await a_customer(), await a_customer(2)
    there = slot(area_id)
    await booked(customer, there)
    kept = await booked(other, slot(area_id, opens=10))
    async with transaction() as session:  # another place of the same area
        row = await session.get_one(StoredBooking, kept.id)
        row.place = row.place | {"zip_code": OTHER}
    found = await asked(area_id, OTHER)
    made = await change(area_id, OTHER, asked=found, answer=Answer(CANCEL, "Bridge closed"))
    assert (made.cancelled, made.ended) == (1, 2)
    assert {each.id: (each.state, each.reason, each.late_fee_cents) for each in await stored()} == {
        found.bookings[0].id: ("cancelled", "Bridge closed", 0),
        kept.id: ("booked", "", 0),
    }
    assert await taken(there) == 0
    [mail, *_] = await messages("booking_cancelled")
    assert mail.payload["reason"] == "Bridge closed"


async def test_an_answer_counts_for_what_was_asked_alone():
    area_id, customer = await an_area(HOME, OTHER), await a_customer()
    found = await asked(area_id, OTHER)
    await booked(customer, slot(area_id))
    newer = await asked(area_id, OTHER, asked=found, answer=Answer(CANCEL, "Too far"))
    assert (len(found.bookings), len(newer.bookings)) == (0, 1)
    await change(area_id, OTHER, asked=newer)
    assert [each.state for each in await stored()] == ["booked"]


async def test_a_question_and_a_booking_at_once_leave_no_booking_unasked():
    area_id, customer = await an_area(HOME, OTHER), await a_customer()
    found = await asked(area_id, OTHER)
    outcomes = await asyncio.gather(
        change(area_id, OTHER, asked=found),
        booked(customer, slot(area_id)),
        return_exceptions=True,
    )
    if isinstance(outcomes[0], ZipsNeedAnswer):
        assert (await form(area_id)).zips == (HOME, OTHER)
        assert len(await stored()) == 1
    else:
        assert await stored() == []


async def test_customers_without_an_address_count_by_their_sign_up_and_closed_accounts_do_not():
    area_id, gone, new = await an_area(HOME, OTHER), await a_customer(1), await a_customer(2)
    async with transaction() as session:
        await session.execute(
            update(Person).where(col(Person.id) == gone.id).values(deactivated_at=NOW)
        )
        await session.delete(await session.get_one(StoredAddress, new.place_id))
    assert [each.id for each in (await asked(area_id, OTHER)).customers] == [new.id]
    async with transaction() as session:
        (await session.get_one(StoredCustomer, new.id)).zip_code = OTHER
    assert (await change(area_id, OTHER)).done.changed == 1


async def test_a_zip_of_another_open_area_keeps_its_customers():
    area_id, customer = await an_area(HOME), await a_customer()
    wanted = AreaForm.parse({"name": "Bay", "zips": OTHER, "grades": ["regular"], "tax": "0"})
    bay = await area_service.create(wanted, actor=ADMIN)
    await lives(customer, OTHER)
    assert [each.is_stranded for each in (await asked(area_id, THIRD)).customers] == [True]
    await area_service.step("open", bay, actor=ADMIN)
    found = await asked(area_id, THIRD)
    assert [each.is_stranded for each in found.customers] == [False]
    await change(area_id, THIRD, asked=found)
    assert await ending() == set()


async def test_undo_gives_zips_back_and_takes_none_from_customers():
    area_id, customer = await an_area(HOME), await a_customer()
    await undone((await change(area_id, HOME, OTHER)).done)
    added = (await change(area_id, HOME, OTHER)).done
    await lives(customer, OTHER)
    with pytest.raises(StillServed):
        await undone(added)
    assert (await form(area_id)).zips == (HOME, OTHER)


async def test_others_are_refused_and_so_is_what_is_out_of_date():
    area_id = await an_area(HOME, OTHER)
    seen = await form(area_id)
    with pytest.raises(NotAllowed):
        await change(area_id, HOME, actor=DISPATCHER)
    await change(area_id, HOME)
    with pytest.raises(AreaChanged):
        await area_changes.change_area(area_id, seen, seen, actor=ADMIN)


async def test_a_plan_that_ends_already_is_left_alone():
    customer, new = await a_customer(1), await a_customer(2, state="incomplete")
    for ends in (True, False):
        async with transaction() as session:
            assert await plans.end_unserved(session, customer.id, ADMIN) is ends
            assert not await plans.end_unserved(session, new.id, ADMIN)
    assert await ending() == {customer.id}
    assert len({each.payload["what"] for each in await messages("plan_changed")}) == 1
    assert await told() == {customer.id}


async def test_companies_with_sites_there_are_asked_about_and_keep_an_area_from_closing():
    area_id = await an_area(HOME, OTHER)
    company_id = await a_company()  # both of its sites are in one ZIP
    question = await asked(area_id, OTHER)
    assert (question.companies, question.customers, question.bookings) == (1, (), ())
    with pytest.raises(HasCompanies):
        await area_changes.close_area(area_id, actor=ADMIN)
    assert (await change(area_id, OTHER, asked=question)).done.changed == 1
    assert (await change(area_id, HOME, OTHER)).done.changed == 1
    for site in await rows(StoredSite):
        await sites.close_site(ADMIN, company_id, site.id, closed=True)
    await area_changes.close_area(area_id, actor=ADMIN)
