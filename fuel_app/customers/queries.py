"""Queries on customers: their accounts, vehicles and locations, the staff's list, neighborhoods.

A page of the list follows an index of its order, O(offset + page); its count and a search read all
customers. Members of a neighborhood count for money once their e-mail is verified.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    delete,
    exists,
    false,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import AccountGone
from fuel_app.accounts.tables import Person
from fuel_app.customers.rules.customers import (
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
from fuel_app.customers.tables import CustomerNote, StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page, pages_of
from fuel_app.leads.rules import fold
from fuel_app.neighborhoods.rules import TIERS
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.plans.rules import plans
from fuel_app.plans.rules.plans import ACTIVE as PLAN_ACTIVE
from fuel_app.plans.rules.plans import BY_ID, PAST_DUE
from fuel_app.plans.tables import Subscription
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission

_person, _submission = col(StoredCustomer.person_id), col(StoredCustomer.submission_id)
_joined = col(WaitlistSubmission.created_at)


async def add(session: AsyncSession, person_id: str, *, zip_code: str) -> StoredCustomer:
    """Store the customer account of a new person."""
    row = StoredCustomer(person_id=person_id, zip_code=zip_code)
    session.add(row)
    await session.flush()
    return row


async def find(
    session: AsyncSession, person_id: str, *, lock: bool = False
) -> StoredCustomer | None:
    """Return a person's customer account; `lock` keeps it as it is in this transaction."""
    statement = select(StoredCustomer).where(_person == person_id)
    return await session.scalar(statement.with_for_update() if lock else statement)


async def find_with_plan(
    session: AsyncSession, person_id: str
) -> tuple[StoredCustomer | None, Subscription | None]:
    """Return a person's customer account, and their subscription."""
    chosen = select(StoredCustomer, Subscription).outerjoin(Subscription, _of_plan)
    row = (await session.execute(chosen.where(_person == person_id))).first()
    return (row[0], row[1]) if row else (None, None)


async def find_with_entry(
    session: AsyncSession, person_id: str
) -> tuple[StoredCustomer | None, WaitlistSubmission | None]:
    """Return a person's customer account, and the waitlist entry that it is linked to."""
    linked = select(StoredCustomer, WaitlistSubmission).outerjoin(
        WaitlistSubmission, col(WaitlistSubmission.id) == _submission
    )
    row = (await session.execute(linked.where(_person == person_id))).first()
    return (row[0], row[1]) if row else (None, None)


async def find_all(
    session: AsyncSession, ids: Collection[str], *, lock: bool = False
) -> list[StoredCustomer]:
    """Return people's customer accounts; `lock` keeps them as they are in this transaction."""
    statement = select(StoredCustomer).where(_person.in_(ids)).order_by(_person)
    return list(await session.scalars(statement.with_for_update() if lock else statement))


async def lock(session: AsyncSession, person_id: str) -> StoredCustomer:
    """Lock a customer account until the transaction ends. Raises AccountGone."""
    customer = await find(session, person_id, lock=True)
    if customer is None:
        raise AccountGone
    return customer


async def is_linked(session: AsyncSession, submission_id: str) -> bool:
    """Return whether a waitlist submission belongs to a customer."""
    return bool(await session.scalar(select(exists().where(_submission == submission_id))))


async def linked_submissions(
    session: AsyncSession, submission_ids: Collection[str] | None = None
) -> set[str]:
    """Return those of these waitlist submissions that belong to customers; without any, all."""
    given = _submission.is_not(None) if submission_ids is None else _submission.in_(submission_ids)
    return {each for each in await session.scalars(select(_submission).where(given)) if each}


async def referrer_of(session: AsyncSession, person_id: str) -> str | None:
    """Return the customer whose submission has referred that of a person."""
    theirs = select(_submission).where(_person == person_id).scalar_subquery()
    referrer = select(col(WaitlistSubmission.referred_by_id))
    asked = referrer.where(col(WaitlistSubmission.id) == theirs).scalar_subquery()
    return await session.scalar(select(_person).where(_submission == asked))


