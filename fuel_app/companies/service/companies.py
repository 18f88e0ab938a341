"""Companies as staff list and change them, and as their own people see them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.service import directory
from fuel_app.companies import queries
from fuel_app.companies.rules.companies import (
    CYCLE_NAMES,
    EMPLOYER,
    FLEET,
    KIND_NAMES,
    NEXT_STATES,
    NOUN,
    STATE_NAMES,
    TERM_NAMES,
    BillingEmails,
    ChangedMeanwhile,
    CompanyChange,
    CompanyDetails,
    CompanyProfile,
    CompanyQuery,
    CompanyRow,
    CompanyTerms,
    NotFromHere,
    StateChange,
    role_for,
)
from fuel_app.companies.rules.history import describe, people_in
from fuel_app.companies.rules.people import Action
from fuel_app.companies.rules.price_rules import PriceRule
from fuel_app.companies.service.access import allow, allow_change, record
from fuel_app.companies.tables import Company, StoredPriceRule
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page, pages_of
from fuel_app.kit.money import Money
from fuel_app.kit.search import searchable
from fuel_app.kit.signals import COMPANIES

_OWNER = "account_owner_id"


async def list_companies(actor: Actor, question: CompanyQuery) -> Page[CompanyRow]:
    """Return a page of the companies. Raises NotAllowed."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        found, page, total = await queries.list_page(session, question)
    rows = tuple(
        CompanyRow(
            id=company.id,
            name=company.name,
            kinds=", ".join(KIND_NAMES[kind] for kind in _kinds(company)),
            state=company.state,
            state_name=STATE_NAMES[company.state],
            sites=sites,
            people=people,
            terms=f"{TERM_NAMES[company.terms]}, {CYCLE_NAMES[company.invoice_cycle].lower()}",
            owner=owner,
            since=clock.short_date(clock.day_of(company.created_at)),
        )
        for company, sites, people, owner in found
    )
    return Page(rows, page, pages_of(total, queries.PAGE_SIZE), total)


def _kinds(company: Company) -> tuple[str, ...]:
    held = ((FLEET, company.is_fleet), (EMPLOYER, company.is_employer))
    return tuple(kind for kind, is_so in held if is_so)


async def read_company(actor: Actor, company_id: object) -> CompanyProfile:
    """Return a company. Raises as `allow` does."""
    async with reading() as session:
        who = await allow(session, actor, company_id, Action.SEE_OVERVIEW)
        company = await queries.find(session, who.company_id)
        rules = await queries.price_rules(session, company.id)
        owner = company.account_owner_id or ""
        names = await directory.names_in(session, [owner] if owner else [])
    limit = company.credit_limit_cents
    return CompanyProfile(
        id=company.id,
        name=company.name,
        legal_name=company.legal_name,
        kinds=_kinds(company),
        billing_emails=tuple(company.billing_emails),
        street=company.street,
        city=company.city,
        state_code=company.state_code,
        zip_code=company.zip_code,
        terms=company.terms,
        invoice_cycle=company.invoice_cycle,
        po_required=company.po_required,
        credit_limit="" if limit is None else Money(limit).decimal,
        credit_limit_text="" if limit is None else Money(limit).short,
        state=company.state,
        state_reason=company.state_reason,
        account_owner_id=owner,
        account_owner=names.get(owner, ""),
        price_rule=price_rule_of(rules[0]).label if rules else "",
        since=clock.long_date(clock.day_of(company.created_at)),
        revision=company.revision,
    )


def price_rule_of(row: StoredPriceRule) -> PriceRule:
    """Return a stored version of a price rule."""
    return PriceRule(
        basis=row.basis,
        offset_mills=row.offset_mills,
        floor_mills=row.floor_mills,
        cap_mills=row.cap_mills,
        fixed_mills=row.fixed_mills,
        source=row.source,
    )


async def change_details(
    actor: Actor, company_id: object, form: CompanyDetails, revision: object
) -> None:
    """Change a company's names, billing e-mails and address.

    Args:
        revision: Of the company as the form was filled in.

    Raises:
        CompanyGone, NotAllowed: As `allow` does; NotAllowed for a closed company, too.
        ChangedMeanwhile
    """
    async with transaction() as session:
        company = await _lock(session, actor, company_id, Action.CHANGE_COMPANY, revision)
        values = form.model_dump() | {"billing_emails": list(form.billing_emails)}
        values["state_code"] = values.pop("state")
        changed = sorted(name for name in values if getattr(company, name) != values[name])
        company.sqlmodel_update(values)
        company.search_name = searchable(f"{form.name} {form.legal_name}")
        await _record(session, "details_changed", actor, company, {"fields": changed})


