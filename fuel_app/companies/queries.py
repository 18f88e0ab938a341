"""Queries on companies: memberships, invitations, sites, lines of their books, the staff's list.

A person has a handful of companies, a company up to 200 people and sites: those lists are read
whole. The staff's list counts and searches all companies.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import NotAllowed
from fuel_app.accounts.tables import Person
from fuel_app.companies.rules.companies import CLOSED, EMPLOYER, FLEET, CompanyGone, CompanyQuery
from fuel_app.companies.rules.documents import ASKED
from fuel_app.companies.rules.people import CompanyRole, Membership
from fuel_app.companies.tables import (
    Company,
    CompanyDocument,
    CompanyInvitation,
    CompanyPerson,
    StoredCostCenter,
    StoredPriceRule,
    StoredPurchaseOrder,
    StoredSite,
    TaxExemption,
)
from fuel_app.kit.db.session import find_row
from fuel_app.kit.search import words_of

PAGE_SIZE = 25

_id, _name = col(Company.id), col(Company.name)
_company, _person = col(CompanyPerson.company_id), col(CompanyPerson.person_id)
Line = TypeVar("Line", StoredSite, StoredCostCenter, StoredPurchaseOrder)


async def find(session: AsyncSession, company_id: str, *, lock: bool = False) -> Company:
    """Return a company. Raises CompanyGone."""
    row = await find_row(session, Company, company_id, lock=lock)
    if row is None:
        raise CompanyGone
    return row


async def memberships(session: AsyncSession, person_id: str) -> list[Membership]:
    """Return a person's companies: the one last turned to first, then by name."""
    own = select(CompanyPerson, Company).join(Company, _company == _id)
    order = col(CompanyPerson.chosen_at).desc().nulls_last(), _name, _id
    rows = await session.execute(own.where(_person == person_id).order_by(*order))
    return [_membership(person, company) for person, company in rows]


async def find_membership(
    session: AsyncSession, person_id: str, company_id: str
) -> Membership | None:
    """Return a person's place in one company."""
    own = select(CompanyPerson, Company).join(Company, _company == _id)
    row = (await session.execute(own.where(_person == person_id, _company == company_id))).first()
    return _membership(*row) if row else None


def _membership(person: CompanyPerson, company: Company) -> Membership:
    return Membership(
        company_id=company.id,
        company_name=company.name,
        person_id=person.person_id,
        role=CompanyRole(person.role),
        sites=None if person.sites is None else frozenset(person.sites),
        is_closed=company.state == CLOSED,
    )


async def require_open(session: AsyncSession, company_id: str) -> Company:
    """Lock a company that is not closed. Raises CompanyGone, NotAllowed."""
    company = await find(session, company_id, lock=True)
    if company.state == CLOSED:
        raise NotAllowed
    return company


async def people(session: AsyncSession, company_id: str) -> list[tuple[CompanyPerson, Person]]:
    """Return a company's people by name."""
    by_name = col(Person.first_name), col(Person.last_name), col(Person.id)
    both = select(CompanyPerson, Person).join(Person, _person == col(Person.id))
    rows = await session.execute(both.where(_company == company_id).order_by(*by_name))
    return [(member, person) for member, person in rows]


async def find_member(
    session: AsyncSession, company_id: str, person_id: str
) -> CompanyPerson | None:
    key = {"company_id": company_id, "person_id": person_id}
    return await session.get(CompanyPerson, key, populate_existing=True)


async def members_of(session: AsyncSession, person_id: str) -> list[CompanyPerson]:
    """Return the rows of a person's places in companies, as they are stored now."""
    own = select(CompanyPerson).where(_person == person_id).order_by(_company)
    return list(await session.scalars(own, execution_options={"populate_existing": True}))


async def has_other_owner(session: AsyncSession, company_id: str, person_id: str) -> bool:
    """Return whether a company has an owner besides this person whose account is active."""
    owners = (
        select(_person)
        .join(Person, _person == col(Person.id))
        .where(
            _company == company_id,
            _person != person_id,
            col(CompanyPerson.role) == CompanyRole.OWNER.value,
            col(Person.deactivated_at).is_(None),
        )
    )
    return await session.scalar(owners.limit(1)) is not None


def _open_invitations(now: datetime) -> Select[CompanyInvitation]:
    return select(CompanyInvitation).where(
        col(CompanyInvitation.accepted_at).is_(None),
        col(CompanyInvitation.withdrawn_at).is_(None),
        col(CompanyInvitation.expires_at) > now,
    )


