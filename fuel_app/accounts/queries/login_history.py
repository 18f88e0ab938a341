"""The Login History of people: entries of the audit log about sign-ins and security."""

from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules.security import HISTORY_KEPT, Visitor
from fuel_app.kit import audit
from fuel_app.kit.audit import AuditEntry

NOUN = "person"
SIGNED_IN, SIGN_IN_FAILED = "signed_in", "sign_in_failed"
PASSWORD_CHANGED, PASSWORD_RESET = "password_changed", "password_reset"
SIGNED_OUT = "signed_out"
FACTOR_ADDED, FACTOR_REMOVED = "factor_added", "factor_removed"
RECOVERY_CODES = "recovery_codes"
EMAIL_CHANGED, DELETION_ASKED = "email_changed", "deletion_asked"
KINDS = (
    *(SIGNED_IN, SIGN_IN_FAILED, SIGNED_OUT, PASSWORD_CHANGED, PASSWORD_RESET),
    *(FACTOR_ADDED, FACTOR_REMOVED, RECOVERY_CODES, EMAIL_CHANGED, DELETION_ASKED),
    *("roles_changed", "deactivated", "reactivated"),  # by an admin
)
_LOOKED_AT = 200  # sign-ins among which a device and its network are known


async def note(
    session: AsyncSession,
    kind: str,
    person_id: str,
    visitor: Visitor,
    *,
    actor: object = "",
    what: str = "",
) -> None:
    """Add an entry to a person's Login History, in the caller's transaction.

    Args:
        actor: Who did it, unless it was the person.
        what: The name of what was added or removed.
    """
    after = visitor.device_and_network | ({"what": what} if what else {})
    await record(session, kind, person_id, actor=str(actor or person_id), after=after)


async def record(
    session: AsyncSession,
    kind: str,
    subject_id: str,
    *,
    actor: str,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Write one entry to the audit log. Without `before` the purge would not find it."""
    action = audit.Action(NOUN, kind, actor, kept_for=HISTORY_KEPT)
    await audit.record(session, action, [audit.Change(subject_id, before or {}, after)])


async def failures_since(session: AsyncSession, person_id: str, since: datetime) -> int:
    """Count failing sign-ins."""
    failed = select(func.count()).where(*_of(person_id, SIGN_IN_FAILED))
    return await session.scalar(failed.where(col(AuditEntry.at) >= since)) or 0


async def known_devices(session: AsyncSession, person_id: str) -> set[tuple[str, str]]:
    """Return the devices and networks by which a person has signed in before."""
    signed_in = select(col(AuditEntry.after)).where(*_of(person_id, SIGNED_IN))
    newest = signed_in.order_by(col(AuditEntry.number).desc()).limit(_LOOKED_AT)
    entries = await session.scalars(newest)
    return {(values["device"], values["network"]) for values in entries if values}


def _of(person_id: str, *kinds: str) -> tuple[Any, ...]:
    return (
        col(AuditEntry.subject_id) == person_id,
        col(AuditEntry.noun) == NOUN,
        col(AuditEntry.kind).in_(kinds),
    )


async def last_entries(session: AsyncSession, person_id: str, limit: int) -> list[AuditEntry]:
    """Return the newest entries of a person's Login History: not all that the audit log has."""
    entries = select(AuditEntry).where(*_of(person_id, *KINDS))
    newest = entries.order_by(col(AuditEntry.number).desc()).limit(limit)
    return list(await session.scalars(newest))
