"""Queries on people: roles, staff, pending sign-ups, second factors, and removing their data."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Exists, delete, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.queries.login_history import NOUN
from fuel_app.accounts.rules import STAFF_ROLES, Role
from fuel_app.accounts.rules.staff import StaffMember, parse_roles, role_names, stored_roles
from fuel_app.accounts.tables import (
    Challenge,
    Passkey,
    Person,
    PersonRole,
    RecoveryCode,
    SignUp,
    StoredSession,
)
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.clock import date_and_time
from fuel_app.kit.db.session import insert_new, on_sqlite
from fuel_app.kit.db.tables import new_id

_id, _email = col(Person.id), col(Person.email)
_role_owner, _role = col(PersonRole.person_id), col(PersonRole.role)
_not_deleted = col(Person.deleted_at).is_(None)
_active = col(Person.deactivated_at).is_(None) & _not_deleted


def _has_role(role: Role) -> Exists:
    return exists().where(_role_owner == _id, _role == role.value)


async def has_admin(session: AsyncSession) -> bool:
    """Return whether an active admin exists."""
    there = select(_id).where(_active, _has_role(Role.ADMIN))
    return bool(await session.scalar(there.limit(1)))


async def admins_among(session: AsyncSession, ids: Iterable[str]) -> set[str]:
    """Return the admins among people, active or not."""
    admins = select(_role_owner).where(_role_owner.in_(ids), _role == Role.ADMIN.value)
    return set(await session.scalars(admins))


async def has_customers(session: AsyncSession) -> bool:
    """Return whether a customer exists who is not deleted."""
    there = select(_id).where(_not_deleted, _has_role(Role.CUSTOMER))
    return bool(await session.scalar(there.limit(1)))


async def by_email(session: AsyncSession, email: str) -> Person | None:
    """Return the active person with this normalised e-mail."""
    return await session.scalar(select(Person).where(_email == email, _active))


async def find_holder(session: AsyncSession, email: str) -> Person | None:
    """Return the person who holds this e-mail, active or not: no one else can have it."""
    return await session.scalar(select(Person).where(_email == email, _not_deleted))


async def by_id(session: AsyncSession, person_id: str, *, lock: bool = False) -> Person | None:
    """Return an active person; `lock` keeps others from changing it in this transaction."""
    active = select(Person).where(_id == person_id, _active)
    # What refers to the person (a booking, a message) need not wait.
    return await session.scalar(active.with_for_update(key_share=True) if lock else active)


async def by_ids(session: AsyncSession, ids: Iterable[str]) -> list[Person]:
    """Return active people; unknown ids are left out."""
    return list(await session.scalars(select(Person).where(_id.in_(ids), _active)))


async def set_email(session: AsyncSession, person: Person, email: str, now: datetime) -> bool:
    """Give a locked person another verified e-mail. Return False if another person has it."""
    is_taken = await session.scalar(select(_id).where(_email == email, _id != person.id))
    if is_taken:
        return False
    try:
        async with session.begin_nested():
            person.email, person.email_verified_at = email, now
            await session.flush()
    except IntegrityError:  # taken a moment ago
        await session.refresh(person)
        return False
    return True


async def roles(session: AsyncSession, person_id: str) -> frozenset[Role]:
    held = select(_role).where(_role_owner == person_id)
    return frozenset(Role(role) for role in await session.scalars(held))


async def add_roles(session: AsyncSession, person_id: str, given: Iterable[Role]) -> None:
    """Give a person roles that they do not have yet."""
    before = await roles(session, person_id)
    for role in set(given) - before:
        session.add(PersonRole(person_id=person_id, role=role.value))
    await session.flush()


async def names(session: AsyncSession, ids: Iterable[str]) -> dict[str, str]:
    """Return people's names by id, for the audit log; unknown ids are left out."""
    columns = select(_id, col(Person.first_name), col(Person.last_name))
    rows = await session.execute(columns.where(_id.in_(set(ids))))
    return {row[0]: f"{row[1]} {row[2]}".strip() or "a deleted account" for row in rows}


