"""The question about ZIP codes that leave an open area, on the screen of the areas."""

import pytest

from fuel_app.accounts.rules import SYSTEM
from fuel_app.areas.state import AreasState
from fuel_app.kit.db.session import transaction
from fuel_app.launch.state.areas import AreaFormState, ZipsState
from fuel_app.outcomes.service import plans
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import NOW, a_customer, an_area, at, booked, slot, stored
from tests.helpers.companies import a_company

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

SCREEN = "/settings/areas"
KEPT = {"how": "keep"}
OTHER = {"name": "Sarasota", "zips": "34237", "grades": ["regular"], "tax": "0"}


@pytest.fixture(autouse=True)
def _monday_morning(monkeypatch):
    at(monkeypatch, NOW)


async def asked(admin: AdminTab, area_id: str) -> ZipsState:
    """Take the ZIP of a customer out of their area."""
    await admin.fire(AreasState.load)
    await admin.fire(AreaFormState.begin, area_id)
    await admin.fire(AreaFormState.submit, OTHER)
    assert not (await admin.screen(AreaFormState)).opened
    return await admin.screen(ZipsState)


async def test_the_question_names_bookings_and_customers_and_keeps_them():
    area_id, customer = await an_area(), await a_customer()
    await booked(customer, slot(area_id))
    admin = await AdminTab.at(SCREEN)
    question = await asked(admin, area_id)
    assert (question.opened, question.title) == (True, "1 customer, 1 booking")
    assert (question.ending, len(question.booked)) == ("1 plan", 1)
    [line] = question.customers
    assert line.note == "No other address: the plan ends with its period"
    assert line.link == f"/customer-dashboard?customer={customer.id}&tab=bookings"
    await admin.fire(ZipsState.submit, KEPT)
    assert not question.opened
    assert [area.zips for area in (await admin.screen(AreasState)).areas] == ["34237"]
    assert [each.state for each in await stored()] == ["booked"]
    assert await admin.said() == ["Sarasota changed, 1 plan ends"]
    assert await admin.offered() == ""  # Undo would not bring the plan back
    await admin.fire(ZipsState.submit, KEPT)  # the second click
    assert question.error == ""


async def test_undo_is_offered_where_nothing_but_the_area_has_changed():
    area_id, customer = await an_area(), await a_customer()
    async with transaction() as session:
        await plans.end_unserved(session, customer.id, SYSTEM)
    admin = await AdminTab.at(SCREEN)
    question = await asked(admin, area_id)
    assert (question.title, question.button) == ("1 customer, 0 bookings", "Remove ZIP codes")
    await admin.fire(ZipsState.submit, KEPT)
    assert (await admin.offered(), await admin.said()) == ("Sarasota changed", [])


async def test_cancelling_needs_a_reason_and_what_has_changed_is_asked_again():
    area_id, customer = await an_area(), await a_customer()
    admin = await AdminTab.at(SCREEN)
    question = await asked(admin, area_id)
    assert question.title == "1 customer, 0 bookings"
    await booked(customer, slot(area_id))
    await admin.fire(ZipsState.submit, KEPT)
    assert question.error == "This has changed meanwhile. You now see it as it is."
    assert (question.opened, question.title) == (True, "1 customer, 1 booking")
    assert (question.how, question.is_offered, question.button) == (
        *("keep", False, "Keep 1 booking"),
    )
    await admin.fire(ZipsState.submit, {"how": "cancel", "reason": ""})
    assert question.errors["reason"]
    assert question.button == "Cancel 1 booking, tell 1 customer"
    await admin.fire(ZipsState.edit, {"how": "cancel", "reason": "Bridge closed"})
    assert question.errors["reason"] == ""
    await admin.fire(ZipsState.submit, {"how": "cancel", "reason": "Bridge closed"})
    assert not question.opened
    assert [(each.state, each.reason) for each in await stored()] == [
        ("cancelled", "Bridge closed")
    ]
    assert await admin.said() == ["Sarasota changed, 1 cancelled, 1 plan ends"]


async def test_the_first_of_many_customers_are_listed(monkeypatch):
    monkeypatch.setattr("fuel_app.launch.state.areas.SHOWN", 1)
    area_id, _, _ = await an_area(), await a_customer(1, state="incomplete"), await a_customer(2)
    question = await asked(await AdminTab.at(SCREEN), area_id)
    assert question.title == "2 customers, 0 bookings"
    [line] = question.customers
    assert line.note == "No other address: the plan ends with its period"
    assert question.more == "and 1 more"


async def test_leaving_the_question_changes_nothing_and_raw_answers_are_ignored():
    area_id, _ = await an_area(), await a_customer()
    admin = await AdminTab.at(SCREEN)
    await admin.fire(ZipsState.submit, KEPT)
    question = await asked(admin, area_id)
    await admin.fire(ZipsState.close, False)
    await admin.fire(ZipsState.submit, {"how": "cancel", "reason": "Bridge closed"})
    await admin.fire(ZipsState.edit, {"how": "cancel"})
    assert (question.opened, question.how) == (False, "keep")
    assert [area.zips for area in (await admin.screen(AreasState)).areas] == ["34236"]


async def test_the_question_names_companies_with_sites_there():
    area_id = await an_area()
    await a_company()
    admin = await AdminTab.at(SCREEN)
    question = await asked(admin, area_id)
    assert question.companies.startswith("1 company has a site there")
    await admin.fire(ZipsState.submit, KEPT)
    assert (question.opened, await admin.offered()) == (False, "Sarasota changed")
    assert "companies" not in (await admin.undo())[-1]
