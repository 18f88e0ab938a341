"""Codes by text message as a second factor, and the phone that they verify."""

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges
from fuel_app.accounts.rules import Purpose, Session
from fuel_app.accounts.rules.factors import FACTORS, SMS, proved_person
from fuel_app.accounts.rules.sign_in import Visitor, WrongCode, typed_code
from fuel_app.accounts.service import factors
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.throttle import SMS_CODES

Agree = Callable[[AsyncSession, str, str], Awaitable[None]]  # takes a phone and its person
Check = Callable[[str], Awaitable[None]]  # takes a phone


async def send_phone_code(
    by: Session, phone: str, *, agrees: bool = False, check: Check | None = None
) -> None:
    """Text a code to a number of ten digits, which it verifies.

    Args:
        agrees: Whether its owner wants other messages there, too.
        check: May refuse a number that no text message reaches.

    Raises:
        NotAllowed, NotProved: As `proved_person` says.
        TooManyRequests: After 3 in an hour to a person or a number.
        Refusal: As `check` says.
    """
    now = clock.now()
    person_id = proved_person(by, now)
    await factors.spend_sms(SMS_CODES, person_id, phone)
    if check:
        await check(phone)
    async with transaction() as session:
        data = {"phone": phone, "agrees": agrees}
        challenge = await challenges.issue(
            session, Purpose.PHONE, now, person_id=person_id, data=data
        )
        sent = {"channel": outbox.SMS, "payload": {"challenge": challenge}}
        await outbox.add(session, "phone_code", person_id=person_id, to=phone, **sent)


async def confirm(by: Session, code: object, visitor: Visitor, *, agree: Agree) -> None:
    """Verify the phone by its code and turn codes by text message on.

    Args:
        agree: Called in the transaction where the owner wants other messages, too.

    Raises:
        NotAllowed, NotProved: As `changing` says.
        WrongCode: No try is counted where nothing was typed.
    """
    now, code = clock.now(), typed_code(code)
    async with factors.changing(by) as (session, person):
        spent = await challenges.spend_code(session, Purpose.PHONE, code, now, person_id=person.id)
        if spent:
            is_first = not await factors.methods_of(session, person)
            person.phone, person.phone_verified_at = str(spent.data["phone"]), now
            person.sms_codes = True
            await factors.added(session, by, FACTORS[SMS], visitor, is_first=is_first)
            if spent.data["agrees"]:
                await agree(session, person.phone, person.id)
    if spent is None:  # after the commit, which counts the try
        raise WrongCode
