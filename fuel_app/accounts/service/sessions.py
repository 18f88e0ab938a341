"""Sessions: signing in by password and second step, the cookie, renewal, signing out.

Staff share one password until the first admin exists.
"""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts import providers as passwords
from fuel_app.accounts.queries import challenges, login_history, people
from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.rules import (
    COOKIE_S,
    SHARED_PASSWORD_MAX,
    SYSTEM,
    TECHNICIAN_DAYS,
    TICKET_S,
    Purpose,
    Role,
    Session,
    hashed,
    label,
    lifetime,
    new_token,
)
from fuel_app.accounts.rules.security import (
    FAILURES_TOLD,
    FAILURES_WITHIN,
    NO_RECOVERY_CODE,
    RECOVERY,
    TYPED_MAX,
    AccountClosed,
    NoCode,
    SecondStepOver,
    Visitor,
    WrongCode,
    WrongSignIn,
    typed_code,
)
from fuel_app.accounts.service import security
from fuel_app.accounts.tables import Person, StoredSession
from fuel_app.kit import clock, outbox, policies
from fuel_app.kit.contact import email as cleaned
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm, Refusal, TooManyRequests, WrongPassword
from fuel_app.kit.policies import policy
from fuel_app.kit.secrets import digest
from fuel_app.kit.throttle import (
    ACCOUNT_RIGHT_SIGN_INS,
    ACCOUNT_SIGN_INS,
    ALL_SIGN_INS,
    SECOND_STEPS,
    SIGN_INS,
    STAFF_LOGINS,
    household,
    throttle,
)

DELETION_DAYS = policy(
    "deletion_days", "Deleted accounts are emptied after", unit="days", default=30, least=1, most=90
)
TECHNICIAN_SESSION_DAYS = policy(
    "technician_session_days",
    "Technicians stay signed in for",
    unit="days",
    default=TECHNICIAN_DAYS,
    least=1,
    most=30,
)


log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session, and the ticket by which its cookie is fetched, once, within a minute."""

    session_id: str
    ticket: str


@dataclass(frozen=True, slots=True)
class Cookie:
    """The token for the browser's cookie, and how long to keep it: None until it is closed."""

    token: str
    max_age_s: int | None


async def start(
    session: AsyncSession,
    *,
    person_id: str | None = None,
    sign_up_id: str | None = None,
    second_factor: bool = False,
    device: str = "",
) -> SignedIn:
    """Start a session in the caller's transaction.

    With neither a person nor a sign-up it is one of the shared password.
    """
    now, ticket = clock.now(), new_token()
    row = StoredSession(
        token_hash=_hash_ticket(ticket),
        person_id=person_id,
        sign_up_id=sign_up_id,
        second_factor=second_factor,
        proved_at=now if person_id else None,
        device=device,
        created_at=now,
        last_seen_at=now,
        expires_at=now + timedelta(seconds=TICKET_S),
    )
    log.info("session.opened", session=label(row.id))
    return SignedIn(await stored.add(session, row), ticket)


async def redeem_ticket(ticket: str) -> Cookie | None:
    """Return the browser's cookie, with a token made now; None if the ticket is unknown, used or
    expired, or its session has ended."""
    spent, token, now = _hash_ticket(ticket), new_token(), clock.now()
    async with reading() as session:  # an unknown ticket takes no write lock
        opened = await stored.find(session, now=now, token_hash=spent)
    if opened is None:
        return None
    async with transaction() as session:
        expires = now + await _lifetime(session, opened)
        is_redeemed = await stored.hand_over(
            session, spent, hashed(token), now=now, expires=expires
        )
    return Cookie(token, None if opened.is_staff else COOKIE_S) if is_redeemed else None


def _hash_ticket(ticket: str) -> str:
    """Return a ticket's stored form, which stands in for the token's and is that of no token."""
    return digest("ticket", ticket).hex()


async def find(session_id: str) -> Session | None:
    """Return and extend the session, if it is open."""
    return await _find(id=session_id)


async def find_by_token(token: str) -> Session | None:
    """Return and extend the session of the browser with this cookie, if it is open."""
    return await _find(token_hash=hashed(token))


async def _find(**key: str) -> Session | None:
    now = clock.now()
    async with reading() as session:
        opened = await stored.find(session, now=now, **key)
    if opened is None or not opened.wants_renewal(now):
        return opened
    try:
        async with transaction() as session:
            expires = now + await _lifetime(session, opened)
            await stored.renew(session, opened.id, now=now, expires=expires)
    except Exception:  # the next event retries
        log.exception("session.renewal_failed")
        return opened
    return replace(opened, last_seen_at=now, expires_at=expires)


async def _lifetime(session: AsyncSession, of: Session) -> timedelta:
    """Return how long a session lasts without use; only a technician's depends on a policy."""
    if Role.TECHNICIAN not in of.roles:
        return lifetime(of)
    return lifetime(of, await policies.value(session, TECHNICIAN_SESSION_DAYS))


