"""Staff at the list of leads, in a tab without a browser."""

from typing import Any

from fuel_app.kit.db.session import reading
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import LeadRow
from fuel_app.submissions.state.leads import LeadsState
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import run


class Staff(StaffTab[LeadsState]):
    """A signed-in tab on the list."""

    state = LeadsState

    async def use(self, dialog: type[Any], event: str, *arguments: Any) -> list[Any]:
        """Fire an event of a dialog. Return its answers."""
        return await run(getattr(dialog, event).fn(await self.tab.get_state(dialog), *arguments))


async def listed(lead_id: str) -> LeadRow:
    async with reading() as session:
        row = await leads.find(session, lead_id)
    assert row is not None
    return row


async def status_of(lead_id: str) -> str:
    return (await listed(lead_id)).status