async def with_roles(session: AsyncSession, *roles: Role) -> list[Person]:
    """Return the active people with one of some roles, by name."""
    having = select(Person).where(_active, or_(*map(_has_role, roles)))
    by_name = col(Person.first_name), col(Person.last_name), _id
    return list(await session.scalars(having.order_by(*by_name)))


_sign_up_id, _terms_accepted = col(SignUp.id), col(SignUp.terms_accepted_at)


async def find_sign_up(
    session: AsyncSession, sign_up_id: str, *, lock: bool = False
) -> SignUp | None:
    """Return a sign-up. Lock it before changing its codes or sessions."""
    pending = select(SignUp).where(_sign_up_id == sign_up_id)
    return await session.scalar(pending.with_for_update() if lock else pending)


async def replace_sign_up(session: AsyncSession, row: SignUp, former_id: str) -> None:
    """Store a sign-up in place of one that was not completed."""
    await session.execute(delete(SignUp).where(_sign_up_id == former_id, _terms_accepted.is_(None)))
    session.add(row)
    await session.flush()


async def add(session: AsyncSession, person: Person) -> bool:
    """Store a new person. Return False if another person has the e-mail."""
    added = insert_new(session, Person).values(**person.model_dump())
    return await session.scalar(added.returning(Person.id)) is not None


async def remove_sign_up(session: AsyncSession, sign_up_id: str) -> None:
    """Delete a sign-up with its sessions and codes."""
    await session.execute(delete(SignUp).where(_sign_up_id == sign_up_id))


_ADMINS_LOCK = 7_315_001  # any number that no other advisory lock has