async def waitlist_entry(session: AsyncSession, submission_id: str) -> tuple[datetime, bool] | None:
    """Return when a visitor joined the waitlist, and whether the whole first fill is free."""
    entry = select(_joined, col(WaitlistSubmission.free_fill_whole))
    row = await session.execute(entry.where(col(WaitlistSubmission.id) == submission_id))
    found = row.one_or_none()
    return (found[0], found[1]) if found else None


async def erase_customer(session: AsyncSession, person_id: str) -> None:
    """Remove the personal data of a customer: the address, the waitlist entry, and what the staff
    noted."""
    if entry := await session.scalar(select(_submission).where(_person == person_id)):
        await waitlist.remove(session, entry)
    statement = update(StoredCustomer).where(_person == person_id)
    await session.execute(statement.values(address="", city="", state="", zip_code=""))
    await session.execute(delete(CustomerNote).where(col(CustomerNote.person_id) == person_id))


Stored = TypeVar("Stored", StoredVehicle, StoredAddress)


async def rows_of(session: AsyncSession, table: type[Stored], person_id: str) -> list[Stored]:
    """Return a person's rows, oldest first."""
    statement = select(table).where(col(table.person_id) == person_id)
    return list(await session.scalars(statement.order_by(col(table.id))))


async def find_row(
    session: AsyncSession, table: type[Stored], person_id: str, row_id: object
) -> Stored | None:
    """Return one of a person's rows; None for an id that is not theirs."""
    statement = select(table).where(col(table.person_id) == person_id)
    return await session.scalar(statement.where(col(table.id) == (well_formed_id(row_id) or "")))


async def find_rows(
    session: AsyncSession, table: type[Stored], wanted: Collection[tuple[str, object]]
) -> dict[tuple[str, object], Stored]:
    """Return rows by person and id; ids that are not that person's are left out."""
    ids = {pair: well_formed_id(pair[1]) or "" for pair in wanted}
    statement = select(table).where(col(table.id).in_({*ids.values()}))
    rows = {row.id: row for row in await session.scalars(statement)} if ids else {}
    known = ((pair, rows.get(row_id)) for pair, row_id in ids.items())
    return {pair: row for pair, row in known if row and row.person_id == pair[0]}


async def clear_default_location(session: AsyncSession, person_id: str) -> None:
    statement = update(StoredAddress).where(col(StoredAddress.person_id) == person_id)
    await session.execute(statement.values(is_default=False))


async def erase_garage(session: AsyncSession, person_id: str) -> None:
    """Remove a person's vehicles and addresses."""
    for table in (StoredVehicle, StoredAddress):
        await session.execute(delete(table).where(col(table.person_id) == person_id))


