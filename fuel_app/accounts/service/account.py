"""An account: another e-mail, by its owner or a caller, its undo; its data, closing and erasing.

A closed account is erased some days later; until then staff can reactivate it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.queries import challenges, login_history, people, sessions
from fuel_app.accounts.rules import (
    STAFF_ROLES,
    AccountGone,
    Actor,
    CallersEmailInUse,
    EmailInUse,
    FormerInUse,
    NewEmail,
    OfStaff,
    Purpose,
    Role,
    SameEmail,
    Session,
)
from fuel_app.accounts.rules.security import (
    LinkGone,
    Visitor,
    WrongCode,
    require_reauthentication,
    typed_code,
)
from fuel_app.accounts.service import security, staff
from fuel_app.accounts.service.directory import count_mail
from fuel_app.accounts.service.sessions import DELETION_DAYS
from fuel_app.accounts.tables import Person
from fuel_app.kit import audit, clock, outbox, policies
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.throttle import EMAIL_CODES, LINKS, throttle


async def send_email_code(by: Session, asked: NewEmail, visitor: Visitor) -> None:
    """Send a code to the new address, whether or not another account has it.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `require_reauthentication` says.
        TooManyRequests: After 5 in an hour, and as `count_mail` says.
    """
    now = clock.now()
    person_id = require_reauthentication(by, now)
    await throttle().spend(EMAIL_CODES, person_id)
    await count_mail(asked.email, visitor.address)
    async with transaction() as session:
        challenge = await challenges.issue(
            session, Purpose.EMAIL, now, person_id=person_id, data={"email": asked.email}
        )
        await outbox.add(session, "email_code", to=asked.email, payload={"challenge": challenge})


@dataclass(frozen=True, slots=True)
class EmailChange:
    """What has come of a code: refused, or the e-mail that it was for, and whether it is new."""

    person_id: str
    email: str = ""  # empty where the code was refused
    is_new: bool = False
    is_taken: bool = False

    def checked(self) -> str:
        """Return the e-mail. Raises WrongCode, EmailInUse."""
        if not self.email:
            raise WrongCode
        if self.is_taken:
            raise EmailInUse
        return self.email


@dataclass(frozen=True, slots=True)
class CallersEmail:
    """Outcome of the code that a caller has read out."""

    email: str = ""  # empty where the code was refused
    reason: str = ""  # as the code was asked for
    is_taken: bool = False

    def checked(self) -> str:
        """Return the e-mail. Raises WrongCode, CallersEmailInUse."""
        if not self.email:
            raise WrongCode
        if self.is_taken:
            raise CallersEmailInUse
        return self.email


async def change_email(
    session: AsyncSession, by: Session, code: object, visitor: Visitor
) -> EmailChange:
    """Change the e-mail by the code, in the caller's transaction; the former address is notified.

    A wrong code is counted by the commit, so the caller raises after it.

    Raises:
        NotAllowed: If the session is not a person's, or has ended meanwhile.
        WrongCode: If nothing was typed; then no try is counted.
    """
    now, code = clock.now(), typed_code(code)
    person = await security.lock_owner(session, by)
    spent = await challenges.spend_code(session, Purpose.EMAIL, code, now, person_id=person.id)
    former = person.email
    if spent is None:
        return EmailChange(person.id)
    wanted = spent.data["email"]
    if not former or former == wanted:
        return EmailChange(person.id, wanted, is_taken=former != wanted)
    if not await people.set_email(session, person, wanted, now):
        return EmailChange(person.id, wanted, is_taken=True)
    await login_history.note(session, login_history.EMAIL_CHANGED, person.id, visitor)
    await _notify_former_email(session, person, former, now)
    return EmailChange(person.id, wanted, is_new=True)


async def _notify_former_email(
    session: AsyncSession, person: Person, former: str, now: datetime, by_staff: str = ""
) -> None:
    """Tell the owner of the former address, who can undo the change for some days.

    Until those have passed, no later address gets an undo of its own: it may be a thief's.
    """
    undo = await challenges.waiting(session, Purpose.EMAIL_UNDO, person_id=person.id)
    kind, payload = "security_changed", {"what": "The e-mail was changed again"}
    if undo is None or undo.expires_at <= now:
        data = {"email": former}
        challenge = await challenges.issue(
            session, Purpose.EMAIL_UNDO, now, person_id=person.id, data=data
        )
        kind, payload = "email_changed", {"challenge": challenge, "at": now.isoformat()}
        payload |= {"by_staff": by_staff}
    await outbox.add(session, kind, person_id=person.id, to=former, payload=payload)


async def send_callers_code(
    actor: Actor, person_id: str, email: str, reason: str, visitor: Visitor
) -> None:
    """Send a code to the new address of a caller, who reads it out to staff.

    It goes out whether or not another account has the address: only its owner learns of that.

    Raises:
        NotAllowed, AccountGone, OfStaff
        SameEmail
        TooManyRequests: After 5 codes for a person in an hour, and as `count_mail` says.
    """
    actor.require(Role.DISPATCHER)
    await throttle().spend(EMAIL_CODES, person_id)
    await count_mail(email, visitor.address)
    async with transaction() as session:
        person = await _lock_caller(session, person_id)
        if person.email == email:
            raise SameEmail
        challenge = await challenges.issue(
            session,
            Purpose.CALLERS_EMAIL,
            clock.now(),
            person_id=person.id,
            data={"email": email, "reason": reason},
        )
        await outbox.add(session, "callers_code", to=email, payload={"challenge": challenge})


async def change_callers_email(
    session: AsyncSession, actor: Actor, person_id: str, code: object
) -> CallersEmail:
    """Change a person's e-mail by the code that they have read out, in the caller's transaction.

    The former address is notified. Sessions and factors stay: who called may be a thief, who is to
    sign nobody out. A wrong code is counted by the commit, so the caller raises after it.

    Raises:
        NotAllowed, AccountGone, OfStaff
        NoCode: If nothing was typed; then no try is counted.
    """
    actor.require(Role.DISPATCHER)
    now, code = clock.now(), typed_code(code)
    person = await _lock_caller(session, person_id)
    spent = await challenges.spend_code(
        session, Purpose.CALLERS_EMAIL, code, now, person_id=person.id
    )
    former = person.email
    if spent is None:
        return CallersEmail()
    wanted, reason = spent.data["email"], spent.data["reason"]
    if not former or not await people.set_email(session, person, wanted, now):
        return CallersEmail(wanted, is_taken=True)
    await login_history.record(
        session,
        login_history.EMAIL_CHANGED,
        person.id,
        actor=str(actor),
        after={"what": "by our staff"},
    )
    await _notify_former_email(session, person, former, now, by_staff="yes")
    return CallersEmail(wanted, reason)


async def _lock_caller(session: AsyncSession, person_id: str) -> Person:
    """Lock and return a person whom staff may change. Raises AccountGone, OfStaff."""
    person = await people.by_id(session, person_id, lock=True)
    if person is None:
        raise AccountGone
    if not (await people.roles(session, person.id)).isdisjoint(STAFF_ROLES):
        raise OfStaff
    return person


async def pending_email(by: Session) -> str:
    """Return the new address that waits for its code; empty without one."""
    async with reading() as session:
        pending = await challenges.waiting(session, Purpose.EMAIL, person_id=by.person_id)
    return pending.data["email"] if pending else ""


async def cancel_email_change(by: Session) -> None:
    """Give the change up: its code no longer works."""
    async with transaction() as session:
        await challenges.drop(session, Purpose.EMAIL, person_id=by.person_id)


async def is_email_undo_open(link: str) -> bool:
    """Return whether an undo may still be used. Uses nothing up: mail scanners open links."""
    async with reading() as session:
        return await challenges.by_link(session, Purpose.EMAIL_UNDO, link, clock.now()) is not None


async def undo_email_change(link: str, visitor: Visitor) -> None:
    """Restore the former e-mail by a link, once, and end all sessions and the password.

    An attacker who changed the e-mail knew it; the owner chooses a new one by a link.

    Raises:
        LinkGone: If the link is unknown, used or expired.
        FormerInUse: If another account has the address by now.
        TooManyRequests: After 20 unknown links from one address in 15 minutes.
    """
    now = clock.now()
    async with throttle().failing(LINKS, visitor.address), reading() as session:
        challenge = await challenges.by_link(session, Purpose.EMAIL_UNDO, link, now)
        if challenge is None or challenge.person_id is None:
            raise LinkGone
    async with transaction() as session:
        # The person first, in the lock order of all that uses codes and links.
        person = await people.by_id(session, challenge.person_id, lock=True)
        spent = await challenges.spend_link(session, Purpose.EMAIL_UNDO, link, now)
        if person is None or spent is None:
            raise LinkGone
        if not await people.set_email(session, person, spent.data["email"], now):
            raise FormerInUse
        person.password_hash = None
        for purpose in (Purpose.EMAIL, Purpose.CALLERS_EMAIL, Purpose.FACTOR):
            await challenges.drop(session, purpose, person_id=person.id)
        await sessions.end_of_person(session, person.id)
        await login_history.note(
            session, login_history.EMAIL_CHANGED, person.id, visitor, what="undone"
        )


_HISTORY_EXPORTED = 1000
_EXPORTED_OF_PERSON = {
    *("id", "first_name", "last_name", "email", "email_verified_at", "phone", "phone_verified_at"),
    *("terms_version", "privacy_version", "terms_accepted_at"),
    *("created_at", "password_changed_at"),
}
_EXPORTED_OF_SESSION = {"device", "created_at", "last_seen_at", "expires_at"}


async def export(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's profile, second factors, sessions and Login History, without secrets."""
    person = await people.by_id(session, person_id)
    if person is None:
        return {}
    return {
        "person": person.model_dump(include=_EXPORTED_OF_PERSON)
        | {"roles": sorted(await people.roles(session, person_id))},
        "second_factors": {
            "authenticator_app_since": person.totp_confirmed_at,
            "text_message_codes": person.sms_codes,
            "passkeys": [
                {"name": each.name, "created_at": each.created_at, "last_used": each.last_used_at}
                for each in await people.passkeys(session, person_id)
            ],
        },
        "sessions": [
            each.model_dump(include=_EXPORTED_OF_SESSION)
            for each in await sessions.of_person(session, person_id, clock.now())
        ],
        "login_history": [
            {"kind": each.kind, "at": each.at} | (each.after or {})
            for each in await login_history.last_entries(session, person_id, _HISTORY_EXPORTED)
        ],
        "account_changes": [
            {"kind": each.kind, "at": each.at, "before": each.before, "after": each.after}
            for each in await audit.history(
                session, login_history.NOUN, person_id, limit=_HISTORY_EXPORTED
            )
            if each.kind not in login_history.KINDS
        ],
    }


