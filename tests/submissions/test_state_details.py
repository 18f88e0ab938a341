"""One lead opened from the list."""

import pytest

from fuel_app.submissions.state.details import LeadDetailsState
from tests.helpers.lead_tabs import Staff, fleet
from tests.helpers.tabs import redirected, run

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_a_lead_opens_with_all_that_is_known_of_it():
    quote = await fleet(company_name="Gulf Trucks", notes="Gate 12")
    staff = await Staff.at("/submissions")
    await staff.run("set_status", quote, 0, "Contacted")
    details = await staff.tab.get_state(LeadDetailsState)
    opened = (await run(LeadDetailsState.open.fn(details, quote)))[0]
    assert redirected(opened) == f"/submissions?lead={quote}"
    await staff.arrive(f"/submissions?q=gulf&lead={quote}")
    await run(LeadDetailsState.load.fn(details))
    assert (details.opened, details.missing, details.name) == (True, False, "Gulf Trucks")
    assert ("Notes", "Gate 12") in [(field.label, field.value) for field in details.fields]
    assert [line.what for line in details.log] == ["Status: Not Contacted → Contacted"]
    closed = (await run(LeadDetailsState.close.fn(details, False)))[0]
    assert redirected(closed) == "/submissions?q=gulf"


async def test_opening_and_closing_right_after_typing_keep_what_is_typed():
    quote = await fleet()
    staff = await Staff.at("/submissions?sort=name")
    assert await staff.ask("look_for", "gulf") == "/submissions?q=gulf&sort=name"
    (opened,) = await staff.use(LeadDetailsState, "open", quote)
    assert redirected(opened) == f"/submissions?q=gulf&sort=name&lead={quote}"
    (closed,) = await staff.use(LeadDetailsState, "close", False)
    assert redirected(closed) == "/submissions?q=gulf&sort=name"


async def test_a_search_that_is_late_neither_closes_a_lead_nor_opens_it_again():
    quote = await fleet()
    staff = await Staff.at("/submissions")
    details = await staff.tab.get_state(LeadDetailsState)
    (opened,) = await staff.use(LeadDetailsState, "open", quote)
    late = await staff.ask("look_for", "gulf")
    assert late == f"/submissions?q=gulf&lead={quote}"
    for address in (redirected(opened), late):
        assert address
        await staff.arrive(address)
        await staff.use(LeadDetailsState, "load")
        assert details.opened
    later = await staff.ask("look_for", "gulf t")
    (closed,) = await staff.use(LeadDetailsState, "close", False)
    for address in (later, redirected(closed)):
        assert address
        await staff.arrive(address)
        await staff.use(LeadDetailsState, "load")
        assert not details.opened


async def test_a_lead_that_is_none_says_so():
    staff = await Staff.at("/submissions?lead=nobody")
    details = await staff.tab.get_state(LeadDetailsState)
    await run(LeadDetailsState.load.fn(details))
    assert (details.opened, details.missing) == (True, True)
