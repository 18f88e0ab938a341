"""Staff write proposals: drafts, what they would bring, new versions, the list."""

import asyncio
from datetime import date, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.service import company as areas
from fuel_app.areas.service import prices
from fuel_app.billing.service.invoices import next_number
from fuel_app.companies.rules.companies import COMPANY_MAX
from fuel_app.dispatch.service.days import SETUP_MINUTES, VEHICLE_MINUTES
from fuel_app.kit import audit, clock, contact, policies
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Pdf
from fuel_app.kit.policies import policy
from fuel_app.kit.search import searchable
from fuel_app.kit.signals import PROPOSALS
from fuel_app.leads.rules import zip_in
from fuel_app.proposals import providers, queries
from fuel_app.proposals.rules.calculator import Calculation, Known, calculate
from fuel_app.proposals.rules.documents import Document, document_of, evidence_facts
from fuel_app.proposals.rules.listing import (
    NO_NAME,
    ContactLine,
    Proposal,
    ProposalLine,
    Version,
    history_line,
)
from fuel_app.proposals.rules.states import (
    DRAFT,
    NOUN,
    REVISED,
    STATE_NAMES,
    WITHDRAWN,
    DraftChanged,
    NoFleetQuote,
    NotPossible,
    ProposalGone,
    ProposalQuery,
    may,
    name_of,
    state_of,
)
from fuel_app.proposals.rules.terms import ProposalTerms, terms_of_quote, typed_terms
from fuel_app.proposals.tables import StoredProposal
from fuel_app.submissions.service import lock_fleet_quote

PROPOSAL_DAYS = policy(
    "proposal_days", "A proposal is valid for", unit="days", default=30, least=1, most=180
)
MARGIN_FLOOR = policy(
    "proposal_margin",
    "An admin sends proposals with a margin a gallon below",
    unit="cents",
    default=25,
    least=0,
    most=500,
)
_HISTORY = 50


async def begin(lead_id: object, *, actor: Actor) -> str:
    """Begin a draft from a fleet quote, once: return the id of it, or of what has become of it.

    Raises:
        NoFleetQuote
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        quote = await lock_fleet_quote(session, lead_id)  # it begins one proposal
        if quote is None:
            raise NoFleetQuote
        if known := await queries.last_of_lead(session, quote["id"]):
            return known
        valid_until = await _valid_until(session)
        terms = terms_of_quote(quote, valid_until)
        number = await next_number(session, NOUN)
        row = StoredProposal(
            number=number,
            lead_id=quote["id"],
            terms=terms,
            valid_until=valid_until,
            made_by=str(actor),
            **_heading(terms),
        )
        return await _add(session, row)


async def revise(proposal_id: object, *, actor: Actor) -> str:
    """Make a new version of a proposal that was sent. Return its id, or that of its draft.

    The former one stands until the new one is sent.

    Raises:
        ProposalGone
        NotPossible: If it is accepted, say.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        row = await find_row(session, proposal_id)
        last = (await queries.lock_all(session, row.number))[-1]
        if last.state == DRAFT:
            return last.id
        if state_of(last.state, last.valid_until, day_of(clock.now())) not in REVISED:
            raise NotPossible
        valid_until = await _valid_until(session)
        terms = last.terms | {"valid_until": valid_until.isoformat()}
        version = StoredProposal(
            number=last.number,
            version=last.version + 1,
            kind=last.kind,
            lead_id=last.lead_id,
            terms=terms,
            valid_until=valid_until,
            made_by=str(actor),
            **_heading(terms),
        )
        return await _add(session, version)


async def _valid_until(session: AsyncSession) -> date:
    days = await policies.value(session, PROPOSAL_DAYS)
    return day_of(clock.now()) + timedelta(days=days)


async def _add(session: AsyncSession, row: StoredProposal) -> str:
    session.add(row)
    await session.flush()
    await note(session, row, "begun", row.made_by)
    return row.id


async def note(
    session: AsyncSession, row: StoredProposal, kind: str, by: str, **after: str
) -> None:
    """Write what happened to a version to the audit log, and tell the screens."""
    await audit.record(session, Action(NOUN, kind, by), [Change(row.id, None, after)])
    publish(session, PROPOSALS)


def _heading(terms: dict[str, Any]) -> dict[str, Any]:
    """Return what the list sorts and searches by."""
    name = contact.text(terms["company_name"])[:COMPANY_MAX]
    return {"company_name": name, "search_name": searchable(name)}


async def find_row(session: AsyncSession, proposal_id: object) -> StoredProposal:
    row = await queries.find(session, well_formed_id(proposal_id) or "")
    if row is None:
        raise ProposalGone
    return row