async def invitations(
    session: AsyncSession, company_id: str, now: datetime
) -> list[CompanyInvitation]:
    """Return a company's open invitations, the newest first."""
    statement = _open_invitations(now).where(col(CompanyInvitation.company_id) == company_id)
    return list(await session.scalars(statement.order_by(col(CompanyInvitation.id).desc())))


async def invitations_to(
    session: AsyncSession, email: str, now: datetime
) -> list[tuple[CompanyInvitation, Company]]:
    """Return the open invitations to an e-mail, with their companies."""
    statement = (
        _open_invitations(now)
        .add_columns(Company)
        .join(Company, col(CompanyInvitation.company_id) == _id)
        .where(col(CompanyInvitation.email) == email)
        .order_by(col(CompanyInvitation.id))
    )
    return [(row[0], row[1]) for row in await session.execute(statement)]


async def find_invitation(
    session: AsyncSession, invitation_id: str, now: datetime, *, lock: bool = False
) -> CompanyInvitation | None:
    """Return an open invitation."""
    statement = _open_invitations(now).where(col(CompanyInvitation.id) == invitation_id)
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    return await session.scalar(statement)


async def withdraw_invitations(
    session: AsyncSession, company_id: str, email: str, now: datetime
) -> None:
    """Withdraw the open invitations of a company to an e-mail."""
    open_ones = update(CompanyInvitation).where(
        col(CompanyInvitation.company_id) == company_id,
        col(CompanyInvitation.email) == email,
        col(CompanyInvitation.accepted_at).is_(None),
        col(CompanyInvitation.withdrawn_at).is_(None),
    )
    await session.execute(
        open_ones.values(withdrawn_at=now), execution_options={"synchronize_session": False}
    )


def _name_of(table: Any) -> Any:
    return table.number if table is StoredPurchaseOrder else table.name


async def withdraw_sent_by(
    session: AsyncSession, company_id: str, person_id: str, now: datetime
) -> None:
    """Withdraw the open invitations that a person of a company has sent."""
    sent = update(CompanyInvitation).where(
        col(CompanyInvitation.company_id) == company_id,
        col(CompanyInvitation.invited_by) == person_id,
        col(CompanyInvitation.accepted_at).is_(None),
        col(CompanyInvitation.withdrawn_at).is_(None),
    )
    await session.execute(
        sent.values(withdrawn_at=now), execution_options={"synchronize_session": False}
    )


async def lines(session: AsyncSession, table: type[Line], company_id: str) -> list[Line]:
    """Return a company's lines of a table by name, those that are open first."""
    own = select(table).where(col(table.company_id) == company_id)
    order = col(table.closed_at).is_not(None), _name_of(table), col(table.id)
    return list(await session.scalars(own.order_by(*order)))


async def find_line(
    session: AsyncSession, table: type[Line], company_id: str, line_id: str
) -> Line | None:
    """Return a line of this company; None for another's."""
    row = await find_row(session, table, line_id)
    return row if row and row.company_id == company_id else None


async def has_line(
    session: AsyncSession, table: type[Line], company_id: str, name: str, *, but: str
) -> bool:
    """Return whether another line of the company has this name or number."""
    other = select(col(table.id)).where(
        col(table.company_id) == company_id, _name_of(table) == name, col(table.id) != but
    )
    return await session.scalar(other.limit(1)) is not None


async def price_rules(session: AsyncSession, company_id: str) -> list[StoredPriceRule]:
    """Return the versions of a company's price rule, the newest first."""
    own = select(StoredPriceRule).where(col(StoredPriceRule.company_id) == company_id)
    return list(await session.scalars(own.order_by(col(StoredPriceRule.version).desc())))


async def exemptions(
    session: AsyncSession, company_id: str
) -> list[tuple[TaxExemption, CompanyDocument]]:
    """Return a company's tax exemptions with their certificates' names, the newest first."""
    both = (
        select(TaxExemption, CompanyDocument)
        .join(CompanyDocument, col(TaxExemption.document_id) == col(CompanyDocument.id))
        .where(col(TaxExemption.company_id) == company_id)
        .order_by(col(TaxExemption.id).desc())
    )
    return [(row[0], row[1]) for row in await session.execute(both)]


async def count_asked_exemptions(session: AsyncSession) -> int:
    asked = select(func.count()).where(col(TaxExemption.state) == ASKED)
    return await session.scalar(asked) or 0


