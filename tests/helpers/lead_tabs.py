"""Staff at the list of leads, in a tab without a browser."""

from typing import Any

from fuel_app.submissions import service as leads
from fuel_app.submissions.state.dialogs import Dialog
from fuel_app.submissions.state.leads import LeadsState
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import run


class Staff(StaffTab[LeadsState]):
    """A signed-in tab on the list."""

    state = LeadsState

    async def use(self, dialog: type[Dialog], event: str, *arguments: Any) -> list[Any]:
        """Fire an event of a dialog. Return its answers."""
        return await run(getattr(dialog, event).fn(await self.tab.get_state(dialog), *arguments))


async def status_of(lead_id: str) -> str:
    known = await leads.find_details(lead_id)
    assert known is not None
    return known.row.status