async def sign_out(session_id: str) -> None:
    """End a session in every tab at once."""
    async with transaction() as session:
        ended = await stored.find(session, now=clock.now(), id=session_id)
        if ended is None:
            return
        here = Visitor(device=await stored.end(session, session_id) or "")
        if ended.person_id:
            await login_history.note(session, login_history.SIGNED_OUT, ended.person_id, here)
    log.info("session.ended", session=label(session_id))


@dataclass(frozen=True, slots=True)
class NeedsFactor:
    """The password was right; a code or a passkey has to follow in the same tab."""

    challenge_id: str = field(repr=False)
    methods: tuple[str, ...]


async def sign_in(email: object, password: object, visitor: Visitor) -> SignedIn | NeedsFactor:
    """Open a session, or the second step to one. The browser's former session ends.

    An unknown e-mail takes as long and is refused alike.

    Raises:
        WrongSignIn: If there is no such active person, or the password is wrong.
        TooManyRequests: After 20 failures from one address, 5 of them to one account, or 30 to an
            account from all, or 30 right ones, in 15 minutes.
    """
    address = _parse_email(email)
    async with limit_failures(address, visitor.address):
        signing_in = await check_password(address, password, visitor)
    await throttle().spend(ACCOUNT_RIGHT_SIGN_INS, _account_key(address))
    async with transaction() as session:
        person = await people.by_id(session, signing_in.id, lock=True)
        if person is None or person.password_hash != signing_in.password_hash:  # changed since
            raise WrongSignIn
        if methods := await security.list_methods(session, person):
            challenge = await challenges.issue(
                session,
                Purpose.FACTOR,
                clock.now(),
                person_id=person.id,
                replaces=False,  # an attacker with the password must not stop the owner's
            )
            return NeedsFactor(challenge, methods)
        return await start_for_person(session, person, visitor, second_factor=False)


async def finish_second_step(
    challenge_id: str, method: object, code: object, visitor: Visitor
) -> SignedIn:
    """Open a session by the second step's code.

    Raises:
        WrongCode: If it is wrong or was used; nothing is counted where it is empty.
        SecondStepOver: After 10 minutes, 5 tries, or a change of the password.
        TooManyRequests: As for `sign_in`, with which it shares the count, and after 5 wrong codes.
    """
    person = await _find_challenged(challenge_id)
    typed = typed_code(code, NO_RECOVERY_CODE if method == RECOVERY else NoCode.message)
    async with (
        limit_failures(person.email or "", visitor.address),
        throttle().failing(SECOND_STEPS, person.id),
    ):
        async with transaction() as session:
            outcome = await _try_code(session, challenge_id, person.id, method, typed, visitor)
        if isinstance(outcome, WrongCode):  # after the commit, which counts the try
            raise outcome
    if isinstance(outcome, SecondStepOver):  # not inside: it was no guess
        raise outcome
    return outcome


async def is_second_step_open(challenge_id: str) -> bool:
    """Return whether a second step may still be finished."""
    try:
        await _find_challenged(challenge_id)
    except SecondStepOver:
        return False
    return True


async def send_second_step_code(challenge_id: str) -> None:
    """Text a code for the second step.

    Raises:
        SecondStepOver: If it is not open any more.
        TooManyRequests: After some in an hour.
    """
    await security.send_sms_code((await _find_challenged(challenge_id)).id)


async def start_for_person(
    session: AsyncSession, person: Person, visitor: Visitor, *, second_factor: bool
) -> SignedIn:
    """Start the session of a proved person in the caller's transaction.

    It is always a new one, so that no attacker can have planted it; the browser's former one ends.
    """
    known_devices = await login_history.known_devices(session, person.id)
    if visitor.former:
        await stored.end(session, visitor.former)
    opened = await start(
        session, person_id=person.id, second_factor=second_factor, device=visitor.device
    )
    await login_history.note(session, login_history.SIGNED_IN, person.id, visitor)
    if known_devices and (visitor.device, visitor.network) not in known_devices:
        payload = {**visitor.device_and_network, "at": clock.now().isoformat()}
        await outbox.add(session, "new_sign_in", person_id=person.id, payload=payload)
    return opened


async def check_password(email: str, password: object, visitor: Visitor) -> Person:
    """Return the active person with this e-mail and password, inside `limit_failures`.

    Raises:
        WrongSignIn
        AccountClosed: If its owner has closed the account, who hears how to restore it.
    """
    async with reading() as session:
        person = await people.find_holder(session, email)
    if person and person.deactivated_at and not person.delete_at:  # not by its owner
        person = None
    typed = password if isinstance(password, str) and len(password) <= TYPED_MAX else ""
    right = await passwords.matches(person.password_hash if person else None, typed)
    if person is None or not right:
        async with transaction() as session:
            await _note_failure(session, person.id if person else _unknown_id(email), visitor)
        raise WrongSignIn
    if person.delete_at:
        raise AccountClosed(person.delete_at)
    return person


