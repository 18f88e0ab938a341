"""Queries on staff: admins under a lock, the list of staff."""

from collections.abc import Iterable

from sqlalchemy import delete, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.queries import sign_ups
from fuel_app.accounts.rules import STAFF_ROLES, Role
from fuel_app.accounts.rules.staff import StaffMember
from fuel_app.accounts.tables import Passkey, Person, PersonRole, RecoveryCode
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import on_sqlite

_ADMINS_LOCK = 7_315_001  # any number that no other advisory lock has

_id, _email = col(Person.id), col(Person.email)
_not_deleted = col(Person.deleted_at).is_(None)
_holder, _role = col(PersonRole.person_id), col(PersonRole.role)
_roles = (
    select(func.aggregate_strings(_role, ",")).where(_holder == _id).correlate(Person)
).scalar_subquery()
LAST_SIGN_IN = (
    select(func.max(col(AuditEntry.number)))
    .where(
        col(AuditEntry.subject_id) == _id,
        col(AuditEntry.noun) == "person",
        col(AuditEntry.kind) == "signed_in",
    )
    .correlate(Person)
).scalar_subquery()
_has_factor = or_(
    col(Person.totp_confirmed_at).is_not(None),
    col(Person.sms_codes) & col(Person.phone_verified_at).is_not(None),
    exists().where(col(Passkey.person_id) == _id).correlate(Person),
)


async def lock_admins(session: AsyncSession) -> frozenset[str]:
    """Return the ids of the active admins, which no other transaction changes until this one ends.

    Taken first by whatever makes the first admin or ends one. On SQLite the transaction is the
    lock.
    """
    if not on_sqlite(session):
        await session.execute(select(func.pg_advisory_xact_lock(_ADMINS_LOCK)))
    active = col(Person.deactivated_at).is_(None) & _not_deleted
    found = select(_id).join(PersonRole, _holder == _id).where(active, _role == Role.ADMIN.value)
    return frozenset(await session.scalars(found))


async def person(session: AsyncSession, person_id: str) -> Person | None:
    """Return and lock a person, deactivated or not."""
    found = select(Person).where(_id == person_id, _not_deleted)
    return await session.scalar(found.with_for_update())


async def ensure(session: AsyncSession, email: str) -> Person:
    """Return the person with this e-mail; one is added where there is none."""
    await sign_ups.add_person(session, Person(email=email, first_name="Admin"))
    return (await session.scalars(select(Person).where(_email == email))).one()


async def remove_roles(session: AsyncSession, person_id: str, roles: Iterable[Role]) -> None:
    named = [role.value for role in roles]
    await session.execute(delete(PersonRole).where(_holder == person_id, _role.in_(named)))


async def remove_factors(session: AsyncSession, person: Person) -> None:
    """Remove every second factor of a person."""
    person.totp_seed, person.totp_confirmed_at, person.sms_codes = None, None, False
    for table in (Passkey, RecoveryCode):
        await session.execute(delete(table).where(col(table.person_id) == person.id))
    await session.flush()


async def members(session: AsyncSession) -> list[StaffMember]:
    """Return all people with a role of the staff, by name; the deactivated last."""
    at = select(col(AuditEntry.at)).where(col(AuditEntry.number) == LAST_SIGN_IN)
    is_staff = exists().where(_holder == _id, _role.in_([role.value for role in STAFF_ROLES]))
    found = select(
        *(_id, col(Person.first_name), col(Person.last_name), _email, _roles, _has_factor),
        *(at.scalar_subquery(), col(Person.deactivated_at).is_(None)),
    ).where(_not_deleted, is_staff)
    ordered = found.order_by(
        col(Person.deactivated_at).is_not(None), col(Person.first_name), col(Person.last_name), _id
    )
    return [
        StaffMember(
            id=row[0],
            name=f"{row[1]} {row[2]}".strip(),
            email=row[3] or "",
            roles=frozenset(Role(role) for role in row[4].split(",")),
            has_factor=bool(row[5]),
            last_sign_in=row[6],
            is_active=bool(row[7]),
        )
        for row in await session.execute(ordered)
    ]