async def lock_own(session: AsyncSession, by: Session) -> Person:
    """Lock the person of a session, who wants to close the account.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `require_reauthentication` says.
        LastAdmin: If no admin would be left.
    """
    staff.refuse_last_admin(
        await people.lock_admins(session), require_reauthentication(by, clock.now())
    )
    return await security.lock_owner(session, by)


async def close(session: AsyncSession, person: Person, visitor: Visitor) -> datetime:
    """Close a locked account. Return when its personal data will be removed.

    Until then the staff can reactivate it. Sessions, codes and waiting messages end.
    """
    now = clock.now()
    delete_at = now + timedelta(days=await policies.value(session, DELETION_DAYS))
    person.deactivated_at, person.delete_at = now, delete_at
    # The owner of a former e-mail has to hear of it, too.
    notified = {person.email, *await challenges.former_emails(session, person.id, now)}
    await challenges.drop_all(session, person.id)
    await challenges.drop_by_inviter(session, person.id)
    await outbox.withdraw(session, person.id)
    await sessions.end_of_person(session, person.id)
    await login_history.note(session, login_history.DELETION_ASKED, person.id, visitor)
    for email in sorted(filter(None, notified)):
        payload = {"at": delete_at.isoformat()}
        await outbox.add(session, "account_deleted", to=email, payload=payload)
    return delete_at


async def days_until_erasure() -> int:
    """Return how many days after its closing an account is emptied."""
    async with reading() as session:
        return await policies.value(session, DELETION_DAYS)


async def lock_due_erasures(session: AsyncSession, now: datetime, most: int) -> list[Person]:
    """Return and lock some people whose accounts are to be emptied by now, each once."""
    due = select(Person).where(col(Person.delete_at) <= now, col(Person.deleted_at).is_(None))
    some = due.order_by(col(Person.delete_at)).limit(most).with_for_update(skip_locked=True)
    return list(await session.scalars(some))


async def erased_among(session: AsyncSession, person_ids: Collection[str]) -> set[str]:
    """Return those of these people whose accounts are emptied."""
    is_erased = col(Person.deleted_at).is_not(None)
    erased = select(col(Person.id)).where(col(Person.id).in_(person_ids), is_erased)
    return set(await session.scalars(erased))


async def erase(session: AsyncSession, person: Person, now: datetime) -> None:
    """Remove a person's personal data that accounts and the outbox hold; what is left is the id."""
    await outbox.erase(session, outbox.about(person.id, person.email or ""))
    await people.erase(session, person, now)
