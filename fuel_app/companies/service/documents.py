"""Files of a company, and its tax exemption: claimed with a certificate, decided by an admin."""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.companies import queries
from fuel_app.companies.rules.companies import CompanyGone
from fuel_app.companies.rules.documents import (
    APPROVED,
    ASKED,
    CERTIFICATE,
    DECLINED,
    DOCUMENTS,
    ENDED,
    EXEMPTION_NAMES,
    FILE_MAX_BYTES,
    FILE_NAME_MAX,
    MOST_DOCUMENTS,
    PERMIT,
    DocumentGone,
    DocumentTooLarge,
    Exemption,
    ExemptionDecline,
    ExemptionForm,
    ExemptionGone,
    NoCertificate,
    NotADocument,
    TooManyDocuments,
    exemption_text,
    media_type_of,
)
from fuel_app.companies.rules.people import Action
from fuel_app.companies.rules.sites import SiteGone
from fuel_app.companies.service.access import allow, allow_change, record
from fuel_app.companies.tables import CompanyDocument, StoredSite, TaxExemption
from fuel_app.kit import clock, contact
from fuel_app.kit.db.session import find_row, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import COMPANY_FILES, throttle


class Opened(NamedTuple):
    """A file as it is sent."""

    name: str
    media_type: str
    file: bytes


async def check_upload(actor: Actor, company_id: object, kind: object) -> None:
    """Refuse a file before it is read. Raises as `add_document` does."""
    await throttle().spend(COMPANY_FILES, str(actor))
    async with reading() as session:
        await allow(session, actor, company_id, _action_of(kind))


def _action_of(kind: object) -> Action:
    """Return what a file of a kind changes. Raises NotADocument."""
    if kind not in DOCUMENTS:
        raise NotADocument
    return Action.CHANGE_COMPANY if kind == CERTIFICATE else Action.CHANGE_SITES


async def add_document(
    actor: Actor, company_id: object, kind: object, name: object, file: bytes, site_id: object = ""
) -> str:
    """Store a file of a company, a permit or picture as its site's. Return its id.

    Raises:
        CompanyGone, NotAllowed: As `allow` does; NotAllowed for a closed company, too, and for a
            site that the actor does not see.
        NotADocument, DocumentTooLarge, TooManyDocuments, SiteGone
        TooManyRequests: By `check_upload` alone, after 30 files in an hour by one person.
    """
    action = _action_of(kind)
    if len(file) > FILE_MAX_BYTES:
        raise DocumentTooLarge
    media_type = media_type_of(file)
    if media_type is None:
        raise NotADocument
    known_site = "" if kind == CERTIFICATE else well_formed_id(site_id) or ""
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, action)
        if await queries.count_documents(session, who.company_id) >= MOST_DOCUMENTS:
            raise TooManyDocuments
        row = CompanyDocument(
            company_id=who.company_id,
            kind=str(kind),
            name=contact.text(name)[:FILE_NAME_MAX] or "file",
            media_type=media_type,
            file=file,
            uploaded_by=str(actor),
        )
        session.add(row)
        await session.flush()
        if kind != CERTIFICATE:
            who.require_site(known_site)
            site = await queries.find_line(session, StoredSite, who.company_id, known_site)
            if site is None:
                raise SiteGone
            former = site.permit_document_id if kind == PERMIT else site.picture_id
            if kind == PERMIT:
                site.permit_document_id = row.id
            else:
                site.picture_id = row.id
            await session.flush()
            await queries.delete_document(session, former)
        await record(session, "file_added", actor, who.company_id, {"what": row.name})
    return row.id


async def open_document(actor: Actor, document_id: object) -> Opened:
    """Return a file.

    Raises:
        DocumentGone: If there is none, or it is another company's, or of a site that the actor
            does not see.
    """
    async with reading() as session:
        row = await find_row(session, CompanyDocument, well_formed_id(document_id))
        if row is None:
            raise DocumentGone
        action = Action.SEE_INVOICES if row.kind == CERTIFICATE else Action.SEE_SITES
        try:
            who = await allow(session, actor, row.company_id, action)
        except CompanyGone:  # nobody learns what another company has
            raise DocumentGone from None
        if row.kind != CERTIFICATE and who.sites is not None:
            sites = await queries.lines(session, StoredSite, row.company_id)
            held = {
                found
                for site in sites
                if who.sees(site.id)
                for found in (site.permit_document_id, site.picture_id)
            }
            if row.id not in held:
                raise DocumentGone
    return Opened(row.name, row.media_type, row.file)