async def asked_exemptions(session: AsyncSession, limit: int) -> list[tuple[TaxExemption, Company]]:
    """Return the first exemptions that wait for an admin, with their companies."""
    waiting = (
        select(TaxExemption, Company)
        .join(Company, col(TaxExemption.company_id) == _id)
        .where(col(TaxExemption.state) == ASKED)
        .order_by(col(TaxExemption.id))
    )
    return [(row[0], row[1]) for row in await session.execute(waiting.limit(limit))]


async def permits_ending(
    session: AsyncSession, until: date, limit: int
) -> tuple[list[tuple[StoredSite, Company]], int]:
    """Return open sites whose permit ends by a day, the first to end first, and how many."""
    wanted = (
        select(StoredSite, Company)
        .join(Company, col(StoredSite.company_id) == _id)
        .where(
            col(StoredSite.permit_valid_to) <= until,
            col(StoredSite.permit_number) != "",
            col(StoredSite.closed_at).is_(None),
            col(Company.state) != CLOSED,
        )
    )
    total = await session.scalar(select(func.count()).select_from(wanted.subquery())) or 0
    first = wanted.order_by(col(StoredSite.permit_valid_to), col(StoredSite.id)).limit(limit)
    return [(row[0], row[1]) for row in await session.execute(first)], total


async def count_documents(session: AsyncSession, company_id: str) -> int:
    own = select(func.count()).where(col(CompanyDocument.company_id) == company_id)
    return await session.scalar(own) or 0


async def delete_document(session: AsyncSession, document_id: str | None) -> None:
    """Delete a file that another one has replaced."""
    gone = delete(CompanyDocument).where(col(CompanyDocument.id) == document_id)
    await session.execute(gone, execution_options={"synchronize_session": False})


async def list_page(
    session: AsyncSession, question: CompanyQuery
) -> tuple[list[tuple[Company, int, int, str]], int, int]:
    """Return a page of companies, each with its sites, people and account owner, and the counts.

    O(companies) for the count and a search, an index scan for the page of names.
    """
    wanted = _wanted(question)
    total = await session.scalar(select(func.count()).select_from(wanted.subquery())) or 0
    pages = max(1, -(-total // PAGE_SIZE))
    page = min(question.page, pages)
    columns: dict[str, Any] = {
        "name": _name,
        "state": col(Company.state),
        "created_at": col(Company.created_at),
    }
    column = columns[question.column]
    ordered = wanted.order_by(column.desc() if question.descending else column, _id)
    sites = (
        select(func.count())
        .where(col(StoredSite.company_id) == _id, col(StoredSite.closed_at).is_(None))
        .correlate(Company)
        .scalar_subquery()
    )
    members = select(func.count()).where(_company == _id).correlate(Company).scalar_subquery()
    owner = (
        select(col(Person.first_name) + " " + col(Person.last_name))
        .where(col(Person.id) == col(Company.account_owner_id))
        .correlate(Company)
        .scalar_subquery()
    )
    rows = await session.execute(
        ordered.add_columns(sites, members, owner).limit(PAGE_SIZE).offset((page - 1) * PAGE_SIZE)
    )
    return [(row[0], row[1], row[2], (row[3] or "").strip()) for row in rows], page, total


def _wanted(question: CompanyQuery) -> Select[Company]:
    wanted = select(Company)
    for word in words_of(question.q):
        wanted = wanted.where(col(Company.search_name).contains(word, autoescape=True))
    if question.state:
        wanted = wanted.where(col(Company.state) == question.state)
    kinds = {FLEET: col(Company.is_fleet), EMPLOYER: col(Company.is_employer)}
    return wanted.where(kinds[question.kind]) if question.kind else wanted


async def zips_in_use(session: AsyncSession, zips: Sequence[str]) -> int:
    """Return how many companies that are not closed have an open site in one of these ZIPs."""
    there = (
        select(func.count(func.distinct(_id)))
        .join(StoredSite, col(StoredSite.company_id) == _id)
        .where(
            col(StoredSite.zip_code).in_(zips),
            col(StoredSite.closed_at).is_(None),
            col(Company.state) != CLOSED,
        )
    )
    return await session.scalar(there) or 0


async def erase_person(session: AsyncSession, email: str) -> None:
    """Remove an e-mail from the invitations that it got."""
    invited = update(CompanyInvitation).where(col(CompanyInvitation.email) == email)
    await session.execute(
        invited.values(email=""), execution_options={"synchronize_session": False}
    )
