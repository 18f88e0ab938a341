"""A proposal goes out, and its contacts answer it.

The link reaches one contact's own version. Whoever has it may read and decline; accepting takes a
code that is sent to the contact's address, so that a forwarded link binds nobody.
"""

import asyncio
import hashlib
from datetime import timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM_NAME, VISITOR_NAME, Actor, Purpose, Role
from fuel_app.accounts.rules.security import WrongCode
from fuel_app.accounts.service import directory
from fuel_app.accounts.service.directory import count_mail
from fuel_app.areas.service import company as areas
from fuel_app.areas.service import places
from fuel_app.companies.rules.founding import Founding
from fuel_app.companies.rules.sites import UnknownSiteZip
from fuel_app.companies.service.founding import found_company
from fuel_app.kit import clock, outbox, secrets
from fuel_app.kit.clock import day_of, long_date, morning
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import EMAIL_CODES, LINKS, SIGN_UP_CODES, VERIFICATIONS, throttle
from fuel_app.messages import service as messages
from fuel_app.messages.rules.kinds import OFFERED
from fuel_app.proposals import providers, queries
from fuel_app.proposals.rules.calculator import Calculation
from fuel_app.proposals.rules.documents import (
    Acceptance,
    Refused,
    document_of,
    evidence_facts,
    evidence_of,
)
from fuel_app.proposals.rules.listing import Offer
from fuel_app.proposals.rules.states import (
    ACCEPTED,
    DECLINED,
    DRAFT,
    SENT,
    SUPERSEDED,
    VIEWED,
    WITHDRAWN,
    DraftChanged,
    LinkUnknown,
    NeedsAdmin,
    NeedsReason,
    NotPossible,
    OfferOver,
    OpensSoon,
    may,
    name_of,
    over_text,
    state_of,
)
from fuel_app.proposals.rules.terms import Contact, ProposalTerms
from fuel_app.proposals.service.drafts import calculate_in, document_in, find_row, make_pdf, note
from fuel_app.proposals.tables import StoredContact, StoredProposal
from fuel_app.settings import settings
from fuel_app.submissions.service import close_won

log = structlog.get_logger(__name__)

outbox.MAKERS["proposal_document"] = make_pdf


async def prepare(proposal_id: object, seen: int, *, actor: Actor) -> tuple[list[str], str]:
    """Return to whom a draft would be sent, and why an admin has to say why; '' if not.

    Raises:
        As `send` does.
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        row = await find_row(session, proposal_id)
        terms, calculation = await _checked(session, row, seen, actor)
    return [str(each) for each in terms.contacts], calculation.approval


async def _checked(
    session: AsyncSession, row: StoredProposal, seen: int, actor: Actor
) -> tuple[ProposalTerms, Calculation]:
    """Return what a draft offers and would bring, if the actor may send it."""
    if row.state != DRAFT or row.revision != seen:
        raise DraftChanged
    terms = ProposalTerms.parse(row.terms)
    if terms.valid_until < day_of(clock.now()):
        raise InvalidForm({"valid_until": "This day is over"})
    for site in terms.sites:
        if await places.centre(site.zip_code) is None:
            raise InvalidForm({"sites": f"{site.zip_code}: {UnknownSiteZip.message}"})
    calculation = await calculate_in(session, row.terms)
    if calculation.approval and not actor.may(Role.ADMIN):
        raise NeedsAdmin(calculation.approval)
    return terms, calculation


async def send(proposal_id: object, seen: int, *, actor: Actor, reason: str = "") -> None:
    """Send a draft to its contacts. From now on it does not change, and the former version ends.

    Args:
        reason: Why an admin sends it below the floor.

    Raises:
        ProposalGone
        DraftChanged: If it is not at the revision `seen`, or was sent.
        InvalidForm: If it is not right yet.
        NeedsAdmin, NeedsReason: If its margin is below the floor, or unknown.
        NotPossible: If another version was accepted meanwhile.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        number = (await find_row(session, proposal_id)).number
        versions = await queries.lock_all(session, number)
        row = next(each for each in versions if each.id == proposal_id)
        terms, calculation = await _checked(session, row, seen, actor)
        if calculation.approval and not reason:
            raise NeedsReason(calculation.approval)
        if any(each.state == ACCEPTED for each in versions):
            raise NotPossible
        document = document_of(terms, row.number, row.version)
        row.document = await asyncio.to_thread(providers.render, document)
        row.sha256 = hashlib.sha256(row.document).hexdigest()
        row.state, row.valid_until = SENT, terms.valid_until
        row.sent_at, row.sent_by = clock.now(), str(actor)
        for former in versions:
            if former is not row and may(_state(former), SUPERSEDED):
                former.state = SUPERSEDED
                await _cancel_mails(session, former)
                await note(session, former, "superseded", str(actor))
        for each in terms.contacts:
            await _send_to(session, row, each)
        said = {"reason": f"{calculation.approval} {reason}"} if calculation.approval else {}
        await note(session, row, "sent", str(actor), **said)
    log.info("proposal.sent", number=number)


