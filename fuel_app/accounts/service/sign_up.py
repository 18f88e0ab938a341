"""Sign-up: a pending one, its completion, and the verification that makes it a person.

A known e-mail is treated like any other until its mail is sent; nothing tells them apart.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, people
from fuel_app.accounts.rules import (
    SIGN_UP_KEPT,
    Applicant,
    PendingSignUp,
    Purpose,
    Role,
    Session,
    SignUpGone,
)
from fuel_app.accounts.rules.security import Visitor, WrongCode, typed_code
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.directory import count_mail
from fuel_app.accounts.service.sessions import SignedIn, start_for_person
from fuel_app.accounts.tables import Person, SignUp
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.throttle import RESENT_CODES, SIGN_UP_CODES, SIGN_UPS, VERIFICATIONS, throttle

log = structlog.get_logger()

_KEPT = {  # copied from a sign-up to its person
    *("email", "first_name", "last_name", "phone", "password_hash"),
    *("terms_version", "privacy_version", "terms_accepted_at"),
}

OnVerified = Callable[[AsyncSession, str, PendingSignUp], Awaitable[None]]


async def begin(
    applicant: Applicant,
    password_hash: str | None,
    visitor: Visitor,
    *,
    former_id: str = "",
    comes_from: Mapping[str, str] | None = None,
) -> str:
    """Store a pending sign-up and return its id.

    Args:
        password_hash: Without it that of the former stays.
        former_id: The same visitor's sign-up that was not completed; it is replaced.
        comes_from: Ids by name, which `verify` hands on.

    Raises:
        SignUpGone: If there is neither a password nor a former sign-up.
        TooManyRequests: After 20 from one address in an hour.
    """
    await throttle().spend(SIGN_UPS, visitor.address)
    row = SignUp(
        **asdict(applicant),
        password_hash=password_hash or await _hash_of(former_id),
        comes_from=dict(comes_from or {}),
        created_at=clock.now(),
    )
    async with transaction() as session:
        await people.replace_sign_up(session, row, former_id)
    return row.id


async def complete(
    sign_up_id: str, visitor: Visitor, *, plan_id: str, terms_version: str, privacy_version: str
) -> SignedIn:
    """Store the plan and what was accepted, send a code, and open a session of the sign-up.

    A second call opens another session and sends nothing.

    Raises:
        SignUpGone
        TooManyRequests: As `count_mail` says.
    """
    await _count_mail(sign_up_id, visitor)
    async with transaction() as session:
        row = await _locked(session, sign_up_id)
        if row.terms_accepted_at is None:
            row.plan_id, row.terms_accepted_at = plan_id, clock.now()
            row.terms_version, row.privacy_version = terms_version, privacy_version
            await _send_code(session, row)
        return await sessions.start(session, sign_up_id=sign_up_id, device=visitor.device)


async def find(session: Session) -> PendingSignUp | None:
    """Return the sign-up of a session; None if it is none of a sign-up."""
    if not session.sign_up_id:
        return None
    async with reading() as database:
        row = await people.find_sign_up(database, session.sign_up_id)
    return _pending(row) if row else None


async def resend(session: Session, visitor: Visitor) -> None:
    """Send a new code, which replaces the former.

    Raises:
        SignUpGone
        TooManyRequests: After 3 in 15 minutes, and as for `complete`.
    """
    await throttle().spend(RESENT_CODES, session.sign_up_id)
    await _count_mail(session.sign_up_id, visitor)
    async with transaction() as database:
        await _send_code(database, await _locked(database, session.sign_up_id))


async def verify(
    session: Session, code: object, visitor: Visitor, *, on_verified: OnVerified
) -> SignedIn:
    """Make a sign-up a person by the code of its mail, and open a new session of that person.

    Args:
        on_verified: Adds what belongs to the person, in the same transaction.

    Raises:
        WrongCode: If it is wrong, used or expired, or if another person has the e-mail by now;
            where nothing was typed, no try is counted.
        SignUpGone
        TooManyRequests: After 20 wrong ones from an address, or 15 for a sign-up, in 15 minutes.
    """
    code = typed_code(code)
    async with (
        throttle().failing(VERIFICATIONS, visitor.address),
        throttle().failing(SIGN_UP_CODES, session.sign_up_id),
    ):
        async with transaction() as database:  # a wrong try is counted, so refuse after it
            row = await _locked(database, session.sign_up_id)
            opened = await _verified(database, row, code, visitor, on_verified)
        if opened is None:
            log.warning("sign_up.code_refused")
            raise WrongCode
        return opened


async def _verified(
    session: AsyncSession, row: SignUp, code: object, visitor: Visitor, on_verified: OnVerified
) -> SignedIn | None:
    """Return the person's new session; None if the code is refused."""
    now = clock.now()
    if not await challenges.spend_code(session, Purpose.VERIFY, code, now, sign_up_id=row.id):
        return None
    moments = dict.fromkeys(("email_verified_at", "password_changed_at", "created_at"), now)
    person = Person(**row.model_dump(include=_KEPT), **moments)
    if not await people.add(session, person):
        return None
    await people.add_roles(session, person.id, {Role.CUSTOMER})
    await on_verified(session, person.id, _pending(row))
    await people.remove_sign_up(session, row.id)  # and its sessions
    return await start_for_person(session, person, visitor, second_factor=False)


async def _locked(session: AsyncSession, sign_up_id: str) -> SignUp:
    row = await people.find_sign_up(session, sign_up_id, lock=True)
    if row is None:
        raise SignUpGone
    return row


async def _send_code(session: AsyncSession, row: SignUp) -> None:
    challenge = await challenges.issue(session, Purpose.VERIFY, clock.now(), sign_up_id=row.id)
    payload = {"challenge": challenge, "sign_up": row.id}
    lapses = row.created_at + SIGN_UP_KEPT
    await outbox.add(session, "verify", to=row.email, payload=payload, good_until=lapses)


async def _count_mail(sign_up_id: str, visitor: Visitor) -> None:
    async with reading() as session:
        row = await people.find_sign_up(session, sign_up_id)
    if row:
        await count_mail(row.email, visitor.address)


async def _hash_of(former_id: str) -> str:
    async with reading() as session:
        former = await people.find_sign_up(session, former_id)
    if former is None or former.terms_accepted_at:
        raise SignUpGone
    return former.password_hash


def _pending(row: SignUp) -> PendingSignUp:
    applicant = Applicant(row.first_name, row.last_name, row.email, row.phone, row.zip_code)
    return PendingSignUp(row.id, applicant, row.plan_id or "", row.comes_from)
