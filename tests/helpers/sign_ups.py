"""Pending sign-ups and people, without a browser."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import Applicant, PendingSignUp, Purpose, Session
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import sessions, sign_up
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.accounts.tables import Challenge
from fuel_app.kit import secrets
from fuel_app.kit.db.session import reading
from fuel_app.kit.outbox import Message
from tests.staff import QUICK

HERE, ELSEWHERE = Visitor("203.0.113.1"), Visitor("203.0.113.2")
PASSWORD = "engine-1843-loom"
EMAIL = "ada@example.com"


def applicant(**differs: Any) -> Applicant:
    known = {
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": EMAIL,
        "phone": "9415550123",
        "zip_code": "34236",
    }
    return Applicant(**known | differs)


async def completed(*, password: str = PASSWORD, visitor=HERE, **differs: Any) -> Session:
    """Sign up. Return the session of the sign-up, as the browser's cookie finds it."""
    sign_up_id = await begun(password=password, visitor=visitor, **differs)
    return await opened(await complete(sign_up_id, visitor=visitor))


async def begun(*, password: str = PASSWORD, visitor: Visitor = HERE, **differs: Any) -> str:
    return await sign_up.begin(applicant(**differs), QUICK.hash(password), visitor)


async def complete(sign_up_id: str, *, visitor: Visitor = HERE) -> SignedIn:
    accepted = {"plan_id": "family", "terms_version": "2026-11-22", "privacy_version": "1"}
    return await sign_up.complete(sign_up_id, visitor, **accepted)


async def opened(signed_in: SignedIn) -> Session:
    """Fetch the cookie. Return the session that it finds."""
    cookie = await sessions.redeem_ticket(signed_in.ticket)
    assert cookie
    session = await sessions.find_by_token(cookie.token)
    assert session
    return session


async def code_of(session: Session) -> str:
    """Return the code in the last mail of a sign-up."""
    async with reading() as database:
        sent = select(col(Challenge.id)).where(
            col(Challenge.sign_up_id) == session.sign_up_id,
            col(Challenge.purpose) == Purpose.VERIFY.value,
            col(Challenge.used_at).is_(None),
        )
        return secrets.code(Purpose.VERIFY, (await database.scalars(sent)).one())


async def a_person(**differs: Any) -> Session:
    """Sign up and verify. Return the session of the person."""
    session = await completed(**differs)
    return await opened(await verify(session, await code_of(session)))


async def verify(session: Session, code: object, *, visitor: Visitor = HERE) -> SignedIn:
    return await sign_up.verify(session, code, visitor, on_verified=nothing_more)


async def nothing_more(_session: AsyncSession, _person_id: str, _pending: PendingSignUp) -> None:
    return None


async def mails(kind: str = "verify") -> list[Message]:
    async with reading() as database:
        theirs = select(Message).where(col(Message.kind) == kind).order_by(col(Message.created_at))
        return list(await database.scalars(theirs))


async def rows(table: Any) -> list[Any]:
    async with reading() as database:
        return list(await database.scalars(select(table)))
