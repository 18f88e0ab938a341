"""Second factors: which ones a person has, whether a code is right, and what a change entails."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, factors, login_history, people, sessions
from fuel_app.accounts.rules import NotAllowed, Purpose, Role, Session
from fuel_app.accounts.rules import factors as rules
from fuel_app.accounts.rules.factors import (
    APP,
    PASSKEY,
    RECOVERY,
    SMS,
    LastFactor,
    NoFactor,
    bare_code,
    totp_step,
)
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, outbox, secrets
from fuel_app.kit.db.session import reading, tell, transaction
from fuel_app.kit.signals import SESSIONS
from fuel_app.kit.throttle import SMS_SIGN_INS, Limit, throttle


async def methods_of(session: AsyncSession, person: Person) -> tuple[str, ...]:
    """Return the second factors that a person has on: 'app', 'sms', 'passkey', 'recovery'."""
    has_on = {
        APP: bool(person.totp_seed and person.totp_confirmed_at),
        SMS: takes_sms(person),
        PASSKEY: bool(await factors.passkeys(session, person.id)),
    }
    found = tuple(method for method, is_on in has_on.items() if is_on)
    # The codes replace another factor and are none by themselves.
    left = found and await factors.count_recovery_codes(session, person.id)
    return (*found, RECOVERY) if left else found


async def in_words(session: AsyncSession, person: Person) -> str:
    """Return the second factors that a person has on, for a message to its owner."""
    passkeys = await factors.passkeys(session, person.id)
    return rules.in_words(await methods_of(session, person), len(passkeys))


def takes_sms(person: Person) -> bool:
    """Return whether codes by text message are on, for a verified phone."""
    return person.sms_codes and person.phone_verified_at is not None


async def check(
    session: AsyncSession, person_id: str, method: object, code: object, now: datetime
) -> bool:
    """Use a code up in the caller's transaction. Return False if it is wrong or was used.

    Commit in both cases: a wrong code from a text message counts as a try.
    """
    person = await people.by_id(session, person_id)
    if person is None or method not in await methods_of(session, person):
        return False
    if method == APP:
        return await use_app_code(session, person, code, now)
    if method == SMS:
        spent = await challenges.spend_code(session, Purpose.SMS, code, now, person_id=person_id)
        return spent is not None
    # A passkey signs in by itself: service/passkeys.py.
    return method == RECOVERY and await factors.use_recovery_code(
        session, person_id, recovery_hash(person_id, code)
    )


async def use_app_code(session: AsyncSession, person: Person, code: object, now: datetime) -> bool:
    """Use up a code of the authenticator app. Of two at once, one succeeds."""
    seed = secrets.decrypt(person.totp_seed or "")
    step = totp_step(seed, code, now, person.totp_last_step) if seed else None
    return step is not None and await factors.use_step(session, person.id, step)


def recovery_hash(person_id: str, code: object) -> str:
    """Return the keyed hash of a recovery code."""
    return secrets.digest("recovery", f"{person_id}\0{bare_code(code)}").hex()


async def new_recovery_codes(by: Session, visitor: Visitor) -> tuple[str, ...]:
    """Make ten codes, which replace all earlier ones. They are shown once.

    Raises:
        NotAllowed, NotProved: As `changing` says.
        NoFactor: If no second factor is on.
    """
    codes = rules.new_recovery_codes()
    async with changing(by) as (session, person):
        if not await methods_of(session, person):
            raise NoFactor
        hashes = [recovery_hash(person.id, code) for code in codes]  # the codes are not stored
        await factors.replace_recovery_codes(session, person.id, hashes)
        await report(session, by, login_history.RECOVERY_CODES, "New recovery codes", visitor)
    return codes


async def send_sms_code(person_id: str) -> None:
    """Text a code for the second step of a sign-in, if the person takes them.

    Raises:
        TooManyRequests: After 3 in an hour to a person or a number.
    """
    async with reading() as session:
        person = await people.by_id(session, person_id)
    if person is None or not takes_sms(person):
        return
    await spend_sms(SMS_SIGN_INS, person_id, person.phone)
    async with transaction() as session:
        challenge = await challenges.issue(session, Purpose.SMS, clock.now(), person_id=person_id)
        sent = {"channel": outbox.SMS, "payload": {"challenge": challenge}}
        await outbox.add(session, "sms_code", person_id=person_id, **sent)


async def spend_sms(limit: Limit, person_id: str, phone: str) -> None:
    """Count a text message against the limit of its reader and of its number.

    Raises:
        TooManyRequests
    """
    await throttle().spend(limit, person_id)
    await throttle().spend(limit, phone)


async def turn_off(by: Session, method: str, visitor: Visitor) -> None:
    """Turn the app or the text messages off, or stop setting the app up; a phone stays verified.

    Raises:
        NotAllowed, NotProved: As `changing` says.
        LastFactor: If it is an admin's only one.
    """
    async with changing(by) as (session, person):
        if method == APP:
            was_on = person.totp_confirmed_at is not None
            person.totp_seed = person.totp_confirmed_at = None
        else:
            was_on, person.sms_codes = person.sms_codes, False
        if was_on:
            await removed(session, by, rules.FACTORS[method], visitor)


@asynccontextmanager
async def changing(by: Session) -> AsyncIterator[tuple[AsyncSession, Person]]:
    """Open a transaction in which a person, locked before all else, changes their security.

    Raises:
        NotAllowed: If the session is not a person's, or has ended meanwhile.
        NotProved: If neither a password nor a factor was given within 10 minutes.
    """
    rules.proved_person(by, clock.now())
    async with transaction() as session:
        yield session, await owner(session, by)


async def owner(session: AsyncSession, by: Session) -> Person:
    """Return and lock the person whose security is being changed.

    Raises:
        NotAllowed: If the account was closed, or the session ended, meanwhile.
    """
    person = await people.by_id(session, by.person_id, lock=True)
    # A request may be sent slowly: a passkey must not outlive the reset that ends its session.
    if person is None or await sessions.find(session, now=clock.now(), id=by.id) is None:
        raise NotAllowed
    return person


async def added(
    session: AsyncSession, by: Session, factor: str, visitor: Visitor, *, is_first: bool
) -> None:
    """Note a new factor. The first one counts for this session, and ends the others without one."""
    tell(session, SESSIONS)
    counts = is_first or by.second_factor
    await sessions.note_proof(session, by.id, clock.now(), second_factor=counts)
    if is_first:
        await sessions.end_without_factor(session, by.person_id)
    await report(session, by, login_history.FACTOR_ADDED, f"{factor} added", visitor)


async def removed(session: AsyncSession, by: Session, factor: str, visitor: Visitor) -> None:
    """Note that a factor was removed; without any, the recovery codes go, too.

    Raises:
        LastFactor: If an admin has no other one.
    """
    await session.flush()
    if not await methods_of(session, await owner(session, by)):
        if Role.ADMIN in await people.roles(session, by.person_id):
            raise LastFactor
        await factors.replace_recovery_codes(session, by.person_id, ())
    await report(session, by, login_history.FACTOR_REMOVED, f"{factor} removed", visitor)


async def report(
    session: AsyncSession, by: Session, kind: str, what: str, visitor: Visitor
) -> None:
    """Write a change to the Login History, and mail it to its owner."""
    await login_history.note(session, kind, by.person_id, visitor, what=what)
    await outbox.add(session, "security_changed", person_id=by.person_id, payload={"what": what})