async def save(proposal_id: object, seen: int, sent: object, *, actor: Actor) -> int:
    """Keep what is typed in a draft, right or wrong. Return its new revision.

    Raises:
        DraftChanged: If it is not at the revision `seen`, or is no draft any more.
    """
    actor.require(Role.DISPATCHER)
    terms = typed_terms(sent)
    async with transaction() as session:
        saved = await queries.save_draft(
            session, well_formed_id(proposal_id) or "", seen, terms=terms, **_heading(terms)
        )
        if saved is None:
            raise DraftChanged
    return saved


async def calculation_of(typed: dict[str, Any], *, actor: Actor) -> Calculation:
    """Return what a draft would bring."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        return await calculate_in(session, typed)


async def calculate_in(session: AsyncSession, typed: dict[str, Any]) -> Calculation:
    """Return what a draft would bring, by the prices, costs and policies of now."""
    now, numbers = clock.now(), await policies.values(session)
    first_site = str(typed["sites"]).partition("\n")[0]
    area_id = await areas.area_of(session, zip_in(f" {first_site}"))
    costs = await prices.costs_at(session, now)
    here = await prices.prices_at(session, area_id, now, numbers=numbers)
    known = Known(
        area={grade: each.mills for grade, each in here.items()},
        published=await prices.published(session),
        costs={grade: mills for (of, grade), mills in costs.items() if of == area_id},
        setup_minutes=numbers[SETUP_MINUTES.name],
        vehicle_minutes=numbers[VEHICLE_MINUTES.name],
        floor=Money(numbers[MARGIN_FLOOR.name]),
    )
    return calculate(typed, known)


async def list_page(query: ProposalQuery, *, actor: Actor) -> Page[ProposalLine]:
    """Return a page of the list; beyond the end, the last one."""
    actor.require(Role.DISPATCHER)
    today = day_of(clock.now())
    async with reading() as session:
        page, rows = await queries.list_page(session, query, today)
    lines = tuple(
        ProposalLine.of(
            row.id,
            name_of(row.number, row.version),
            row.company_name,
            row.state,
            row.valid_until,
            row.sent_at,
            today,
        )
        for row in rows
    )
    return Page(lines, page.page, page.pages, page.total)


async def show(proposal_id: object, *, actor: Actor) -> tuple[Proposal, dict[str, Any], int] | None:
    """Return one version, what is typed in it, and its revision; None if there is none."""
    actor.require(Role.DISPATCHER)
    today = day_of(clock.now())
    async with reading() as session:
        row = await queries.find(session, well_formed_id(proposal_id) or "")
        if row is None:
            return None
        contacts = await queries.contacts(session, row.id)
        versions = await queries.versions(session, row.number)
        entries = await audit.history(session, NOUN, row.id, limit=_HISTORY)
        names = await directory.names_in(session, [each.actor for each in entries])
    state = state_of(row.state, row.valid_until, today)
    is_last = versions[0][0] == row.id
    shown = Proposal(
        id=row.id,
        name=name_of(row.number, row.version),
        company=row.company_name or NO_NAME,
        state=STATE_NAMES[state][0],
        color=STATE_NAMES[state][1],
        lead_id=row.lead_id,
        company_id=row.company_id or "",
        is_draft=state == DRAFT,
        may_revise=is_last and state in REVISED,
        may_withdraw=may(state, WITHDRAWN),
        reason=row.reason,
        document=document_in(row),
        evidence=evidence_facts(row.evidence) if row.evidence else [],
        contacts=[ContactLine.of(each.name, each.email, each.viewed_at) for each in contacts],
        versions=[
            Version(each[0], name_of(row.number, each[1]), *STATE_NAMES[state_of(*each[2:], today)])
            for each in versions
        ],
        history=[
            history_line(each.kind, each.at, names[each.actor], each.after) for each in entries
        ],
    )
    return shown, row.terms, row.revision


def document_in(row: StoredProposal) -> Document:
    """Return what a version says; of a draft that is not right yet, nothing."""
    if any(ProposalTerms.problems(row.terms).values()):
        return Document(name_of(row.number, row.version), row.company_name or NO_NAME)
    return document_of(ProposalTerms.parse(row.terms), row.number, row.version)


async def pdf_of(proposal_id: object, *, actor: Actor) -> Pdf | None:
    """Return the PDF of a version that was sent, or is right; None if there is none."""
    actor.require(Role.DISPATCHER)
    return await make_pdf(well_formed_id(proposal_id) or "")


async def make_pdf(proposal_id: str) -> Pdf | None:
    """Return a version as it was sent, with the page of evidence once it is accepted."""
    async with reading() as session:
        row = await queries.find(session, proposal_id)
    if row is None:
        return None
    document = document_in(row)
    data = row.document
    if data is None or row.evidence:
        data = await asyncio.to_thread(providers.render, document, row.evidence)
    return Pdf(document.file_name, data)
