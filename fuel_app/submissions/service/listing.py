"""Staff look through the leads."""

from fuel_app.kit.db.session import reading
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import LeadPage, LeadQuery
from fuel_app.submissions.queries import details as lead_details
from fuel_app.submissions.rules.details import LeadDetails
from fuel_app.waitlist.rules import well_formed_id


async def page(query: LeadQuery, number: int) -> LeadPage:
    """One page of the list; a page beyond the end is the last one.

    Args:
        number: From 1.
    """
    async with reading() as session:
        return await leads.page(session, query, number)


async def details(lead_id: object) -> LeadDetails | None:
    """All about one lead; None if there is none with that id."""
    known = well_formed_id(lead_id)
    if known is None:
        return None
    async with reading() as session:
        return await lead_details.find(session, known)