_since = col(StoredCustomer.created_at)
_plan, _plan_state = col(Subscription.plan_id), col(Subscription.state)
_first, _last, _email = col(Person.first_name), col(Person.last_name), col(Person.email)
_there = col(Person.deleted_at).is_(None)
_active, _closing = col(Person.deactivated_at).is_(None), col(Person.delete_at).is_not(None)
_IN_STATE = {ACTIVE: _active, DEACTIVATED: ~_active & ~_closing, CLOSING: _closing}
_KEYS: dict[str, tuple[Any, ...]] = {
    "name": (_first, _last, col(Person.id)),
    "plan": (_plan, _since, _person),
    "since": (_since, _person),
}
_of_person, _of_plan = col(Person.id) == _person, col(Subscription.person_id) == _person
_ROW = (  # the fields of `CustomerRow`
    select(
        _person,
        func.trim(_first + " " + _last),
        func.coalesce(_email, ""),
        _plan,
        _plan_state,
        col(StoredCustomer.zip_code),
        _since,
        _active,
        _closing,
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
        matching.append(_person.in_(only))
    counted = select(func.count()).select_from(StoredCustomer).join(Person, _of_person)
    total = await session.scalar(counted.join(Subscription, _of_plan).where(*matching)) or 0
    pages = pages_of(total, PAGE_SIZE)
    number = min(query.page, pages)
    keys = [key.desc() if query.descending else key.asc() for key in _KEYS[query.column]]
    found = _ROW.where(*matching).order_by(*keys)
    rows = await session.execute(found.limit(PAGE_SIZE).offset((number - 1) * PAGE_SIZE))
    return Page(tuple(CustomerRow(*row) for row in rows), number, pages, total)


async def count_all(session: AsyncSession) -> tuple[int, int]:
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
        conditions.append(col(StoredCustomer.submission_id).in_(_submissions_in(neighborhood)))
    if query.state in _IN_STATE:
        conditions.append(_IN_STATE[query.state])
    if query.q:
        conditions.append(_found_by(query))
    return conditions


_plate = col(StoredVehicle.license_plate)
_bare_plate = func.replace(func.replace(func.replace(_plate, " ", ""), "-", ""), ".", "")


def _found_by(query: CustomerQuery) -> ColumnElement[bool]:
    """Return what finds a customer: each word in a name, the e-mail, a plate or an address, in any
    order; or a part of the phone.

    Each word reads the people, vehicles and addresses once.
    """
    found = and_(*map(_has_word, query.words)) if query.words else false()
    if query.phone_part:
        found |= col(Person.phone).contains(query.phone_part, autoescape=True)
    return found


def _has_word(word: str) -> ColumnElement[bool]:
    cars = select(col(StoredVehicle.person_id)).where(_bare_plate.contains(word.upper()))
    places = select(col(StoredAddress.person_id)).where(col(StoredAddress.search).contains(word))
    return or_(
        col(Person.search_name).contains(word),
        _email.contains(word),
        col(StoredCustomer.zip_code).startswith(word),
        func.lower(col(StoredCustomer.address)).contains(word),
        _person.in_(cars),
        _person.in_(places),
    )


def _submissions_in(name: str) -> Select[Any]:
    """Select the submissions in neighborhoods whose folded name contains a text."""
    statement = select(col(Neighborhood.id)).where(
        col(Neighborhood.search_name).contains(name, autoescape=True)
    )
    return select(col(WaitlistSubmission.id)).where(
        col(WaitlistSubmission.neighborhood_id).in_(statement)
    )


async def residents(
    session: AsyncSession, zips: Collection[str], served: Collection[str]
) -> list[Resident]:
    """Return the customers who have an address in some ZIPs, by name; closed accounts have none.

    Args:
        served: The ZIPs in which customers can book; who has no address there is stranded.
    """
    address_of, zip_of = col(StoredAddress.person_id) == _person, col(StoredAddress.zip_code)
    signed_up_in = col(StoredCustomer.zip_code)  # counts until there is an address
    has_any = exists().where(address_of)

    def lives_in(some: Collection[str]) -> ColumnElement[bool]:
        typed = ~has_any & signed_up_in.in_(some)
        return exists().where(address_of, zip_of.in_(some)) | typed

    name = func.trim(_first + " " + _last)
    statement = select(_person, name, ~lives_in(served), _plan_state).join(Person, _of_person)
    statement = statement.join(Subscription, _of_plan).where(_there, _active, lives_in(zips))
    rows = await session.execute(statement.order_by(_first, _last, _person))
    return [
        Resident(person_id, shown, bool(stranded), state)
        for person_id, shown, stranded, state in rows
    ]


async def find_profile(session: AsyncSession, person_id: str) -> Profile | None:
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
    statement = select(Person, StoredCustomer, Subscription, last).join(StoredCustomer, _of_person)
    statement = statement.join(Subscription, _of_plan)
    row = (await session.execute(statement.where(_person == person_id, _there))).first()
    return _profile_of(*row) if row else None


def _profile_of(
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


async def list_notes(
    session: AsyncSession, person_id: str, most: int | None = None
) -> list[CustomerNote]:
    """Return the last notes about a customer, newest first."""
    statement = select(CustomerNote).where(col(CustomerNote.person_id) == person_id)
    newest = statement.order_by(col(CustomerNote.id).desc()).limit(most)
    return list(await session.scalars(newest))


_neighborhood, _neighborhood_name = col(Neighborhood.id), col(Neighborhood.name)
_notified_tier = col(Neighborhood.told_tier)
_entry_neighborhood, _entry_id = col(WaitlistSubmission.neighborhood_id), col(WaitlistSubmission.id)
_confirmed = (col(Person.email_verified_at).is_not(None), col(Person.deactivated_at).is_(None))


def _confirmed_counts() -> Select[Any, Any]:
    """Select the neighborhoods that have such members, and how many."""
    linked = select(_entry_neighborhood, func.count().label("confirmed")).join(
        StoredCustomer, _submission == _entry_id
    )
    return (
        linked.join(Person, col(Person.id) == _person)
        .where(*_confirmed)
        .group_by(_entry_neighborhood)
    )


async def confirmed_members(
    session: AsyncSession, person_ids: Collection[str]
) -> dict[str, tuple[str, int]]:
    """Return the neighborhoods of customers by name, with their confirmed members."""
    theirs = select(_person, _entry_neighborhood).join(WaitlistSubmission, _entry_id == _submission)
    own = theirs.where(_person.in_(person_ids), _entry_neighborhood.is_not(None)).cte("own")
    counts = (
        _confirmed_counts().where(_entry_neighborhood.in_(select(own.c.neighborhood_id))).subquery()
    )
    count = func.coalesce(counts.c.confirmed, 0)
    found = select(own.c.person_id, _neighborhood_name, count).join(
        Neighborhood, _neighborhood == own.c.neighborhood_id
    )
    rows = await session.execute(
        found.outerjoin(counts, counts.c.neighborhood_id == own.c.neighborhood_id)
    )
    return {person_id: (name, members) for person_id, name, members in rows}


async def count_confirmed(session: AsyncSession, neighborhood_id: str) -> int:
    """Return the confirmed members of a neighborhood."""
    row = (
        await session.execute(_confirmed_counts().where(_entry_neighborhood == neighborhood_id))
    ).first()
    return row.confirmed if row else 0


async def list_tiers(session: AsyncSession) -> list[tuple[str, str, int, int]]:
    """Return id, name, told tier and confirmed members, where a tier is or was reached."""
    counts = _confirmed_counts().subquery()
    count = func.coalesce(counts.c.confirmed, 0)
    all_of = select(_neighborhood, _neighborhood_name, _notified_tier, count).outerjoin(
        counts, counts.c.neighborhood_id == _neighborhood
    )
    reached = (_notified_tier > 0) | (count >= TIERS[1].members_needed)
    rows = await session.execute(all_of.where(reached).order_by(_neighborhood))
    return [(row[0], row[1], row[2], row[3]) for row in rows]


async def set_notified_tier(
    session: AsyncSession, neighborhood_id: str, before: int, after: int
) -> bool:
    """Store the tier that members are told of; False if another job has done it."""
    statement = update(Neighborhood).where(
        _neighborhood == neighborhood_id, _notified_tier == before
    )
    return (
        await session.scalar(statement.values(told_tier=after).returning(_neighborhood)) is not None
    )


async def list_subscribers(session: AsyncSession, neighborhood_id: str) -> list[str]:
    """Return the members of a neighborhood who have a plan."""
    statement = select(_person).join(WaitlistSubmission, _entry_id == _submission)
    statement = statement.join(Subscription, col(Subscription.person_id) == _person)
    has_plan = col(Subscription.state).in_((PLAN_ACTIVE, PAST_DUE))
    found = statement.where(_entry_neighborhood == neighborhood_id, has_plan).order_by(_person)
    return list(await session.scalars(found))