@asynccontextmanager
async def limit_failures(email: str, address: str) -> AsyncIterator[None]:
    """Limit failures by address and by account, whether or not there is one.

    An attacker who has used up the guesses of one address takes none from the owner elsewhere.
    """
    try:
        async with (
            throttle().failing(SIGN_INS, address),
            throttle().failing(ACCOUNT_SIGN_INS, _account_key(email, address)),
            throttle().failing(ALL_SIGN_INS, _account_key(email)),
        ):
            yield
    except Refusal as refusal:
        log.warning("sign_in.refused", reason=type(refusal).__name__)
        raise


async def forget_failures(email: str, address: str) -> None:
    """Let the owner of an account in again, who has just reset the password. Wrong codes of the
    second step stay counted: whoever reads the owner's mail must not guess on."""
    await throttle().forget(ACCOUNT_SIGN_INS, _account_key(email, address))
    await throttle().forget(ALL_SIGN_INS, _account_key(email))
    await throttle().forget(ACCOUNT_RIGHT_SIGN_INS, _account_key(email))


def _account_key(email: str, address: str = "") -> str:
    """Return the key of an account, or of one from one address."""
    return digest("account", f"{email} {household(address)}").hex()


async def _try_code(
    session: AsyncSession,
    challenge_id: str,
    person_id: str,
    method: object,
    code: object,
    visitor: Visitor,
) -> SignedIn | WrongCode | SecondStepOver:
    """Count the try and check the code. Return the new session, or what is wrong."""
    now = clock.now()
    person = await people.by_id(session, person_id, lock=True)
    is_open = await challenges.count_try(session, Purpose.FACTOR, challenge_id, now)
    if person is None or not is_open:
        return SecondStepOver()
    if not await security.check_code(session, person_id, method, code, now):
        await _note_failure(session, person_id, visitor)
        return WrongCode()
    await challenges.spend(session, Purpose.FACTOR, challenge_id, now)
    return await start_for_person(session, person, visitor, second_factor=True)


async def _find_challenged(challenge_id: str) -> Person:
    """Return the person whose second step this is. Raises SecondStepOver."""
    async with reading() as session:
        challenge = await challenges.open_one(session, Purpose.FACTOR, challenge_id, clock.now())
        person = await people.by_id(session, challenge.person_id or "") if challenge else None
    if person is None:
        raise SecondStepOver
    return person


async def _note_failure(session: AsyncSession, person_id: str, visitor: Visitor) -> None:
    """Add a failure to the Login History. The owner is notified of five, once an hour."""
    now = clock.now()
    await login_history.note(
        session, login_history.SIGN_IN_FAILED, person_id, visitor, actor=SYSTEM
    )
    failures = await login_history.failures_since(session, person_id, now - FAILURES_WITHIN)
    if failures >= FAILURES_TOLD and await people.by_id(session, person_id):
        await outbox.add(
            session,
            "failed_sign_ins",
            person_id=person_id,
            payload={"network": visitor.network},
            key=f"failed_sign_ins:{person_id}:{now:%Y-%m-%dT%H}",
        )


def _parse_email(value: object) -> str:
    try:
        return cleaned(value)
    except ValueError:
        return ""


def _unknown_id(email: str) -> str:
    """Return a stable id for an unknown e-mail, from which the e-mail cannot be told."""
    return str(UUID(bytes=digest("unknown account", email)[:16]))


async def sign_in_shared(password: object, visitor: Visitor) -> SignedIn:
    """Open a session.

    Raises:
        WrongPassword: If it is not the staff password, none is set, or an admin exists.
        TooManyRequests: After 5 wrong ones from one address in 15 minutes.
    """
    typed = password if isinstance(password, str) and len(password) <= SHARED_PASSWORD_MAX else ""
    try:
        async with throttle().failing(STAFF_LOGINS, visitor.address):
            if not await passwords.is_right(typed):
                raise WrongPassword
            async with transaction() as session:
                if await people.lock_admins(session):
                    raise WrongPassword
                return await start(session, device=visitor.device)
    except (WrongPassword, TooManyRequests) as refusal:
        log.warning("staff.sign_in_refused", reason=type(refusal).__name__)
        raise


async def is_shared_password_retired() -> bool:
    """Return whether a named admin exists, so that staff sign in on /sign-in."""
    async with reading() as session:
        return await people.has_admin(session)


def ensure_shared_password() -> str | None:
    """Make a password unless there is one. Return a new one, to be shown once."""
    if passwords.stored_hash():
        return None
    password = secrets.token_urlsafe(15)
    return password if passwords.create(password) else None


async def change_shared_password(password: str) -> int:
    """Store a new password, as its hash. Return how many sessions it has ended.

    Raises:
        InvalidForm: If it is empty or too long, or if the settings name one.
    """
    if passwords.is_set_by_settings():
        problem = "The settings name the staff's password (FUEL_STAFF_PASSWORD...): change it there"
        raise InvalidForm({"password": problem})
    if not 0 < len(password) <= SHARED_PASSWORD_MAX:
        raise InvalidForm({"password": f"A password has 1 to {SHARED_PASSWORD_MAX} characters"})
    passwords.replace(password)
    async with transaction() as session:
        return await stored.end_all_shared(session)
