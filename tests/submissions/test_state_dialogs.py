"""Dialogs of the staff's screens: one at a time, and only on the page that opened them."""

from collections.abc import Callable, Coroutine

import pytest

from fuel_app.submissions.state.deletion import LeadDeletionState
from fuel_app.submissions.state.details import LeadDetailsState
from fuel_app.submissions.state.imports import LeadImportState
from tests.helpers import neighborhood_screen
from tests.helpers.lead_tabs import Staff, fleet
from tests.helpers.neighborhoods import neighborhood

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

Opening = Callable[[Staff, str], Coroutine]


async def goes_to(staff: Staff, lead_id: str) -> None:
    await staff.arrive(f"/submissions?lead={lead_id}")
    await staff.use(LeadDetailsState, "load")


async def uploads(staff: Staff, _lead_id: str) -> None:
    await staff.use(LeadImportState, "open")


async def deletes(staff: Staff, lead_id: str) -> None:
    await staff.use(LeadDeletionState, "ask", lead_id)


DIALOGS = {
    goes_to: LeadDetailsState,
    uploads: LeadImportState,
    deletes: LeadDeletionState,
}


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
    assert tools.opened == "rename"
    await staff.arrive(f"/neighborhoods/{bay}")
    assert tools.opened == ""
    await staff.use("submit", {"name": "Osprey"})
    assert (await staff.screen()).neighborhood.name == "Bay View"
