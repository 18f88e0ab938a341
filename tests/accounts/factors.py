"""Second factors of people, and their codes."""

from datetime import timedelta

from pyotp.totp import TOTP
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import Purpose, Role
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import security
from fuel_app.accounts.tables import Challenge, Person
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading, transaction
from tests.helpers.signed_in import a_person, person_row, session_of

HERE = Visitor("203.0.113.7", "Chrome on Windows")


async def seed_of(person_id: str) -> str:
    stored = (await person_row(person_id)).totp_seed
    assert stored
    return secrets.decrypt(stored) or ""


async def with_app(*roles: Role) -> tuple[str, TOTP]:
    """Return a person who has an authenticator app on, and the app."""
    person_id = await a_person(*roles)
    session = await session_of(person_id)
    await security.start_app_setup(session)
    app = TOTP(await seed_of(person_id))
    await security.confirm_app(session, app.at(clock.now()), HERE)
    return person_id, app


async def methods(person_id: str) -> tuple[str, ...]:
    async with reading() as session:
        person = await session.get(Person, person_id)
        assert person
        return await security.list_methods(session, person)


async def check(person_id: str, method: object, code: object, later_s: int = 0) -> bool:
    async with transaction() as session:
        now = clock.now() + timedelta(seconds=later_s)
        return await security.check_code(session, person_id, method, code, now)


async def sms_code(person_id: str, purpose: Purpose) -> str:
    async with reading() as session:
        theirs = select(col(Challenge.id)).where(
            col(Challenge.person_id) == person_id, col(Challenge.purpose) == purpose.value
        )
        newest = theirs.order_by(col(Challenge.id).desc()).limit(1)
        return secrets.code(purpose, (await session.scalars(newest)).one())


async def agree(_session: AsyncSession, phone: str, person_id: str) -> None:
    AGREED.append((phone, person_id))


AGREED: list[tuple[str, str]] = []


async def with_sms(person_id: str) -> None:
    session = await session_of(person_id)
    await security.send_phone_code(session, "9415550199")
    await security.confirm_phone(
        session, await sms_code(person_id, Purpose.PHONE), HERE, agree=agree
    )