def _state(row: StoredProposal) -> str:
    return state_of(row.state, row.valid_until, day_of(clock.now()))


async def _send_to(session: AsyncSession, row: StoredProposal, to: Contact) -> None:
    contact = StoredContact(proposal_id=row.id, name=to.name, email=to.email)
    session.add(contact)
    await session.flush()
    payload = {
        "proposal_document": row.id,
        "proposal_contact": contact.id,
        "number": name_of(row.number, row.version),
        "company": row.company_name,
        "until": long_date(row.valid_until),
    }
    mail = messages.drafts(
        "proposal_sent",
        None,
        payload,
        to=contact.email,
        key=_mail_key(contact.id),
        good_until=morning(row.valid_until + timedelta(days=1)),
    )
    await outbox.add_all(session, mail)


def _mail_key(contact_id: str) -> str:
    return f"proposal:{contact_id}"


async def _cancel_mails(session: AsyncSession, row: StoredProposal) -> None:
    contacts = await queries.contacts(session, row.id)
    await messages.cancel_queued(session, *(_mail_key(each.id) for each in contacts))


async def withdraw(proposal_id: object, reason: str, *, actor: Actor) -> None:
    """Withdraw a draft, or a proposal that was not answered.

    Raises:
        ProposalGone
        NotPossible: If it was answered meanwhile.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        number = (await find_row(session, proposal_id)).number
        versions = await queries.lock_all(session, number)
        row = next(each for each in versions if each.id == proposal_id)
        if not may(_state(row), WITHDRAWN):
            raise NotPossible
        row.state, row.reason = WITHDRAWN, reason
        await _cancel_mails(session, row)
        await note(session, row, "withdrawn", str(actor), reason=reason)


async def open_link(token: object, address: str) -> Offer:
    """Return what a contact's link shows. Opening it notes nothing: mail scanners do.

    Raises:
        LinkUnknown
        TooManyRequests: After 20 unknown ones from an address in 15 minutes.
    """
    async with throttle().failing(LINKS, address):
        async with reading() as session:
            contact, row = await _find_linked(session, token)
        state = _state(row)
        over = over_text(state, row.valid_until)
        waits = None if over else await _waits(row)
        return Offer(
            document=document_in(row),
            contact=contact.name,
            email=contact.email,
            over=over,
            opens_soon=str(waits or ""),
            is_accepted=state == ACCEPTED,
            evidence=evidence_facts(row.evidence, contact.email) if row.evidence else [],
        )


async def _find_linked(
    session: AsyncSession, token: object
) -> tuple[StoredContact, StoredProposal]:
    found = await queries.find_contact(session, secrets.row_of(OFFERED, token))
    if found is None:
        raise LinkUnknown
    return found


async def _lock_linked(
    session: AsyncSession, token: object
) -> tuple[StoredContact, StoredProposal]:
    """Return a link's contact and version, with all versions locked."""
    contact, row = await _find_linked(session, token)
    versions = await queries.lock_all(session, row.number)
    return contact, next(each for each in versions if each.id == row.id)


async def _waits(row: StoredProposal) -> OpensSoon | None:
    """Return why a proposal cannot be accepted yet; None where the first site's area is open."""
    zip_code = ProposalTerms.parse(row.terms).sites[0].zip_code
    return None if await areas.serves(zip_code) else OpensSoon(zip_code)


async def note_viewed(token: object) -> None:
    """Note that a contact has the proposal before them; once for each. Raises LinkUnknown."""
    async with transaction() as session:
        contact, row = await _lock_linked(session, token)
        if contact.viewed_at or over_text(_state(row), row.valid_until):
            return
        contact.viewed_at = clock.now()
        if may(row.state, VIEWED):
            row.state = VIEWED
        await note(session, row, "viewed", VISITOR_NAME, contact=contact.name)


async def decline(token: object, form: Refused) -> None:
    """Decline a proposal, and tell the staff why.

    Raises:
        LinkUnknown
        OfferOver: If it was answered or has ended meanwhile.
    """
    async with transaction() as session:
        contact, row = await _lock_linked(session, token)
        _require_open(row)
        row.state, row.reason = DECLINED, form.reason
        payload = _told(row, contact) | {"reason": form.reason}
        await _tell_staff(session, "proposal_declined", row, payload)
        said = {"contact": contact.name, "reason": form.reason}
        await note(session, row, "declined", VISITOR_NAME, **said)