async def change_billing_emails(
    actor: Actor, company_id: object, form: BillingEmails, revision: object
) -> None:
    """Change where a company's invoices go. Raises as `change_details` does."""
    async with transaction() as session:
        company = await _lock(session, actor, company_id, Action.CHANGE_BILLING, revision)
        company.billing_emails = list(form.billing_emails)
        await _record(session, "details_changed", actor, company, {"fields": ["billing_emails"]})


async def change_terms(
    actor: Actor, company_id: object, form: CompanyTerms, revision: object
) -> str:
    """Change what a company is, how it pays and up to how much: an admin's alone.

    Return the action's id.

    Raises:
        CompanyGone, NotAllowed, ChangedMeanwhile: As `change_details` does.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        company = await _lock(session, actor, company_id, Action.CHANGE_COMPANY, revision)
        limit = form.credit_limit
        values = {
            "is_fleet": FLEET in form.kinds,
            "is_employer": EMPLOYER in form.kinds,
            "terms": form.terms,
            "invoice_cycle": form.invoice_cycle,
            "po_required": form.po_required,
            "credit_limit_cents": limit.cents if limit else None,
        }
        before = {name: getattr(company, name) for name in values}
        company.sqlmodel_update(values)
        return await _record(session, "terms_changed", actor, company, values, before)


async def owner_choices(actor: Actor) -> dict[str, str]:
    """Return the names of those who may look after a company by their ids. Raises NotAllowed."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        return await directory.with_roles(session, Role.DISPATCHER, Role.ADMIN)


async def set_account_owner(actor: Actor, company_id: object, person_id: object) -> str:
    """Make a member of the staff the one who looks after a company; an empty id is nobody.

    Return the action's id.

    Raises:
        CompanyGone, NotAllowed: NotAllowed also for a person who is not on the staff.
    """
    actor.require(Role.DISPATCHER)
    chosen = well_formed_id(person_id)
    async with transaction() as session:
        who = await allow(session, actor, company_id, Action.CHANGE_COMPANY)
        company = await queries.find(session, who.company_id, lock=True)
        if chosen and not await directory.is_staff(session, chosen):
            raise NotAllowed
        before, after = {_OWNER: company.account_owner_id}, {_OWNER: chosen}
        company.account_owner_id = chosen
        return await _record(session, "owner_set", actor, company, after, before)


async def set_state(actor: Actor, company_id: object, state: str, form: StateChange) -> str:
    """Hold, resume or close a company, with the reason that both sides read.

    Return the action's id.

    Raises:
        CompanyGone
        NotAllowed: If it takes an admin.
        NotFromHere: If the company is not in a state for it any more.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        who = await allow(session, actor, company_id, Action.CHANGE_COMPANY)
        company = await queries.find(session, who.company_id, lock=True)
        if state not in NEXT_STATES[company.state]:
            raise NotFromHere
        actor.require(role_for(company.state, state))
        before = {"state": company.state, "state_reason": company.state_reason}
        company.state, company.state_reason = state, form.reason
        after = {"state": state, "state_reason": form.reason}
        return await _record(session, "state_changed", actor, company, after, before)


@audit.undoes(NOUN, "state_changed", "terms_changed", "owner_set", topics=(COMPANIES,))
async def _revert(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    (entry,) = entries
    company, after = await queries.find(session, entry.subject_id, lock=True), entry.after or {}
    if any(getattr(company, name) != after[name] for name in after):
        raise ChangedSince
    company.sqlmodel_update(entry.before or {})
    company.revision += 1
    return {company.id}


async def list_changes(actor: Actor, company_id: object) -> list[CompanyChange]:
    """Return the last hundred changes of a company, the newest first. Raises NotAllowed."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        known_id = well_formed_id(company_id) or ""
        entries = await audit.history(session, NOUN, known_id, limit=100)
        named = {value for entry in entries for value in people_in(entry.before, entry.after)}
        names = await directory.names_in(session, {*named, *(each.actor for each in entries)})
    return [
        CompanyChange(
            what=describe(entry.kind, entry.before or {}, entry.after or {}, names),
            who=names[entry.actor],
            when=clock.date_and_time(entry.at) + (", undone" if entry.undone_at else ""),
        )
        for entry in entries
    ]


async def _lock(
    session: AsyncSession, actor: Actor, company_id: object, action: Action, revision: object
) -> Company:
    """Return a company, locked, as the form was about it."""
    who = await allow_change(session, actor, company_id, action)
    company = await queries.find(session, who.company_id)
    if revision != company.revision:
        raise ChangedMeanwhile
    return company


async def _record(
    session: AsyncSession,
    kind: str,
    actor: Actor,
    company: Company,
    after: dict[str, Any],
    before: dict[str, Any] | None = None,
) -> str:
    company.revision += 1
    return await record(session, kind, actor, company.id, after, before)
