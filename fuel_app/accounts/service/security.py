"""A person's security: second factors, their setup and codes, and where they are signed in.

A factor is the authenticator app, codes by text message, or a passkey (`passkeys.py`). The seed of
an app is stored encrypted and never reaches a tab's state.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from pyotp import random_base32
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, login_history, people, sessions
from fuel_app.accounts.rules import NotAllowed, Purpose, Role, Session
from fuel_app.accounts.rules import security as rules
from fuel_app.accounts.rules.security import (
    APP,
    FACTORS,
    NO_CODES,
    PASSKEY,
    RECOVERY,
    SMS,
    AlreadySetUp,
    HistoryRow,
    LastFactor,
    NoFactor,
    NoPhone,
    NotSetUp,
    OwnSecurity,
    PasskeyRow,
    SessionRow,
    Visitor,
    WrongCode,
    bare_code,
    group_seed,
    require_reauthentication,
    totp_address,
    totp_step,
    typed_code,
)
from fuel_app.accounts.rules.staff import describe_kind
from fuel_app.accounts.tables import Passkey, Person
from fuel_app.kit import clock, outbox, secrets
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.clock import date_and_time, day_of, short_date
from fuel_app.kit.contact import phone_text
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import SESSIONS
from fuel_app.kit.throttle import SMS_CODES, SMS_SIGN_INS, Limit, throttle
from fuel_app.settings import settings


async def list_methods(session: AsyncSession, person: Person) -> tuple[str, ...]:
    """Return the second factors that a person has on: 'app', 'sms', 'passkey', 'recovery'."""
    has_on = {
        APP: bool(person.totp_seed and person.totp_confirmed_at),
        SMS: takes_sms(person),
        PASSKEY: bool(await people.passkeys(session, person.id)),
    }
    methods = tuple(method for method, is_on in has_on.items() if is_on)
    # The codes replace another factor and are none by themselves.
    left = methods and await people.count_recovery_codes(session, person.id)
    return (*methods, RECOVERY) if left else methods


async def describe_factors(session: AsyncSession, person: Person) -> str:
    """Return the second factors that a person has on, for a message to its owner."""
    passkeys = await people.passkeys(session, person.id)
    return rules.describe_factors(await list_methods(session, person), len(passkeys))


def takes_sms(person: Person) -> bool:
    """Return whether codes by text message are on, for a verified phone."""
    return person.sms_codes and person.phone_verified_at is not None


async def check_code(
    session: AsyncSession, person_id: str, method: object, code: object, now: datetime
) -> bool:
    """Use a code up in the caller's transaction. Return False if it is wrong or was used.

    Commit in both cases: a wrong code from a text message counts as a try.
    """
    person = await people.by_id(session, person_id)
    if person is None or method not in await list_methods(session, person):
        return False
    if method == APP:
        return await use_app_code(session, person, code, now)
    if method == SMS:
        spent = await challenges.spend_code(session, Purpose.SMS, code, now, person_id=person_id)
        return spent is not None
    # A passkey signs in by itself: service/passkeys.py.
    return method == RECOVERY and await people.use_recovery_code(
        session, person_id, recovery_hash(person_id, code)
    )


async def use_app_code(session: AsyncSession, person: Person, code: object, now: datetime) -> bool:
    """Use up a code of the authenticator app. Of two at once, one succeeds."""
    seed = secrets.decrypt(person.totp_seed or "")
    step = totp_step(seed, code, now, person.totp_last_step) if seed else None
    return step is not None and await people.use_app_step(session, person.id, step)


def recovery_hash(person_id: str, code: object) -> str:
    """Return the keyed hash of a recovery code."""
    return secrets.digest("recovery", f"{person_id}\0{bare_code(code)}").hex()


async def new_recovery_codes(by: Session, visitor: Visitor) -> tuple[str, ...]:
    """Make ten codes, which replace all earlier ones. They are shown once.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `change` says.
        NoFactor: If no second factor is on.
    """
    codes = rules.new_recovery_codes()
    async with change(by) as (session, person):
        if not await list_methods(session, person):
            raise NoFactor
        hashes = [recovery_hash(person.id, code) for code in codes]  # the codes are not stored
        await people.replace_recovery_codes(session, person.id, hashes)
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
    await limit_sms(SMS_SIGN_INS, person_id, person.phone)
    async with transaction() as session:
        challenge = await challenges.issue(session, Purpose.SMS, clock.now(), person_id=person_id)
        sent = {"channel": outbox.SMS, "payload": {"challenge": challenge}}
        await outbox.add(session, "sms_code", person_id=person_id, **sent)


async def limit_sms(limit: Limit, person_id: str, phone: str) -> None:
    """Count a text message against the limit of its reader and of its number.

    Raises:
        TooManyRequests
    """
    await throttle().spend(limit, person_id)
    await throttle().spend(limit, phone)


async def turn_off(by: Session, method: str, visitor: Visitor) -> None:
    """Turn the app or the text messages off, or stop setting the app up; a phone stays verified.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `change` says.
        LastFactor: If it is an admin's only one.
    """
    async with change(by) as (session, person):
        if method == APP:
            was_on = person.totp_confirmed_at is not None
            person.totp_seed = person.totp_confirmed_at = None
        else:
            was_on, person.sms_codes = person.sms_codes, False
        if was_on:
            await record_removed(session, by, FACTORS[method], visitor)


@asynccontextmanager
async def change(by: Session) -> AsyncIterator[tuple[AsyncSession, Person]]:
    """Open a transaction in which a person, locked before all else, changes their security.

    Raises:
        NotAllowed: If the session is not a person's, or has ended meanwhile.
        ReauthenticationNeeded: If neither a password nor a factor was given within 10 minutes.
    """
    require_reauthentication(by, clock.now())
    async with transaction() as session:
        yield session, await lock_owner(session, by)


async def lock_owner(session: AsyncSession, by: Session) -> Person:
    """Return and lock the person whose security is being changed. Raises NotAllowed."""
    person = await people.by_id(session, by.person_id, lock=True)
    # A request may be sent slowly: a passkey must not outlive the reset that ends its session.
    if person is None or await sessions.find(session, now=clock.now(), id=by.id) is None:
        raise NotAllowed
    return person


async def record_added(
    session: AsyncSession, by: Session, factor: str, visitor: Visitor, *, is_first: bool
) -> None:
    """Note a new factor. The first one counts for this session, and ends the others without one."""
    publish(session, SESSIONS)
    counts = is_first or by.second_factor
    await sessions.note_reauthentication(session, by.id, clock.now(), second_factor=counts)
    if is_first:
        await sessions.end_without_factor(session, by.person_id)
    await report(session, by, login_history.FACTOR_ADDED, f"{factor} added", visitor)


async def record_removed(session: AsyncSession, by: Session, factor: str, visitor: Visitor) -> None:
    """Note that a factor was removed; without any, the recovery codes go, too.

    Raises:
        LastFactor: If an admin has no other one.
    """
    await session.flush()
    if not await list_methods(session, await lock_owner(session, by)):
        if Role.ADMIN in await people.roles(session, by.person_id):
            raise LastFactor
        await people.replace_recovery_codes(session, by.person_id, ())
    await report(session, by, login_history.FACTOR_REMOVED, f"{factor} removed", visitor)


async def report(
    session: AsyncSession, by: Session, kind: str, what: str, visitor: Visitor
) -> None:
    """Write a change to the Login History, and mail it to its owner."""
    await login_history.note(session, kind, by.person_id, visitor, what=what)
    await outbox.add(session, "security_changed", person_id=by.person_id, payload={"what": what})


async def start_app_setup(by: Session) -> None:
    """Make a new seed, which counts once a code has confirmed it.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `change` says.
        AlreadySetUp: If another app is on.
    """
    async with change(by) as (_, person):
        if person.totp_confirmed_at:
            raise AlreadySetUp
        person.totp_seed = secrets.encrypt(random_base32())


async def confirm_app(by: Session, code: object, visitor: Visitor) -> None:
    """Turn the app on by its first code.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `change` says.
        NotSetUp: If no setup was begun.
        WrongCode: No try is counted where nothing was typed.
    """
    now, code = clock.now(), typed_code(code)
    async with change(by) as (session, person):
        if person.totp_confirmed_at or not person.totp_seed:
            raise NotSetUp
        if not await use_app_code(session, person, code, now):
            raise WrongCode
        is_first = not await list_methods(session, person)
        person.totp_confirmed_at = now
        await record_added(session, by, FACTORS[APP], visitor, is_first=is_first)


async def app_address(by: Session) -> str | None:
    """Return the address with the seed of a setup that waits for its code; None without one.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `require_reauthentication` says.
    """
    person, seed = await _find_pending_app(by)
    return totp_address(seed, person.email or "", settings.brand_name) if person else None


async def app_key(by: Session) -> str | None:
    """Return the seed as it is typed; otherwise as `app_address`."""
    person, seed = await _find_pending_app(by)
    return group_seed(seed) if person else None


async def _find_pending_app(by: Session) -> tuple[Person | None, str]:
    person_id = require_reauthentication(by, clock.now())
    async with reading() as session:
        person = await people.by_id(session, person_id)
    waits = person is not None and person.totp_seed and not person.totp_confirmed_at
    seed = secrets.decrypt(person.totp_seed or "") if person and waits else None
    return (person, seed) if seed else (None, "")


OnAgreed = Callable[[AsyncSession, str, str], Awaitable[None]]  # takes a phone and its person
CheckPhone = Callable[[str], Awaitable[None]]  # takes a phone


async def send_phone_code(
    by: Session, phone: str, *, agrees: bool = False, check: CheckPhone | None = None
) -> None:
    """Text a code to a number of ten digits, which it verifies.

    Args:
        agrees: Whether its owner wants other messages there, too.
        check: May refuse a number that no text message reaches.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `require_reauthentication` says.
        TooManyRequests: After 3 in an hour to a person or a number.
        Refusal: As `check` says.
    """
    person_id = require_reauthentication(by, clock.now())
    await limit_sms(SMS_CODES, person_id, phone)
    if check:
        await check(phone)
    await _send_phone_code(person_id, {"phone": phone, "agrees": agrees})


async def send_texts_code(by: Session, *, check: CheckPhone) -> None:
    """Text a code to the account's own phone: it verifies the phone, and is no second factor.

    Args:
        check: May refuse a number that no text message reaches.

    Raises:
        NoPhone: If there is none.
        TooManyRequests: After 3 in an hour to a person or a number.
        Refusal: As `check` says.
    """
    async with reading() as session:
        person = await people.by_id(session, by.person_id)
    if person is None or not person.phone:
        raise NoPhone
    phone = person.phone
    await limit_sms(SMS_CODES, person.id, phone)
    await check(phone)
    await _send_phone_code(person.id, {"phone": phone, "is_factor": False})


async def _send_phone_code(person_id: str, data: dict[str, Any]) -> None:
    async with transaction() as session:
        challenge = await challenges.issue(
            session, Purpose.PHONE, clock.now(), person_id=person_id, data=data
        )
        sent = {"channel": outbox.SMS, "payload": {"challenge": challenge}}
        await outbox.add(session, "phone_code", person_id=person_id, to=data["phone"], **sent)


async def confirm_texts(by: Session, code: object, *, agree: OnAgreed) -> None:
    """Verify the account's own phone by its code, for text messages alone.

    Args:
        agree: Called in the transaction.

    Raises:
        NotAllowed: If the session has ended meanwhile.
        WrongCode: No try is counted where nothing was typed.
        Refusal: As `agree` says.
    """
    now, code = clock.now(), typed_code(code)
    async with transaction() as session:
        person = await lock_owner(session, by)
        spent = await challenges.spend_code(session, Purpose.PHONE, code, now, person_id=person.id)
        is_right = spent is not None and spent.data == {"phone": person.phone, "is_factor": False}
        if is_right:
            person.phone_verified_at = now
            await agree(session, person.phone, person.id)
    if not is_right:  # after the commit, which counts the try
        raise WrongCode


async def confirm_phone(by: Session, code: object, visitor: Visitor, *, agree: OnAgreed) -> None:
    """Verify the phone by its code and turn codes by text message on.

    Args:
        agree: Called in the transaction where the owner wants other messages, too.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `change` says.
        WrongCode: No try is counted where nothing was typed.
    """
    now, code = clock.now(), typed_code(code)
    async with change(by) as (session, person):
        spent = await challenges.spend_code(session, Purpose.PHONE, code, now, person_id=person.id)
        is_right = spent is not None and "agrees" in spent.data
        if spent and is_right:
            is_first = not await list_methods(session, person)
            person.phone, person.phone_verified_at = str(spent.data["phone"]), now
            person.sms_codes = True
            await record_added(session, by, FACTORS[SMS], visitor, is_first=is_first)
            if spent.data["agrees"]:
                await agree(session, person.phone, person.id)
    if not is_right:  # after the commit, which counts the try
        raise WrongCode


HISTORY_SHOWN = 30


async def overview(by: Session) -> OwnSecurity:
    """Return the security of the person of this session; a blank one without a person."""
    async with reading() as session:
        person = await people.by_id(session, by.person_id) if by.person_id else None
        if person is None:
            return OwnSecurity()
        methods = await list_methods(session, person)
        codes = await people.count_recovery_codes(session, person.id)
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
            passkeys=[_passkey_row(each) for each in await people.passkeys(session, person.id)],
            sessions=[
                SessionRow(
                    each.id,
                    each.device or "A browser",
                    f"Since {date_and_time(each.created_at)}",
                    f"Last used {date_and_time(each.last_seen_at)}",
                    each.id == by.id,
                )
                for each in await sessions.of_person(session, person.id, clock.now())
            ],
            history=[
                _history_row(each)
                for each in await login_history.last_entries(session, person.id, HISTORY_SHOWN)
            ],
        )


def _passkey_row(row: Passkey) -> PasskeyRow:
    used = f"Last used {date_and_time(row.last_used_at)}" if row.last_used_at else "Not used yet"
    return PasskeyRow(row.id, row.name, f"Added {short_date(day_of(row.created_at))}", used)


def _history_row(entry: AuditEntry) -> HistoryRow:
    after = entry.after or {}
    # The first roles of a person are its creation.
    is_first = entry.kind == "roles_changed" and not (entry.before or {}).get("roles")
    event, what = describe_kind("created" if is_first else entry.kind), after.get("what", "")
    if what and what != event:
        event = what if entry.kind.startswith("factor") else f"{event}: {what}"
    device, network = (after.get(name) or "–" for name in ("device", "network"))  # noqa: RUF001
    return HistoryRow(event, device, network, date_and_time(entry.at))


async def end_session(by: Session, session_id: object, visitor: Visitor) -> bool:
    """End one session of this person. Return False if there is none such."""
    row_id = well_formed_id(session_id) or ""
    if not by.person_id:
        return False
    async with transaction() as session:
        device = await sessions.end_one_of_person(session, by.person_id, row_id)
        if device is None:
            return False
        await _note_sign_out(session, by, f"the session in {device}", visitor)
    return True


async def end_sessions(by: Session, visitor: Visitor, *, except_id: str = "") -> int:
    """Sign this person out everywhere, or in all sessions but one. Return in how many."""
    if not by.person_id:
        return 0
    async with transaction() as session:
        # Waits for a change of a factor that is under way.
        await people.by_id(session, by.person_id, lock=True)
        ended = await sessions.end_of_person(session, by.person_id, except_id=except_id)
        if ended:
            what = "all other sessions" if except_id else "all sessions"
            await _note_sign_out(session, by, what, visitor)
    return ended


async def _note_sign_out(session: AsyncSession, by: Session, what: str, visitor: Visitor) -> None:
    kind = login_history.SIGNED_OUT
    await login_history.note(session, kind, by.person_id, visitor, what=what)