async def list_exemptions(actor: Actor, company_id: object) -> list[Exemption]:
    """Return a company's tax exemptions, the newest first. Raises as `allow` does."""
    today = clock.day_of(clock.now())
    async with reading() as session:
        who = await allow(session, actor, company_id, Action.SEE_INVOICES)
        found = await queries.exemptions(session, who.company_id)
    return [
        Exemption(
            id=row.id,
            kind=EXEMPTION_NAMES[row.kind],
            certificate=row.certificate,
            valid_to=clock.short_date(row.valid_to),
            state=row.state,
            state_text=exemption_text(
                row.state,
                is_over=row.valid_to < today,
                valid_to=clock.short_date(row.valid_to),
                reason=row.reason,
            ),
            document_id=document.id,
            document_name=document.name,
        )
        for row, document in found
    ]


async def ask_exemption(
    actor: Actor, company_id: object, form: ExemptionForm, document_id: object
) -> None:
    """Claim a tax exemption; an earlier claim that waits is replaced.

    Raises:
        CompanyGone, NotAllowed: As `allow` does; NotAllowed for a closed company, too.
        NoCertificate: If the certificate is not among the company's files.
    """
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_COMPANY)
        document = await find_row(session, CompanyDocument, well_formed_id(document_id))
        if (
            document is None
            or document.company_id != who.company_id
            or document.kind != CERTIFICATE
        ):
            raise NoCertificate
        for row, _ in await queries.exemptions(session, who.company_id):
            if row.state == ASKED:
                row.state, row.reason = ENDED, "Replaced by a newer one"
        session.add(
            TaxExemption(
                company_id=who.company_id,
                kind=form.kind,
                certificate=form.certificate,
                valid_to=form.valid_to,
                document_id=document.id,
                asked_by=str(actor),
            )
        )
        await record(session, "exemption_asked", actor, who.company_id, {"kind": form.kind})


async def approve_exemption(actor: Actor, company_id: object, exemption_id: object) -> None:
    """Approve a claim, in place of the exemption that held before: an admin's alone.

    Raises:
        CompanyGone, NotAllowed
        ExemptionGone: If it is not waiting any more.
    """
    async with transaction() as session:
        row, others = await _decide(session, actor, company_id, exemption_id, (ASKED,))
        for other in others:
            if other.state == APPROVED:
                other.state, other.reason = ENDED, "Replaced by a newer one"
        row.state = APPROVED
        await record(session, "exemption_approved", actor, row.company_id, {"kind": row.kind})


async def decline_exemption(
    actor: Actor, company_id: object, exemption_id: object, form: ExemptionDecline
) -> None:
    """Decline a claim, or end an exemption. Raises as `approve_exemption` does."""
    async with transaction() as session:
        row, _ = await _decide(session, actor, company_id, exemption_id, (ASKED, APPROVED))
        row.state = DECLINED if row.state == ASKED else ENDED
        row.reason = form.reason
        after = {"kind": row.kind, "reason": form.reason}
        await record(session, f"exemption_{row.state}", actor, row.company_id, after)


async def _decide(
    session: AsyncSession,
    actor: Actor,
    company_id: object,
    exemption_id: object,
    states: tuple[str, ...],
) -> tuple[TaxExemption, list[TaxExemption]]:
    """Return the exemption that an admin decides about, and the company's others."""
    actor.require(Role.ADMIN)
    who = await allow(session, actor, company_id, Action.CHANGE_COMPANY)
    await queries.find(session, who.company_id, lock=True)
    rows = [row for row, _ in await queries.exemptions(session, who.company_id)]
    found = next((row for row in rows if row.id == exemption_id), None)
    if found is None or found.state not in states:
        raise ExemptionGone
    found.decided_by, found.decided_at = str(actor), clock.now()
    return found, [row for row in rows if row is not found]


async def count_asked(session: AsyncSession) -> int:
    """Return how many exemptions wait for an admin."""
    return await queries.count_asked_exemptions(session)