_roles = (
    select(func.aggregate_strings(_role, ",")).where(_role_owner == _id).correlate(Person)
).scalar_subquery()
_LAST_SIGN_IN = (
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
    return frozenset(await session.scalars(select(_id).where(_active, _has_role(Role.ADMIN))))


async def lock_any(session: AsyncSession, person_id: str) -> Person | None:
    """Return and lock a person, deactivated or not."""
    query = select(Person).where(_id == person_id, _not_deleted)
    return await session.scalar(query.with_for_update())


async def find_or_add(session: AsyncSession, email: str) -> Person:
    """Return the person with this e-mail; one is added where there is none."""
    await add(session, Person(email=email, first_name="Admin"))
    return (await session.scalars(select(Person).where(_email == email))).one()


async def remove_roles(session: AsyncSession, person_id: str, roles: Iterable[Role]) -> None:
    named = [role.value for role in roles]
    await session.execute(delete(PersonRole).where(_role_owner == person_id, _role.in_(named)))


async def remove_factors(session: AsyncSession, person: Person) -> None:
    """Remove every second factor of a person."""
    person.totp_seed, person.totp_confirmed_at, person.sms_codes = None, None, False
    for table in (Passkey, RecoveryCode):
        await session.execute(delete(table).where(col(table.person_id) == person.id))
    await session.flush()


async def list_staff(session: AsyncSession) -> list[StaffMember]:
    """Return all people with a role of the staff, by name; the deactivated last."""
    signed_in_at = select(col(AuditEntry.at)).where(col(AuditEntry.number) == _LAST_SIGN_IN)
    staff = select(Person, _roles, _has_factor, signed_in_at.scalar_subquery()).where(
        _not_deleted, or_(*map(_has_role, STAFF_ROLES))
    )
    by_name = col(Person.first_name), col(Person.last_name), _id
    rows = await session.execute(staff.order_by(col(Person.deactivated_at).is_not(None), *by_name))
    return [_staff_member(*row) for row in rows]


def _staff_member(
    person: Person, roles: str, has_factor: bool, signed_in_at: datetime | None
) -> StaffMember:
    held = parse_roles(roles.split(",")).intersection(STAFF_ROLES)
    return StaffMember(
        id=person.id,
        name=f"{person.first_name} {person.last_name}".strip(),
        email=person.email or "",
        held=stored_roles(held),
        roles=role_names(held),
        has_factor=has_factor,
        last_sign_in=date_and_time(signed_in_at) if signed_in_at else "Never",
        is_active=person.deactivated_at is None,
    )


_last_step = col(Person.totp_last_step)
_code_owner, _code_hash = col(RecoveryCode.person_id), col(RecoveryCode.code_hash)
_credential = col(Passkey.credential_id)


async def use_app_step(session: AsyncSession, person_id: str, step: int) -> bool:
    """Note that a code of this time step is used. Return False if it, or a later one, was."""
    unused = update(Person).where(col(Person.id) == person_id, _last_step < step)
    used = unused.values(totp_last_step=step).returning(col(Person.id))
    return await session.scalar(used) is not None


async def use_recovery_code(session: AsyncSession, person_id: str, code_hash: str) -> bool:
    """Delete a recovery code. Return False if there is none such."""
    used = delete(RecoveryCode).where(_code_owner == person_id, _code_hash == code_hash)
    return await session.scalar(used.returning(_code_hash)) is not None


async def count_recovery_codes(session: AsyncSession, person_id: str) -> int:
    left = select(func.count()).select_from(RecoveryCode).where(_code_owner == person_id)
    return await session.scalar(left) or 0


async def replace_recovery_codes(
    session: AsyncSession, person_id: str, hashes: Iterable[str]
) -> None:
    await session.execute(delete(RecoveryCode).where(_code_owner == person_id))
    session.add_all(RecoveryCode(person_id=person_id, code_hash=each) for each in hashes)
    await session.flush()


async def passkeys(session: AsyncSession, person_id: str) -> list[Passkey]:
    """Return a person's passkeys, the oldest first."""
    statement = select(Passkey).where(col(Passkey.person_id) == person_id)
    return list(await session.scalars(statement.order_by(col(Passkey.created_at), col(Passkey.id))))


async def find_passkey(session: AsyncSession, credential_id: str) -> Passkey | None:
    return await session.scalar(select(Passkey).where(_credential == credential_id))


async def remove_passkey(session: AsyncSession, person_id: str, passkey_id: str) -> bool:
    """Delete a passkey. Return False if this person has none such."""
    removed = delete(Passkey).where(
        col(Passkey.id) == passkey_id, col(Passkey.person_id) == person_id
    )
    return await session.scalar(removed.returning(col(Passkey.id))) is not None


async def use_passkey(
    session: AsyncSession, passkey_id: str, *, sign_count: int, backed_up: bool, now: datetime
) -> bool:
    """Note that a passkey was used. Return False if it is gone."""
    this = update(Passkey).where(col(Passkey.id) == passkey_id)
    used = this.values(sign_count=sign_count, backed_up=backed_up, last_used_at=now)
    return await session.scalar(used.returning(col(Passkey.id))) is not None


_OWNED_TABLES = (StoredSession, Challenge, Passkey, RecoveryCode, PersonRole)
# What stays: when, which texts were accepted, and that there was a person.
KEPT_WHEN_ERASED = (
    *("id", "created_at", "deactivated_at", "delete_at", "deleted_at"),
    *("terms_version", "privacy_version", "terms_accepted_at"),
)


async def erase(session: AsyncSession, person: Person, now: datetime) -> None:
    """Empty a person's row and delete all that only they have used."""
    for table in _OWNED_TABLES:
        await session.execute(delete(table).where(col(table.person_id) == person.id))
    await session.execute(delete(SignUp).where(col(SignUp.email) == (person.email or "")))
    entries = update(AuditEntry).where(
        col(AuditEntry.noun) == NOUN, col(AuditEntry.subject_id) == person.id
    )
    await session.execute(
        entries.values(before=None, after=None), execution_options={"synchronize_session": False}
    )
    blank = Person(id=person.id, passkey_user=new_id())
    for name in Person.model_fields:
        if name not in KEPT_WHEN_ERASED:
            setattr(person, name, getattr(blank, name))
    person.deleted_at = now
    await session.flush()
