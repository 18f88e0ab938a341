"""One lead opened from the list."""

import pytest

from fuel_app.states.admin.lead_details import LeadDetailsState
from tests.states.admin.lead_tabs import Staff, fleet
from tests.states.tabs import go_to, redirected, run

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_a_lead_opens_with_all_that_is_known_of_it():
    quote = await fleet(company_name="Gulf Trucks", notes="Gate 12")
    staff = await Staff.at("/submissions")
    await staff.run("set_status", quote, 0, "Contacted")
    details = await staff.tab.get_state(LeadDetailsState)
    opened = (await run(LeadDetailsState.open.fn(details, quote)))[0]
    assert redirected(opened) == f"/submissions?lead={quote}"
    go_to(staff.tab, f"/submissions?q=gulf&lead={quote}", cookie=staff.cookie)
    await run(LeadDetailsState.load.fn(details))
    assert (details.opened, details.missing, details.name) == (True, False, "Gulf Trucks")
    assert ("Notes", "Gate 12") in [(field.label, field.value) for field in details.fields]
    assert [line.what for line in details.log] == ["Status: Not Contacted → Contacted"]
    closed = (await run(LeadDetailsState.close.fn(details, False)))[0]
    assert redirected(closed) == "/submissions?q=gulf"


async def test_a_lead_that_is_none_says_so():
    staff = await Staff.at("/submissions?lead=nobody")
    details = await staff.tab.get_state(LeadDetailsState)
    await run(LeadDetailsState.load.fn(details))
    assert (details.opened, details.missing) == (True, True)
