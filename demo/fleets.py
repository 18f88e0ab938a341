"""The companies of the demo: a plumber with one yard, a nursery with two, and their people."""

from datetime import timedelta
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw
from sqlmodel import col, select

from demo.company import PASSWORD, Company
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.rules.staff import NewAccount
from fuel_app.accounts.tables import Person
from fuel_app.companies.rules.companies import CostCenter, PurchaseOrder
from fuel_app.companies.rules.documents import CERTIFICATE, ExemptionForm
from fuel_app.companies.rules.founding import Founding, FoundingSite
from fuel_app.companies.rules.people import CompanyInvite
from fuel_app.companies.rules.price_rules import AREA, EIA, PriceRule
from fuel_app.companies.rules.sites import SiteForm
from fuel_app.companies.service import books, documents, people, sites
from fuel_app.companies.service.founding import found_company
from fuel_app.companies.tables import CompanyInvitation
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading, transaction
from fuel_app.messages.rules.kinds import INVITED_TO_COMPANY

PLUMBER, NURSERY = "bayside.example", "palmetto.example"
_HERE = Visitor("198.51.100.80", "Chrome on Windows")
_YARD = FoundingSite("Yard", "2210 Whitfield Park Loop", "Sarasota", "34243")
_GREENHOUSES = FoundingSite("Greenhouses", "6100 Fruitville Rd", "Sarasota", "34232")
_DEPOT = FoundingSite("Depot", "4800 Ashton Rd", "Sarasota", "34233")


def email_at(role: str, domain: str) -> str:
    return f"{role}@{domain}"


async def make_companies(staff: Company) -> None:
    """Make both, as an accepted proposal does, and let their people accept their invitations."""
    plumber = Founding(
        name="Bayside Plumbing",
        legal_name="Bayside Plumbing & Drain LLC",
        kind="fleet",
        billing_email=email_at("accountant", PLUMBER),
        terms="net_15",
        invoice_cycle="month",
        sites=(_YARD,),
        owner_email=email_at("owner", PLUMBER),
        actor="visitor",
        price_rule=PriceRule(AREA, offset_mills=-80),
        made_by=staff.dispatcher.person_id,
    )
    company_id, owner = await _founded(plumber, "Rosa", "Delgado")
    await _join(owner, company_id, "accountant", PLUMBER, "Neil", "Foster")
    permit = {"permit_number": "SC-2026-0412", "permit_valid_to": _days_on(290)}
    await _describe(staff, company_id, _YARD, (27.4043, -82.5386), permit | {"gate_code": "1182#"})

    nursery = Founding(
        name="Palmetto Growers",
        legal_name="Palmetto Growers Inc.",
        kind="fleet",
        billing_email=email_at("accountant", NURSERY),
        terms="net_30",
        invoice_cycle="week",
        sites=(_GREENHOUSES, _DEPOT),
        owner_email=email_at("owner", NURSERY),
        actor="visitor",
        po_required=True,
        price_rule=PriceRule(EIA, offset_mills=240, cap_mills=4500),
        made_by=staff.admin.person_id,
    )
    company_id, owner = await _founded(nursery, "Grant", "Whitfield")
    await _join(owner, company_id, "manager", NURSERY, "Luis", "Ortiz")
    await _join(owner, company_id, "accountant", NURSERY, "Holly", "Kim")
    ends_soon = {"permit_number": "SC-2025-1877", "permit_valid_to": _days_on(60)}
    await _describe(staff, company_id, _GREENHOUSES, (27.3329, -82.4516), permit)
    await _describe(staff, company_id, _DEPOT, (27.2893, -82.4731), ends_soon)
    for name, budget in (("Growing", "2400"), ("Deliveries", "5200")):
        center = CostCenter.parse({"name": name, "monthly_budget": budget})
        await books.save_cost_center(owner, company_id, center)
    order = {"number": "PO-2026-118", "amount": "25000", "valid_to": _days_on(200)}
    await books.save_purchase_order(owner, company_id, PurchaseOrder.parse(order))
    paper = await documents.add_document(
        owner, company_id, CERTIFICATE, "certificate.png", _certificate()
    )
    form = {"kind": "agriculture", "certificate": "85-8012345678C-9", "valid_to": _days_on(800)}
    await documents.ask_exemption(owner, company_id, ExemptionForm.parse(form), paper)


def _days_on(days: int) -> str:
    return (clock.day_of(clock.now()) + timedelta(days=days)).isoformat()


async def _founded(founding: Founding, first_name: str, last_name: str) -> tuple[str, Actor]:
    """Make a company whose owner has accepted. Return its id and the owner."""
    async with transaction() as session:
        company_id = await found_company(session, founding)
    return company_id, await _accept(founding.owner_email, first_name, last_name)


async def _join(
    owner: Actor, company_id: str, role: str, domain: str, first_name: str, last_name: str
) -> None:
    invite = {"email": email_at(role, domain), "role": role, "sites": []}
    await people.invite(owner, company_id, CompanyInvite.parse(invite))
    await _accept(invite["email"], first_name, last_name)


async def _accept(email: object, first_name: str, last_name: str) -> Actor:
    async with reading() as session:
        invited = select(CompanyInvitation.id).where(col(CompanyInvitation.email) == email)
        invitation_id = (await session.scalars(invited)).one()
    typed = {"first_name": first_name, "last_name": last_name, "password": PASSWORD}
    token = secrets.token(INVITED_TO_COMPANY, invitation_id)
    await people.accept_as_new(token, NewAccount.parse(typed), _HERE)
    async with reading() as session:
        found = select(Person.id).where(col(Person.email) == email)
        person_id = (await session.scalars(found)).one()
    return Actor(frozenset({Role.CUSTOMER}), person_id)


async def _describe(
    staff: Company,
    company_id: str,
    site: FoundingSite,
    pin: tuple[float, float],
    more: dict[str, Any],
) -> None:
    """Say of a site what a technician needs at night, and put its pin."""
    listed = await sites.list_sites(staff.dispatcher, company_id)
    known = next(each for each in listed if each.name == site.name)
    typed = {"name": site.name, "street": site.street, "city": site.city, "zip_code": site.zip_code}
    typed |= {"hours": "Mon-Fri after 6 PM", "permit_authority": "Sarasota County Fire"}
    form = SiteForm.parse(SiteForm.blank() | typed | more)
    await sites.save_site(staff.dispatcher, company_id, form, known.id)
    await sites.set_pin(staff.dispatcher, company_id, known.id, *pin)


def _certificate() -> bytes:
    """Draw the certificate of an exemption, as made up as its number."""
    paper = Image.new("RGB", (640, 400), "white")
    text = "Certificate of exemption\n\nPalmetto Growers Inc.\n85-8012345678C-9\n\nMade up"
    ImageDraw.Draw(paper).multiline_text((60, 80), text, fill="black", font_size=28)
    file = BytesIO()
    paper.save(file, "PNG")
    return file.getvalue()
