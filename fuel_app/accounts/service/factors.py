"""Second factors at sign-in: which ones a person has, and whether a code is right."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, factors, people
from fuel_app.accounts.rules import APP, PASSKEY, RECOVERY, SMS, Purpose, totp_step
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, outbox, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.throttle import SMS_CODES, throttle


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


def takes_sms(person: Person) -> bool:
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
    if method == RECOVERY:
        return await factors.use_recovery_code(session, person_id, recovery_hash(person_id, code))
    return False  # a passkey signs in by itself: service/passkeys.py


async def use_app_code(session: AsyncSession, person: Person, code: object, now: datetime) -> bool:
    """Use up a code of the authenticator app. Of two at once, one succeeds."""
    seed = secrets.decrypt(person.totp_seed or "")
    step = totp_step(seed, code, now, person.totp_last_step) if seed else None
    return step is not None and await factors.use_step(session, person.id, step)


def recovery_hash(person_id: str, code: object) -> str:
    """Return the keyed hash of a recovery code, however its letters and dashes are typed."""
    typed = code if isinstance(code, str) and len(code) < 100 else ""
    bare = "".join(each for each in typed.lower() if each.isalnum())
    return secrets.digest("recovery", f"{person_id}\0{bare}").hex()


async def send_sms_code(person_id: str) -> None:
    """Text a code for the second step of a sign-in, if the person takes them.

    Raises:
        TooManyRequests: After 3 in an hour to a person or a number.
    """
    async with transaction() as session:
        person = await people.by_id(session, person_id)
        if person is None or not takes_sms(person):
            return
        await throttle().spend(SMS_CODES, person_id)
        await throttle().spend(SMS_CODES, person.phone)
        challenge = await challenges.issue(session, Purpose.SMS, clock.now(), person_id=person_id)
        await outbox.add(
            session,
            "sms_code",
            channel=outbox.SMS,
            person_id=person_id,
            payload={"challenge": challenge},
        )
