"""Signing in with e-mail and password, and the second step of those who have one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts import providers as passwords
from fuel_app.accounts.queries import challenges, login_history, people
from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.rules import SYSTEM, Purpose
from fuel_app.accounts.rules.factors import RECOVERY
from fuel_app.accounts.rules.sign_in import (
    FAILURES_TOLD,
    FAILURES_WITHIN,
    NO_RECOVERY_CODE,
    TYPED_MAX,
    AccountClosed,
    NoCode,
    SecondStepOver,
    Visitor,
    WrongCode,
    WrongSignIn,
    typed_code,
)
from fuel_app.accounts.service import factors, sessions
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, outbox, secrets
from fuel_app.kit.contact import email as cleaned
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.throttle import (
    ACCOUNT_RIGHT_SIGN_INS,
    ACCOUNT_SIGN_INS,
    ALL_SIGN_INS,
    SECOND_STEPS,
    SIGN_INS,
    household,
    throttle,
)

log = structlog.get_logger()


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
    given = _given_email(email)
    async with throttled(given, visitor.address):
        proved = await person_by_password(given, password, visitor)
    await throttle().spend(ACCOUNT_RIGHT_SIGN_INS, _account(given))
    async with transaction() as session:
        person = await people.by_id(session, proved.id, lock=True)
        if person is None or person.password_hash != proved.password_hash:  # changed since
            raise WrongSignIn
        if methods := await factors.methods_of(session, person):
            challenge = await challenges.issue(
                session,
                Purpose.FACTOR,
                clock.now(),
                person_id=person.id,
                replaces=False,  # an attacker with the password must not stop the owner's
            )
            return NeedsFactor(challenge, methods)
        return await open_session(session, person, visitor, second_factor=False)


async def finish(challenge_id: str, method: object, code: object, visitor: Visitor) -> SignedIn:
    """Open a session by the second step's code.

    Raises:
        WrongCode: If it is wrong or was used; nothing is counted where it is empty.
        SecondStepOver: After 10 minutes, 5 tries, or a change of the password.
        TooManyRequests: As for `sign_in`, with which it shares the count, and after 5 wrong codes.
    """
    person_id, email = await _challenged(challenge_id)
    given = typed_code(code, NO_RECOVERY_CODE if method == RECOVERY else NoCode.message)
    async with throttled(email, visitor.address), throttle().failing(SECOND_STEPS, person_id):
        outcome = await _second_step(challenge_id, person_id, method, given, visitor)
    if isinstance(outcome, SecondStepOver):  # not inside: it was no guess
        raise outcome
    return outcome


async def is_open(challenge_id: str) -> bool:
    """Return whether a second step may still be finished."""
    try:
        await _challenged(challenge_id)
    except SecondStepOver:
        return False
    return True


async def send_code(challenge_id: str) -> None:
    """Text a code for the second step.

    Raises:
        SecondStepOver: If it is not open any more.
        TooManyRequests: After some in an hour.
    """
    person_id, _email = await _challenged(challenge_id)
    await factors.send_sms_code(person_id)


async def open_session(
    session: AsyncSession, person: Person, visitor: Visitor, *, second_factor: bool
) -> SignedIn:
    """Start the session of a proved person in the caller's transaction.

    It is always a new one, so that no attacker can have planted it; the browser's former one ends.
    """
    known = await login_history.places(session, person.id)
    if visitor.former:
        await stored.end(session, visitor.former)
    opened = await sessions.begin(
        session, person_id=person.id, second_factor=second_factor, device=visitor.device
    )
    await login_history.note(session, login_history.SIGNED_IN, person.id, visitor)
    if known and (visitor.device, visitor.network) not in known:
        payload = {**visitor.place, "at": clock.now().isoformat()}
        await outbox.add(session, "new_sign_in", person_id=person.id, payload=payload)
    return opened


async def person_by_password(email: str, password: object, visitor: Visitor) -> Person:
    """Return the active person with this e-mail and password; note a failure. Inside `throttled`.

    Raises:
        WrongSignIn
        AccountClosed: If its owner has closed the account, who hears how to restore it.
    """
    async with reading() as session:
        person = await people.active_or_closed(session, email)
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
async def throttled(email: str, address: str) -> AsyncIterator[None]:
    """Limit failures by address and by account, whether or not there is one.

    An attacker who has used up the guesses of one address takes none from the owner elsewhere.
    """
    try:
        async with (
            throttle().failing(SIGN_INS, address),
            throttle().failing(ACCOUNT_SIGN_INS, _account(email, address)),
            throttle().failing(ALL_SIGN_INS, _account(email)),
        ):
            yield
    except Refusal as refusal:
        log.warning("sign_in.refused", reason=type(refusal).__name__)
        raise


async def forget_tries(email: str, address: str) -> None:
    """Let the owner of an account in again, who has just reset the password. Wrong codes of the
    second step stay counted: whoever reads the owner's mail must not guess on."""
    await throttle().forget(ACCOUNT_SIGN_INS, _account(email, address))
    await throttle().forget(ALL_SIGN_INS, _account(email))
    await throttle().forget(ACCOUNT_RIGHT_SIGN_INS, _account(email))


def _account(email: str, address: str = "") -> str:
    """Return the key of an account, or of one from one address."""
    return secrets.digest("account", f"{email} {household(address)}").hex()


async def _second_step(
    challenge_id: str, person_id: str, method: object, code: object, visitor: Visitor
) -> SignedIn | SecondStepOver:
    """Check the code. Return the new session, or that the step is over.

    Raises:
        WrongCode: After the commit, which counts the try.
    """
    async with transaction() as session:
        outcome = await _try_code(session, challenge_id, person_id, method, code, visitor)
    if isinstance(outcome, WrongCode):
        raise outcome
    return outcome


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
    if not await factors.check(session, person_id, method, code, now):
        await _note_failure(session, person_id, visitor)
        return WrongCode()
    await challenges.spend(session, Purpose.FACTOR, challenge_id, now)
    return await open_session(session, person, visitor, second_factor=True)


async def _challenged(challenge_id: str) -> tuple[str, str]:
    """Return the id and e-mail of the person whose second step this is."""
    async with reading() as session:
        found = await challenges.open_one(session, Purpose.FACTOR, challenge_id, clock.now())
        person = await people.by_id(session, found.person_id or "") if found else None
    if person is None:
        raise SecondStepOver
    return person.id, person.email or ""


async def _note_failure(session: AsyncSession, person_id: str, visitor: Visitor) -> None:
    """Add a failure to the Login History. The owner is told of five, once an hour."""
    now = clock.now()
    kind = login_history.SIGN_IN_FAILED
    await login_history.note(session, kind, person_id, visitor, actor=SYSTEM)
    failures = await login_history.failures_since(session, person_id, now - FAILURES_WITHIN)
    if failures >= FAILURES_TOLD and await people.by_id(session, person_id):
        await outbox.add(
            session,
            "failed_sign_ins",
            person_id=person_id,
            payload={"network": visitor.network},
            key=f"failed_sign_ins:{person_id}:{now:%Y-%m-%dT%H}",
        )


def _given_email(value: object) -> str:
    try:
        return cleaned(value)
    except ValueError:
        return ""


def _unknown_id(email: str) -> str:
    """Return a stable id for an unknown e-mail, from which the e-mail cannot be told."""
    return str(UUID(bytes=secrets.digest("unknown account", email)[:16]))
