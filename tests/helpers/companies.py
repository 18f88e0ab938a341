"""Companies in the database, with their people."""

from typing import Any

from fuel_app.accounts.rules import Actor, Role
from fuel_app.companies.rules.founding import Founding, FoundingSite
from fuel_app.companies.rules.people import CompanyRole
from fuel_app.companies.service.founding import found_company
from fuel_app.companies.tables import CompanyPerson, StoredSite
from fuel_app.kit.db.session import transaction
from tests.helpers.people import a_person, rows

DISPATCHER = Actor(frozenset({Role.DISPATCHER}), person_id="01990000-0000-7000-8000-00000000d15b")
ADMIN = Actor(frozenset({Role.ADMIN}), person_id="01990000-0000-7000-8000-00000000ad31")
YARD = FoundingSite("Main yard", "1 Palm Ave", "Sarasota", "34236")
BACK_LOT = FoundingSite("Back lot", "2 Palm Ave", "Sarasota", "34236")


def founding(**differs: Any) -> Founding:
    given: dict[str, Any] = {
        "name": "Palm Plumbing",
        "kind": "fleet",
        "billing_email": "bills@palm.example",
        "terms": "net_15",
        "invoice_cycle": "month",
        "sites": (YARD, BACK_LOT),
        "owner_email": "owner@palm.example",
        "actor": "visitor",
    }
    return Founding(**given | differs)


async def a_company(**differs: Any) -> str:
    """Store a company whose owner's invitation is open. Return its id."""
    async with transaction() as session:
        return await found_company(session, founding(**differs))


async def a_member(
    company_id: str,
    role: CompanyRole = CompanyRole.OWNER,
    *,
    sites: list[str] | None = None,
    email: str = "",
) -> Actor:
    """Store a person of a company. Return them as the company's pages see them."""
    person = await a_person(Role.COMPANY, email=email or f"{role}@palm.example")
    async with transaction() as session:
        session.add(
            CompanyPerson(company_id=company_id, person_id=person.id, role=role, sites=sites)
        )
    return Actor(frozenset({Role.COMPANY}), person_id=person.id)


async def site_ids(company_id: str) -> dict[str, str]:
    """Return the ids of a company's sites by their names."""
    return {each.name: each.id for each in await rows(StoredSite, company_id=company_id)}
