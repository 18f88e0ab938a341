"""Dialogs of the staff's screens: one at a time, and only on the page that opened them."""

import pytest

from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.db.session import transaction
from fuel_app.submissions.state.dialogs import LeadDeletionState, LeadDetailsState
from fuel_app.submissions.state.imports import LeadImportState
from tests.helpers import neighborhood_screen
from tests.helpers.lead_tabs import Staff
from tests.helpers.leads import fleet, joined
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.plan_money import a_customer

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def goes_to(staff: Staff, lead_id: str) -> None:
    await staff.arrive(f"/submissions?lead={lead_id}")
    await staff.use(LeadDetailsState, "load")


async def uploads(staff: Staff, _lead_id: str) -> None:
    await staff.use(LeadImportState, "open")


async def deletes(staff: Staff, lead_id: str) -> None:
    await staff.use(LeadDeletionState, "ask", lead_id)


DIALOGS = {goes_to: LeadDetailsState, uploads: LeadImportState, deletes: LeadDeletionState}


@pytest.mark.parametrize("later", DIALOGS)
@pytest.mark.parametrize("earlier", DIALOGS)
async def test_opening_a_dialog_closes_the_other(earlier, later):
    lead_id = await fleet()
    staff = await Staff.at("/submissions")
    for opening in (earlier, later):
        await opening(staff, lead_id)
        opened = [state for state in DIALOGS.values() if (await staff.tab.get_state(state)).opened]
        assert opened == [DIALOGS[opening]]


async def test_reloading_the_list_keeps_the_upload_open():
    staff = await Staff.at("/submissions")
    await uploads(staff, "")
    for state in (LeadDetailsState, LeadImportState):
        await staff.use(state, "load")
    assert (await staff.tab.get_state(LeadImportState)).opened


async def test_dialog_of_a_neighborhood_closes_on_another_page():
    palm, bay = await neighborhood("Palm Court"), await neighborhood("Bay View")
    staff = await neighborhood_screen.Staff.on(palm)
    tools = await staff.tools()
    await staff.use("open_rename")
    await staff.arrive(f"/neighborhoods/{palm}?page=2")
    assert (tools.opened, tools.tool) == (True, "rename")
    await staff.arrive(f"/neighborhoods/{bay}")
    assert not tools.opened
    await staff.use("submit", {"name": "Osprey"})
    assert (await staff.screen()).neighborhood.name == "Bay View"


async def test_lead_opens_with_its_details_and_log():
    quote = await fleet(company_name="Gulf Trucks", notes="Gate 12")
    staff = await Staff.at("/submissions?q=gulf")
    shown = await staff.screen()
    await staff.run("set_status", quote, 0, "Contacted")
    details = await staff.tab.get_state(LeadDetailsState)
    await staff.use(LeadDetailsState, "open", quote)
    assert shown.address == f"/submissions?q=gulf&lead={quote}"
    assert (details.opened, details.missing, details.details.name) == (True, False, "Gulf Trucks")
    assert ("Notes", "Gate 12") in [(field.label, field.value) for field in details.details.fields]
    (change,) = details.details.log
    assert change.what == "Status: Not Contacted → Contacted"
    assert change.who == "by shared password"
    await staff.use(LeadDetailsState, "close", False)
    assert (shown.address, details.opened) == ("/submissions?q=gulf", False)


async def test_late_search_neither_closes_nor_reopens_a_lead():
    quote = await fleet()
    staff = await Staff.at("/submissions?sort=name")
    details = await staff.tab.get_state(LeadDetailsState)
    await staff.use(LeadDetailsState, "open", quote)
    address = f"/submissions?q=gulf&lead={quote}&sort=name"
    assert await staff.run("look_for", "gulf") == address
    assert details.opened
    await staff.use(LeadDetailsState, "close", False)
    assert await staff.run("look_for", "gulf t") == "/submissions?q=gulf+t&sort=name"
    assert not details.opened


async def test_another_lead_is_not_shown_before_the_address_is_read():
    first, second = await fleet(), await fleet()
    staff = await Staff.at("/submissions")
    details, shown = await staff.tab.get_state(LeadDetailsState), await staff.screen()
    await goes_to(staff, first)
    assert details.lead == shown.question.lead == first
    await staff.arrive(f"/submissions?lead={second}")
    assert details.lead != shown.question.lead  # until it is read, the dialog is shut
    await staff.use(LeadDetailsState, "load")
    assert details.lead == shown.question.lead == second


async def test_address_opens_and_closes_a_lead_or_shows_that_it_is_missing():
    quote = await fleet()
    staff = await Staff.at("/submissions")
    details = await staff.tab.get_state(LeadDetailsState)
    for asked, shown in ((f"?lead={quote}", (True, False)), ("?lead=nobody", (True, True))):
        await staff.arrive(f"/submissions{asked}")
        await staff.use(LeadDetailsState, "load")
        assert (details.opened, details.missing) == shown
    await staff.arrive("/submissions")
    await staff.use(LeadDetailsState, "load")
    assert not details.opened


async def test_question_before_a_delete_names_the_customers_among_the_leads(monkeypatch):
    ada = await joined(first_name="Ada", last_name="Byron")
    quote, person = await fleet(), await a_customer()
    async with transaction() as session:
        (await session.get_one(StoredCustomer, person)).submission_id = ada
    staff = await Staff.at("/submissions")
    shown = await staff.tab.get_state(LeadDeletionState)
    ada_keeps = "Ada Byron is a customer and keeps the account."
    for choose, pressed, said in (
        ("choose_none", ada, ada_keeps),
        ("choose_none", quote, ""),
        ("choose_page", "", ada_keeps),
        ("choose_all", "", ada_keeps),
    ):
        await staff.run(choose)
        await staff.use(LeadDeletionState, "ask", pressed)
        assert (shown.opened, shown.customers) == (True, said)
        await staff.use(LeadDeletionState, "close", False)

    async def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no database")

    monkeypatch.setattr("fuel_app.submissions.service.customers_among", fails)
    await staff.use(LeadDeletionState, "ask", ada)
    assert not shown.opened
