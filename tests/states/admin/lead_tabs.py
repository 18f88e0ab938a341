"""Staff at the list of leads, in a tab without a browser."""

from typing import Any

from fuel_app.services import leads, quotes
from fuel_app.states.admin.leads import LeadsState
from tests.factories import fleet_quote
from tests.staff import HERE
from tests.states.admin.staff_tab import StaffTab


class Staff(StaffTab[LeadsState]):
    """A signed-in tab on the list."""

    state = LeadsState


async def fleet(**differs: Any) -> str:
    return await quotes.request(fleet_quote(**differs), address=HERE)


async def status_of(lead_id: str) -> str:
    known = await leads.details(lead_id)
    assert known is not None
    return known.row.status
