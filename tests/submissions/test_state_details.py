"""One lead opened from the list."""

import pytest

from fuel_app.submissions.state.details import LeadDetailsState
from tests.helpers.lead_tabs import Staff, fleet

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_lead_opens_with_its_details_and_log():
    quote = await fleet(company_name="Gulf Trucks", notes="Gate 12")
    staff = await Staff.at("/submissions?q=gulf")
    shown = await staff.screen()
    await staff.run("set_status", quote, 0, "Contacted")
    details = await staff.tab.get_state(LeadDetailsState)
    await staff.use(LeadDetailsState, "open", quote)
    assert shown.address == f"/submissions?q=gulf&lead={quote}"
    assert (details.opened, details.missing, details.name) == (True, False, "Gulf Trucks")
    assert ("Notes", "Gate 12") in [(field.label, field.value) for field in details.fields]
    (change,) = details.log
    assert change.what == "Status: Not Contacted → Contacted"
    assert change.who.startswith("by staff, signed in ")
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


async def test_address_opens_and_closes_a_lead():
    quote = await fleet()
    staff = await Staff.at("/submissions")
    details = await staff.tab.get_state(LeadDetailsState)
    for address, opened in ((f"/submissions?lead={quote}", True), ("/submissions", False)):
        await staff.arrive(address)
        await staff.use(LeadDetailsState, "load")
        assert details.opened == opened


async def test_unknown_lead_is_shown_as_missing():
    staff = await Staff.at("/submissions?lead=nobody")
    details = await staff.tab.get_state(LeadDetailsState)
    await staff.use(LeadDetailsState, "load")
    assert (details.opened, details.missing) == (True, True)
