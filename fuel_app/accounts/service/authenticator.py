"""Setting up an authenticator app. Its seed is stored encrypted and never reaches a tab's state."""

from pyotp import random_base32

from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.factors import (
    APP,
    FACTORS,
    AlreadySetUp,
    NotSetUp,
    in_groups,
    proved_person,
    totp_address,
)
from fuel_app.accounts.rules.sign_in import Visitor, WrongCode, typed_code
from fuel_app.accounts.service import factors
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading
from fuel_app.settings import settings


async def start(by: Session) -> None:
    """Make a new seed, which counts once a code has confirmed it.

    Raises:
        NotAllowed, NotProved: As `changing` says.
        AlreadySetUp: If another app is on.
    """
    async with factors.changing(by) as (_, person):
        if person.totp_confirmed_at:
            raise AlreadySetUp
        person.totp_seed = secrets.encrypt(random_base32())


async def confirm(by: Session, code: object, visitor: Visitor) -> None:
    """Turn the app on by its first code.

    Raises:
        NotAllowed, NotProved: As `changing` says.
        NotSetUp: If no setup was begun.
        WrongCode: No try is counted where nothing was typed.
    """
    now, code = clock.now(), typed_code(code)
    async with factors.changing(by) as (session, person):
        if person.totp_confirmed_at or not person.totp_seed:
            raise NotSetUp
        if not await factors.use_app_code(session, person, code, now):
            raise WrongCode
        is_first = not await factors.methods_of(session, person)
        person.totp_confirmed_at = now
        await factors.added(session, by, FACTORS[APP], visitor, is_first=is_first)


async def address(by: Session) -> str | None:
    """Return the address with the seed of a setup that waits for its code; None without one.

    Raises:
        NotAllowed, NotProved: As `proved_person` says.
    """
    person, seed = await _pending(by)
    return totp_address(seed, person.email or "", settings.brand_name) if person else None


async def key(by: Session) -> str | None:
    """Return the seed as it is typed; otherwise as `address`."""
    person, seed = await _pending(by)
    return in_groups(seed) if person else None


async def _pending(by: Session) -> tuple[Person | None, str]:
    person_id = proved_person(by, clock.now())
    async with reading() as session:
        person = await people.by_id(session, person_id)
    waits = person is not None and person.totp_seed and not person.totp_confirmed_at
    seed = secrets.decrypt(person.totp_seed or "") if person and waits else None
    return (person, seed) if seed else (None, "")
