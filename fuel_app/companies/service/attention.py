"""Attention of staff to companies: tax exemptions to decide, permits that end."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.companies import queries
from fuel_app.companies.rules.companies import SITES, TAX
from fuel_app.companies.rules.documents import EXEMPTION_NAMES
from fuel_app.companies.rules.sites import PERMIT_WARNED, permit_of, permit_text
from fuel_app.companies.service import documents
from fuel_app.kit.attention import MOST, Attention, Waiting
from fuel_app.kit.clock import day_of, short_date

EXEMPTIONS = Attention("exemptions", "Tax exemptions to decide", is_for_admins=True)
PERMITS = Attention("permits", "Permits of companies that end")


async def exemptions_to_decide(session: AsyncSession, _now: datetime) -> Attention:
    """Return the tax exemptions that companies ask for: two statements at most."""
    if not (total := await documents.count_asked(session)):
        return EXEMPTIONS
    found = await queries.asked_exemptions(session, MOST)
    lines = [
        Waiting(
            id=exemption.id,
            text=company.name,
            detail=f"{EXEMPTION_NAMES[exemption.kind]}, asked on "
            f"{short_date(day_of(exemption.asked_at))}.",
            href=routes.company_tab(company.id, TAX),
        )
        for exemption, company in found
    ]
    return EXEMPTIONS.with_lines(lines, total)


async def permits_ending(session: AsyncSession, now: datetime) -> Attention:
    """Return the sites whose permit ends soon or has ended: two statements."""
    today = day_of(now)
    found, total = await queries.permits_ending(session, today + PERMIT_WARNED, MOST)
    lines = []
    for site, company in found:
        permit = permit_of(site.permit_number, site.permit_valid_to, today)
        ends = short_date(site.permit_valid_to) if site.permit_valid_to else ""
        text = permit_text(permit, site.permit_number, ends)
        href = routes.company_tab(company.id, SITES)
        lines.append(Waiting(site.id, f"{company.name}, {site.name}", f"{text}.", href))
    return PERMITS.with_lines(lines, total)
