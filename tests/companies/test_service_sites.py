"""Sites of a company: saved, located, closed; who is limited to sites sees only those."""

import pytest

from fuel_app.accounts.rules import NotAllowed
from fuel_app.areas.service import places
from fuel_app.companies.rules.companies import CompanyGone, StateChange
from fuel_app.companies.rules.people import CompanyRole
from fuel_app.companies.rules.sites import (
    SiteForm,
    SiteGone,
    SiteNameTaken,
    SitePinTooFar,
    TooManySites,
    UnknownSiteZip,
)
from fuel_app.companies.service import companies, sites
from fuel_app.kit.db.session import reading
from tests.factories import UNKNOWN_ID
from tests.helpers.companies import ADMIN, DISPATCHER, FoundingSite, a_company, a_member, site_ids

pytestmark = pytest.mark.usefixtures("sqlite_database")
OWNER, MANAGER, ACCOUNTANT, VIEWER = CompanyRole


def a_site(**differs: str) -> SiteForm:
    given = {"name": "North yard", "street": "9 Palm Ave", "city": "Sarasota", "zip_code": "34236"}
    return SiteForm.parse(SiteForm.blank() | given | differs)


async def test_a_site_is_added_changed_and_keeps_its_pin_at_the_same_address():
    company_id = await a_company()
    owner = await a_member(company_id)
    site_id = await sites.save_site(owner, company_id, a_site(permit_number="F-7"))
    await sites.set_pin(owner, company_id, site_id, 27.34, -82.54)
    changed = a_site(gate_code="4455", permit_number="F-7", permit_valid_to="2020-01-01")
    assert await sites.save_site(owner, company_id, changed, site_id) == site_id
    listed = {each.name: each for each in await sites.list_sites(owner, company_id)}
    assert list(listed) == ["Back lot", "Main yard", "North yard"]
    site = listed["North yard"]
    assert (site.gate_code, site.lat, site.is_approximate) == ("4455", 27.34, False)
    assert (site.permit, site.permit_text) == ("expired", "Permit F-7 ended on Jan 1, 2020")
    await sites.save_site(owner, company_id, a_site(street="10 Palm Ave"), site_id)
    [moved] = [each for each in await sites.list_sites(owner, company_id) if each.id == site_id]
    assert moved.lat != 27.34


async def test_a_founding_site_waits_for_its_pin():
    company_id = await a_company()
    listed = await sites.list_sites(DISPATCHER, company_id)
    assert {each.is_approximate for each in listed} == {True}
    odd = FoundingSite("Odd", "1 Nowhere", "Nowhere", "00000")
    with pytest.raises(UnknownSiteZip):
        await a_company(sites=(odd,))


async def test_names_are_unique_and_the_number_of_sites_is_bounded(monkeypatch):
    company_id = await a_company()
    owner = await a_member(company_id)
    with pytest.raises(SiteNameTaken):
        await sites.save_site(owner, company_id, a_site(name="Main yard"))
    monkeypatch.setattr(sites, "MOST_SITES", 2)
    with pytest.raises(TooManySites):
        await sites.save_site(owner, company_id, a_site())


async def test_an_unknown_zip_and_a_far_pin_are_refused(monkeypatch):
    company_id = await a_company()
    owner = await a_member(company_id)
    yard = (await site_ids(company_id))["Main yard"]
    with pytest.raises(UnknownSiteZip):
        await sites.save_site(owner, company_id, a_site(zip_code="00000"))
    for lat, lng in ((40.0, -74.0), ("27", None)):
        with pytest.raises(SitePinTooFar):
            await sites.set_pin(owner, company_id, yard, lat, lng)

    async def nowhere(_zip_code: str) -> None:
        return None

    monkeypatch.setattr(places, "centre", nowhere)
    with pytest.raises(SitePinTooFar):
        await sites.set_pin(owner, company_id, yard, 27.34, -82.54)


async def test_who_is_limited_to_a_site_reaches_no_other():
    company_id = await a_company()
    known = await site_ids(company_id)
    manager = await a_member(company_id, MANAGER, sites=[known["Main yard"]])
    assert [each.name for each in await sites.list_sites(manager, company_id)] == ["Main yard"]
    await sites.save_site(manager, company_id, a_site(name="Yard"), known["Main yard"])
    for refused in (
        sites.save_site(manager, company_id, a_site(name="Lot"), known["Back lot"]),
        sites.save_site(manager, company_id, a_site(name="New")),
        sites.set_pin(manager, company_id, known["Back lot"], 27.34, -82.54),
        sites.close_site(manager, company_id, known["Back lot"], closed=True),
    ):
        with pytest.raises(NotAllowed):
            await refused


async def test_other_roles_and_companies_change_nothing():
    company_id = await a_company()
    other = await a_company(name="Other")
    yard = (await site_ids(company_id))["Main yard"]
    stranger = await a_member(other, email="o@o.example")
    with pytest.raises(CompanyGone):
        await sites.save_site(stranger, company_id, a_site(), yard)
    with pytest.raises(SiteGone):  # a site of another company, under the own company's id
        await sites.save_site(stranger, other, a_site(), yard)
    with pytest.raises(SiteGone):
        await sites.close_site(DISPATCHER, company_id, UNKNOWN_ID, closed=True)
    with pytest.raises(NotAllowed):
        await sites.save_site(await a_member(company_id, VIEWER), company_id, a_site())
    with pytest.raises(NotAllowed):
        await sites.list_sites(await a_member(company_id, ACCOUNTANT), company_id)


async def test_a_closed_site_comes_last_and_opens_again_while_the_company_does():
    company_id = await a_company()
    known = await site_ids(company_id)
    await sites.close_site(DISPATCHER, company_id, known["Back lot"], closed=True)
    listed = await sites.list_sites(DISPATCHER, company_id)
    assert [(each.name, each.is_closed) for each in listed] == [
        ("Main yard", False),
        ("Back lot", True),
    ]
    async with reading() as session:
        assert await sites.count_companies(session, ["34236"]) == 1
    await sites.close_site(DISPATCHER, company_id, known["Back lot"], closed=False)
    await companies.set_state(ADMIN, company_id, "closed", StateChange(reason="Sold"))
    with pytest.raises(NotAllowed):
        await sites.close_site(DISPATCHER, company_id, known["Back lot"], closed=True)
    async with reading() as session:
        assert await sites.count_companies(session, ["34236"]) == 0
