"""A company begins: with its sites, its price rule and its owner's invitation."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.service import places
from fuel_app.companies.rules.companies import EMPLOYER, FLEET
from fuel_app.companies.rules.founding import Founding
from fuel_app.companies.rules.people import CompanyRole
from fuel_app.companies.rules.price_rules import PriceRule
from fuel_app.companies.rules.sites import UnknownSiteZip
from fuel_app.companies.service.access import record
from fuel_app.companies.service.people import add_invitation
from fuel_app.companies.tables import Company, StoredPriceRule, StoredSite
from fuel_app.kit import clock
from fuel_app.kit.search import searchable


async def found_company(session: AsyncSession, founding: Founding) -> str:
    """Store a company with all that it begins with. Return its id.

    The caller's transaction makes it once, and holds what it follows from. No address is looked
    up: each site's pin is its ZIP's centre until somebody sets it.

    Raises:
        UnknownSiteZip: If a site's ZIP is on no map.
    """
    company = Company(
        name=founding.name,
        search_name=searchable(f"{founding.name} {founding.legal_name}"),
        legal_name=founding.legal_name,
        is_fleet=founding.kind == FLEET,
        is_employer=founding.kind == EMPLOYER,
        billing_emails=[founding.billing_email],
        terms=founding.terms,
        invoice_cycle=founding.invoice_cycle,
        po_required=founding.po_required,
        account_owner_id=founding.made_by or None,
    )
    session.add(company)
    await session.flush()
    for site in founding.sites:
        centre = await places.centre(site.zip_code)
        if centre is None:
            raise UnknownSiteZip
        session.add(
            StoredSite(
                company_id=company.id,
                name=site.name,
                street=site.street,
                city=site.city,
                zip_code=site.zip_code,
                lat=centre.lat,
                lng=centre.lng,
            )
        )
    if founding.price_rule:
        add_price_rule(session, company.id, founding.price_rule, founding.actor)
    await add_invitation(
        session, company, founding.owner_email, CompanyRole.OWNER, None, by=founding.actor
    )
    await record(session, "founded", founding.actor, company.id, {"name": company.name})
    return company.id


def add_price_rule(
    session: AsyncSession, company_id: str, rule: PriceRule, actor: str, version: int = 1
) -> None:
    """Store a version of a company's price rule, effective from today."""
    session.add(
        StoredPriceRule(
            company_id=company_id,
            version=version,
            basis=rule.basis,
            offset_mills=rule.offset_mills,
            floor_mills=rule.floor_mills,
            cap_mills=rule.cap_mills,
            fixed_mills=rule.fixed_mills,
            source=rule.source,
            effective_from=clock.day_of(clock.now()),
            actor=actor,
        )
    )
