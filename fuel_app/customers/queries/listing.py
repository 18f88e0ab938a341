"""Queries of the staff's list of customers, and of the notes about one.

A page follows an index of its order, O(offset + page); the count and a search read every customer,
O(customers).
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.customers.rules.listing import (
    ACTIVE,
    CLOSING,
    DEACTIVATED,
    PAGE_SIZE,
    PLAN_STATES,
    CustomerQuery,
    CustomerRow,
    Profile,
    Resident,
)
from fuel_app.customers.tables import CustomerNote, StoredAddress, StoredCustomer
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.lists import Page, pages_of
from fuel_app.leads.rules import fold
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.plans.rules import plans
from fuel_app.plans.rules.plans import BY_ID
from fuel_app.plans.tables import Subscription
from fuel_app.waitlist.tables import WaitlistSubmission

_id, _since = col(StoredCustomer.person_id), col(StoredCustomer.created_at)
_plan, _plan_state = col(Subscription.plan_id), col(Subscription.state)
_first, _last, _email = col(Person.first_name), col(Person.last_name), col(Person.email)
_there = col(Person.deleted_at).is_(None)
_active, _closing = col(Person.deactivated_at).is_(None), col(Person.delete_at).is_not(None)
_IN_STATE = {ACTIVE: _active, DEACTIVATED: ~_active & ~_closing, CLOSING: _closing}
_KEYS: dict[str, tuple[Any, ...]] = {
    "name": (_first, _last, col(Person.id)),
    "plan": (_plan, _since, _id),
    "since": (_since, _id),
}
_of_person, _of_plan = col(Person.id) == _id, col(Subscription.person_id) == _id
_ROW = (  # the fields of `CustomerRow`
    select(
        *(_id, func.trim(_first + " " + _last), func.coalesce(_email, ""), _plan, _plan_state),
        *(col(StoredCustomer.zip_code), _since, _active, _closing),
    )
    .join(Person, _of_person)
    .join(Subscription, _of_plan)
)


async def page(
    session: AsyncSession,
    query: CustomerQuery,
    zips: Collection[str] | None = None,
    only: Collection[str] | None = None,
) -> Page[CustomerRow]:
    """Return a page of the list; beyond the end, the last one. `only` names people."""
    matching = _matching(query)
    if zips is not None:
        matching.append(col(StoredCustomer.zip_code).in_(zips))
    if only is not None:
        matching.append(_id.in_(only))
    counted = select(func.count()).select_from(StoredCustomer).join(Person, _of_person)
    total = await session.scalar(counted.join(Subscription, _of_plan).where(*matching)) or 0
    pages = pages_of(total, PAGE_SIZE)
    number = min(query.page, pages)
    keys = [key.desc() if query.descending else key.asc() for key in _KEYS[query.column]]
    found = _ROW.where(*matching).order_by(*keys)
    rows = await session.execute(found.limit(PAGE_SIZE).offset((number - 1) * PAGE_SIZE))
    return Page(tuple(CustomerRow(*row) for row in rows), number, pages, total)


async def counts(session: AsyncSession) -> tuple[int, int]:
    """Count the customers, and those with an active plan."""
    active = func.count().filter(col(Subscription.state) == plans.ACTIVE)
    counted = select(func.count(), active).select_from(StoredCustomer)
    customers, active_plans = (
        await session.execute(counted.outerjoin(Subscription, _of_plan))
    ).one()
    return customers, active_plans


def _matching(query: CustomerQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_there]
    if query.plan in BY_ID:  # what does not exist filters nothing
        conditions.append(_plan == query.plan)
    if query.plan_state in PLAN_STATES:
        conditions.append(_plan_state == query.plan_state)
    if neighborhood := fold(query.neighborhood):
        conditions.append(col(StoredCustomer.submission_id).in_(_members(neighborhood)))
    if query.state in _IN_STATE:
        conditions.append(_IN_STATE[query.state])
    if query.q:
        # Both databases lower the letters from A to Z alone.
        typed = "".join(each.lower() if each.isascii() else each for each in query.q)
        name = func.lower(_first + " " + _last)
        parts = [text.contains(typed, autoescape=True) for text in (name, _email)]
        if query.phone_part:
            parts.append(col(Person.phone).contains(query.phone_part, autoescape=True))
        conditions.append(or_(*parts))
    return conditions


def _members(name: str) -> Select[Any]:
    """Select the submissions in neighborhoods whose folded name contains a text."""
    found = select(col(Neighborhood.id)).where(
        col(Neighborhood.search_name).contains(name, autoescape=True)
    )
    return select(col(WaitlistSubmission.id)).where(
        col(WaitlistSubmission.neighborhood_id).in_(found)
    )


async def residents(
    session: AsyncSession, zips: Collection[str], served: Collection[str]
) -> list[Resident]:
    """Return the customers who have an address in some ZIPs, by name; closed accounts have none.

    Args:
        served: The ZIPs in which customers can book; who has no address there is stranded.
    """
    address_of, zip_of = col(StoredAddress.person_id) == _id, col(StoredAddress.zip_code)
    signed_up_in = col(StoredCustomer.zip_code)  # counts until there is an address
    has_any = exists().where(address_of)

    def lives_in(some: Collection[str]) -> ColumnElement[bool]:
        typed = ~has_any & signed_up_in.in_(some)
        return exists().where(address_of, zip_of.in_(some)) | typed

    name = func.trim(_first + " " + _last)
    found = select(_id, name, ~lives_in(served), _plan_state).join(Person, _of_person)
    found = found.join(Subscription, _of_plan).where(_there, _active, lives_in(zips))
    rows = await session.execute(found.order_by(_first, _last, _id))
    return [
        Resident(person_id, shown, bool(stranded), state)
        for person_id, shown, stranded, state in rows
    ]


async def profile(session: AsyncSession, person_id: str) -> Profile | None:
    """Return one customer."""
    last = (
        select(func.max(col(AuditEntry.at)))
        .where(
            col(AuditEntry.subject_id) == person_id,
            col(AuditEntry.noun) == "person",
            col(AuditEntry.kind) == "signed_in",
        )
        .scalar_subquery()
    )
    found = select(Person, StoredCustomer, Subscription, last).join(StoredCustomer, _of_person)
    found = found.join(Subscription, _of_plan)
    row = (await session.execute(found.where(_id == person_id, _there))).first()
    return _profile(*row) if row else None


def _profile(
    person: Person, customer: StoredCustomer, chosen: Subscription, last_sign_in: datetime | None
) -> Profile:
    place = f"{customer.state} {customer.zip_code}".strip()
    return Profile(
        id=person.id,
        name=f"{person.first_name} {person.last_name}".strip(),
        email=person.email or "",
        email_verified=person.email_verified_at is not None,
        phone=person.phone,
        address=", ".join(filter(None, (customer.address, customer.city, place))),
        zip_code=customer.zip_code,
        plan_id=chosen.plan_id,
        plan_state=chosen.state,
        since=customer.created_at,
        last_sign_in=last_sign_in,
        is_active=person.deactivated_at is None,
        is_closing=person.delete_at is not None,
    )


async def notes(
    session: AsyncSession, person_id: str, most: int | None = None
) -> list[CustomerNote]:
    """Return the last notes about a customer, newest first."""
    theirs = select(CustomerNote).where(col(CustomerNote.person_id) == person_id)
    newest = theirs.order_by(col(CustomerNote.id).desc()).limit(most)
    return list(await session.scalars(newest))