def _require_open(row: StoredProposal) -> None:
    if over := over_text(_state(row), row.valid_until):
        raise OfferOver(over)


def _told(row: StoredProposal, contact: StoredContact) -> dict[str, str]:
    return {
        "proposal_page": row.id,
        "number": name_of(row.number, row.version),
        "company": row.company_name,
        "name": contact.name,
    }


async def _tell_staff(
    session: AsyncSession, kind: str, row: StoredProposal, payload: dict[str, str]
) -> None:
    """Mail whoever has sent it; of the shared password, the company's own address."""
    person = well_formed_id(row.sent_by)
    own = {"person_id": person} if person else {"to": settings.support_email}
    await outbox.add(session, kind, payload=payload, key=f"{kind}:{row.id}", **own)


async def send_code(token: object, address: str) -> str:
    """Send a contact the code to accept with, in place of a former one. Return their e-mail.

    Raises:
        LinkUnknown
        OfferOver, OpensSoon: If it cannot be accepted, or not yet.
        TooManyRequests: After 5 in an hour to a contact, and as `count_mail` says.
    """
    async with reading() as session:
        contact, row = await _find_linked(session, token)
    await _require_acceptable(row)
    await throttle().spend(EMAIL_CODES, contact.id)
    await count_mail(contact.email, address)
    async with transaction() as session:
        contact, row = await _lock_linked(session, token)
        _require_open(row)
        contact.challenge_id = await directory.issue_code(
            session, Purpose.PROPOSAL, contact.challenge_id
        )
        payload = {"challenge": contact.challenge_id, "company": row.company_name}
        await outbox.add(session, "proposal_code", to=contact.email, payload=payload)
    return contact.email


async def _require_acceptable(row: StoredProposal) -> None:
    _require_open(row)
    if waits := await _waits(row):
        raise waits


async def accept(token: object, form: Acceptance, address: str) -> None:
    """Accept a proposal: in one transaction it becomes a company. A second time changes nothing.

    1. Lock the versions, so that of two tabs one comes first.
    2. Use the code up, which was sent to the contact alone; a wrong one counts as a try.
    3. Found the company with its sites, price rule and its owner's invitation.
    4. Close the lead as won, store the evidence, and mail the signed PDF to both sides.

    Raises:
        LinkUnknown
        OfferOver, OpensSoon: If it cannot be accepted, or not yet.
        InvalidForm: If the code is wrong, used or expired.
        TooManyRequests: After 20 wrong ones from an address, or 15 for a contact, in 15 minutes.
    """
    async with reading() as session:
        contact, row = await _find_linked(session, token)
    if row.state == ACCEPTED:
        return
    await _require_acceptable(row)
    async with (
        throttle().failing(VERIFICATIONS, address),
        throttle().failing(SIGN_UP_CODES, contact.id),
    ):
        async with transaction() as session:  # a wrong try is counted, so refuse after it
            is_right = await _accept(session, token, form, address)
        if not is_right:
            log.warning("proposal.code_refused")
            raise InvalidForm({"code": WrongCode.message})
    log.info("proposal.accepted", number=row.number)


async def _accept(session: AsyncSession, token: object, form: Acceptance, address: str) -> bool:
    contact, row = await _lock_linked(session, token)
    if row.state == ACCEPTED:  # in another tab, a moment ago
        return True
    _require_open(row)
    if not await directory.spend_code(session, Purpose.PROPOSAL, contact.challenge_id, form.code):
        return False
    row.company_id = await found_company(session, _founding(row, contact))
    row.state = ACCEPTED
    row.evidence = evidence_of(
        form, email=contact.email, address=address, at=clock.now(), sha256=row.sha256
    )
    await close_won(session, row.lead_id, SYSTEM_NAME)
    payload = _told(row, contact) | {
        "proposal_document": row.id,
        "name": form.name,
        "title": form.title,
    }
    await outbox.add(session, "proposal_accepted", to=contact.email, payload=payload)
    await _tell_staff(session, "proposal_accepted", row, payload)
    await note(session, row, "accepted", VISITOR_NAME, contact=f"{form.name}, {form.title}")
    return True


def _founding(row: StoredProposal, contact: StoredContact) -> Founding:
    terms = ProposalTerms.parse(row.terms)
    return Founding(
        name=terms.company_name,
        legal_name=terms.legal_name,
        kind=row.kind,
        billing_email=terms.billing_email,
        terms=terms.payment,
        invoice_cycle=terms.invoice_cycle,
        po_required=terms.po_required,
        sites=terms.sites,
        price_rule=terms.price_rule,
        owner_email=contact.email,
        actor=SYSTEM_NAME,
        made_by=well_formed_id(row.sent_by) or "",
    )
