"""Sites of a company: saved, located, closed; people who are limited to sites see only those."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.areas.rules.places import NEARBY_M, Located, great_circle_meters, parse_position
from fuel_app.areas.service import places
from fuel_app.companies import queries
from fuel_app.companies.rules.people import Action
from fuel_app.companies.rules.sites import (
    MOST_SITES,
    Site,
    SiteForm,
    SiteGone,
    SiteNameTaken,
    SitePinTooFar,
    TooManySites,
    UnknownSiteZip,
    permit_of,
    permit_text,
)
from fuel_app.companies.service.access import allow, allow_change, record
from fuel_app.companies.tables import StoredSite
from fuel_app.kit import clock, contact
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import PINS, throttle


async def list_sites(actor: Actor, company_id: object) -> list[Site]:
    """Return the sites that the actor sees, the open ones first. Raises as `allow` does."""
    today = clock.day_of(clock.now())
    async with reading() as session:
        who = await allow(session, actor, company_id, Action.SEE_SITES)
        rows = await queries.lines(session, StoredSite, who.company_id)
    return [_site(row, today) for row in rows if who.sees(row.id)]


async def save_site(actor: Actor, company_id: object, form: SiteForm, site_id: object = "") -> str:
    """Save a site: a new one, or in place of the one with this id. Return its id.

    Its address is looked up outside any transaction; at the same address the pin stays.

    Raises:
        CompanyGone, NotAllowed: As `allow` does; NotAllowed for a site that the actor does not
            see, a new one of who is limited to some, and a closed company.
        SiteGone, SiteNameTaken, TooManySites, UnknownSiteZip
    """
    known_id = well_formed_id(site_id) or ""
    async with reading() as session:
        who = await allow(session, actor, company_id, Action.CHANGE_SITES)
        who.require_site(known_id)
        former = await _find(session, who.company_id, known_id) if known_id else None
    located = await _locate(form, former, by=str(actor))
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_SITES)
        who.require_site(known_id)
        if await queries.has_line(session, StoredSite, who.company_id, form.name, but=known_id):
            raise SiteNameTaken
        values = form.model_dump() | located._asdict()
        if known_id:
            row = await _find(session, who.company_id, known_id)
        else:
            if len(await queries.lines(session, StoredSite, who.company_id)) >= MOST_SITES:
                raise TooManySites
            row = StoredSite(company_id=who.company_id, **values)
        changed = [name for name in values if getattr(row, name) != values[name]]
        row.sqlmodel_update(values)
        session.add(row)
        await session.flush()
        after = {"site": row.name, "fields": sorted(changed)}
        await record(session, "site_saved", actor, row.company_id, after)
    return row.id


async def _locate(form: SiteForm, former: StoredSite | None, *, by: str) -> Located:
    if former and _is_same_address(form, former):
        return Located(former.lat, former.lng, former.is_approximate)
    found = await places.locate(form.postal, form.zip_code, by=by)
    if found is None:
        raise UnknownSiteZip
    return found


def _is_same_address(form: SiteForm, row: StoredSite) -> bool:
    stored = (row.street, row.city, row.zip_code)
    return stored == (form.street, form.city, form.zip_code)


async def _find(session: AsyncSession, company_id: str, site_id: str) -> StoredSite:
    row = await queries.find_line(session, StoredSite, company_id, site_id)
    if row is None:
        raise SiteGone
    return row


async def set_pin(
    actor: Actor, company_id: object, site_id: object, lat: object, lng: object
) -> None:
    """Put a site's pin where its vehicles stand.

    Raises:
        CompanyGone, NotAllowed: As `save_site` does.
        SiteGone, TooManyRequests
        SitePinTooFar: If it lies too far from its ZIP, or is no position.
    """
    await throttle().spend(PINS, str(actor))
    known_id = well_formed_id(site_id) or ""
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_SITES)
        who.require_site(known_id)
        row = await _find(session, who.company_id, known_id)
        pin, centre = parse_position(lat, lng), await places.centre(row.zip_code)
        if pin is None or centre is None or great_circle_meters(pin, centre[:2]) > NEARBY_M:
            raise SitePinTooFar
        row.lat, row.lng, row.is_approximate = pin.lat, pin.lng, False
        await record(session, "site_pin", actor, row.company_id, {"site": row.name})


async def close_site(actor: Actor, company_id: object, site_id: object, *, closed: bool) -> None:
    """Close a site, where nothing is planned any more, or open it again. Raises as `set_pin`."""
    known_id = well_formed_id(site_id) or ""
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_SITES)
        who.require_site(known_id)
        row = await _find(session, who.company_id, known_id)
        row.closed_at = clock.now() if closed else None
        kind = "site_closed" if closed else "site_opened"
        await record(session, kind, actor, row.company_id, {"site": row.name})


async def count_companies(session: AsyncSession, zips: Sequence[str]) -> int:
    """Return how many companies have an open site in these ZIPs: an area with some stays open."""
    return await queries.zips_in_use(session, zips)


def _site(row: StoredSite, today: date) -> Site:
    permit = permit_of(row.permit_number, row.permit_valid_to, today)
    ends = clock.short_date(row.permit_valid_to) if row.permit_valid_to else ""
    return Site(
        id=row.id,
        name=row.name,
        street=row.street,
        city=row.city,
        zip_code=row.zip_code,
        address=f"{row.street}, {row.city}, FL {row.zip_code}",
        lat=row.lat,
        lng=row.lng,
        is_approximate=row.is_approximate,
        gate_code=row.gate_code,
        contact_name=row.contact_name,
        contact_phone=row.contact_phone,
        phone_text=contact.phone_text(row.contact_phone),
        hours=row.hours,
        parking=row.parking,
        permit_authority=row.permit_authority,
        permit_number=row.permit_number,
        permit_valid_to=row.permit_valid_to.isoformat() if row.permit_valid_to else "",
        permit=permit,
        permit_text=permit_text(permit, row.permit_number, ends),
        permit_document_id=row.permit_document_id or "",
        picture_id=row.picture_id or "",
        is_closed=row.closed_at is not None,
    )
