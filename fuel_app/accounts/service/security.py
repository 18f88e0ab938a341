"""A person's security: what protects the account, and where it is signed in."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import factors as stored
from fuel_app.accounts.queries import login_history, people
from fuel_app.accounts.queries import sessions as stored_sessions
from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service import factors
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id

HISTORY_SHOWN = 30
CREATED = "created"  # the first roles of a person


@dataclass(frozen=True, slots=True)
class OwnPasskey:
    """One passkey of a person."""

    id: str
    name: str
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class OwnSession:
    """One browser in which a person is signed in."""

    id: str
    device: str
    created_at: datetime
    last_seen_at: datetime
    is_this: bool


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One line of the Login History: a kind of the audit log, and where it came from."""

    kind: str
    at: datetime
    device: str = ""
    network: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The values that /security shows."""

    name: str = ""
    initials: str = ""
    email: str = ""
    phone: str = ""
    password_changed_at: datetime | None = None
    methods: tuple[str, ...] = ()
    passkeys: tuple[OwnPasskey, ...] = ()
    recovery_codes: int = 0
    sessions: tuple[OwnSession, ...] = ()
    history: tuple[HistoryEntry, ...] = field(default=())


async def overview(by: Session) -> Overview:
    """Return the security of the person of this session; a blank one without a person."""
    async with reading() as session:
        person = await people.by_id(session, by.person_id) if by.person_id else None
        if person is None:
            return Overview()
        open_ones = await stored_sessions.of_person(session, person.id, clock.now())
        entries = await login_history.last_entries(session, person.id, HISTORY_SHOWN)
        names = (person.first_name, person.last_name)
        return Overview(
            name=" ".join(names).strip(),
            initials="".join(each[:1] for each in names).upper(),
            email=person.email or "",
            phone=person.phone,
            password_changed_at=person.password_changed_at or person.created_at,
            methods=await factors.methods_of(session, person),
            passkeys=tuple(
                OwnPasskey(each.id, each.name, each.created_at, each.last_used_at)
                for each in await stored.passkeys(session, person.id)
            ),
            recovery_codes=await stored.count_recovery_codes(session, person.id),
            sessions=tuple(
                OwnSession(
                    *(each.id, each.device, each.created_at, each.last_seen_at),
                    is_this=each.id == by.id,
                )
                for each in open_ones
            ),
            history=tuple(_line(each) for each in entries),
        )


async def end_session(by: Session, session_id: object, visitor: Visitor) -> bool:
    """End one session of this person. Return False if there is none such."""
    given = well_formed_id(session_id) or ""
    if not by.person_id:
        return False
    async with transaction() as session:
        device = await stored_sessions.end_one_of_person(session, by.person_id, given)
        if device is None:
            return False
        await _note(session, by, f"the session in {device}", visitor)
    return True


async def end_sessions(by: Session, visitor: Visitor, *, except_id: str = "") -> int:
    """Sign this person out everywhere, or in all sessions but one. Return in how many."""
    if not by.person_id:
        return 0
    async with transaction() as session:
        # Waits for a change of a factor that is under way.
        await people.by_id(session, by.person_id, lock=True)
        ended = await stored_sessions.end_of_person(session, by.person_id, except_id=except_id)
        if ended:
            what = "all other sessions" if except_id else "all sessions"
            await _note(session, by, what, visitor)
    return ended


async def _note(session: AsyncSession, by: Session, what: str, visitor: Visitor) -> None:
    kind = login_history.SIGNED_OUT
    await login_history.note(session, kind, by.person_id, visitor, what=what)


def _line(entry: AuditEntry) -> HistoryEntry:
    after = entry.after or {}
    is_first = entry.kind == "roles_changed" and not (entry.before or {}).get("roles")
    return HistoryEntry(
        CREATED if is_first else entry.kind,
        entry.at,
        **{name: str(after[name]) for name in ("device", "network", "what") if name in after},
    )
