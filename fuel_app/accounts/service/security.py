"""A person's security: what protects the account, and where it is signed in."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import factors as stored
from fuel_app.accounts.queries import login_history, people
from fuel_app.accounts.queries import sessions as stored_sessions
from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.changes import worded_kind
from fuel_app.accounts.rules.factors import APP, SMS
from fuel_app.accounts.rules.security import (
    NO_CODES,
    HistoryRow,
    OwnSecurity,
    PasskeyRow,
    SessionRow,
)
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service import factors
from fuel_app.accounts.tables import Passkey
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.clock import date_and_time, day_of, short_date
from fuel_app.kit.contact import phone_text
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id

HISTORY_SHOWN = 30


async def overview(by: Session) -> OwnSecurity:
    """Return the security of the person of this session; a blank one without a person."""
    async with reading() as session:
        person = await people.by_id(session, by.person_id) if by.person_id else None
        if person is None:
            return OwnSecurity()
        methods = await factors.methods_of(session, person)
        codes = await stored.count_recovery_codes(session, person.id)
        changed = person.password_changed_at or person.created_at
        names = (person.first_name, person.last_name)
        return OwnSecurity(
            name=" ".join(names).strip(),
            initials="".join(each[:1] for each in names).upper(),
            email=person.email or "",
            password=f"Last changed {short_date(day_of(changed))}",
            has_app=APP in methods,
            has_sms=SMS in methods,
            phone=phone_text(person.phone),
            has_factor=bool(methods),
            recovery=f"{codes} of 10 left" if codes else NO_CODES,
            passkeys=[_passkey(each) for each in await stored.passkeys(session, person.id)],
            sessions=[
                SessionRow(
                    each.id,
                    each.device or "A browser",
                    f"Since {date_and_time(each.created_at)}",
                    f"Last used {date_and_time(each.last_seen_at)}",
                    each.id == by.id,
                )
                for each in await stored_sessions.of_person(session, person.id, clock.now())
            ],
            history=[
                _line(each)
                for each in await login_history.last_entries(session, person.id, HISTORY_SHOWN)
            ],
        )


def _passkey(row: Passkey) -> PasskeyRow:
    used = f"Last used {date_and_time(row.last_used_at)}" if row.last_used_at else "Not used yet"
    return PasskeyRow(row.id, row.name, f"Added {short_date(day_of(row.created_at))}", used)


def _line(entry: AuditEntry) -> HistoryRow:
    after = entry.after or {}
    # The first roles of a person are its creation.
    is_first = entry.kind == "roles_changed" and not (entry.before or {}).get("roles")
    event, what = worded_kind("created" if is_first else entry.kind), after.get("what", "")
    if what and what != event:
        event = what if entry.kind.startswith("factor") else f"{event}: {what}"
    device, network = (after.get(name) or "–" for name in ("device", "network"))  # noqa: RUF001
    return HistoryRow(event, device, network, date_and_time(entry.at))


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
