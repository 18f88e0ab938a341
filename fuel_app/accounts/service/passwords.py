"""People's passwords: changed, given again before changes of security, reset by a mailed link."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.providers import hash_password
from fuel_app.accounts.queries import challenges, login_history, people
from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.rules import NotAllowed, Purpose, Session
from fuel_app.accounts.rules.passwords import check_password
from fuel_app.accounts.rules.security import (
    WRONG_CURRENT,
    ForgotPassword,
    LinkGone,
    NewPassword,
    PasswordChange,
    Visitor,
    WrongSignIn,
)
from fuel_app.accounts.service import security, sessions
from fuel_app.accounts.service.directory import count_mail
from fuel_app.accounts.service.sessions import forget_failures
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.throttle import LINKS, throttle

# zxcvbn keeps the words of one check in a global: one at a time.
_rating = ThreadPoolExecutor(1, thread_name_prefix="password-rating")


async def check(password: object, *own: str) -> str:
    """Return a new password of a person with this name and e-mail, in plain text.

    Raises:
        ValueError: With the message for the reader.
    """
    rate = partial(check_password, password, *own)
    return await asyncio.get_running_loop().run_in_executor(_rating, rate)


async def change(session: Session, current: object, new: object, visitor: Visitor) -> None:
    """Change the password and end all other sessions of the person.

    Raises:
        InvalidForm: With the message for `current` or `new`.
        NotAllowed: If the session is not a person's.
        TooManyRequests: As for a sign-in, with which it shares the count.
    """
    typed = PasswordChange.parse({"current": current, "new": new})
    person = await _check_current(session, "current", typed.current, visitor)
    own = (person.first_name, person.last_name, person.email or "")
    password_hash = await hash_new(typed.new, *own, field="new")
    async with transaction() as writing:
        locked = await people.by_id(writing, person.id, lock=True)
        if locked is None or locked.password_hash != person.password_hash:  # changed since
            raise InvalidForm({"current": WRONG_CURRENT})
        kind = login_history.PASSWORD_CHANGED
        await replace(writing, locked, password_hash, kind, visitor, except_id=session.id)
        await stored.note_reauthentication(writing, session.id, clock.now())


async def reauthenticate(session: Session, password: object, visitor: Visitor) -> None:
    """Note that the password was given again, which sensitive changes need.

    Raises:
        InvalidForm: With the message for `password`.
        NotAllowed: If the session is not a person's.
        TooManyRequests: As for a sign-in, with which it shares the count.
    """
    typed = NewPassword.parse({"password": password}).password
    await _check_current(session, "password", typed, visitor)
    async with transaction() as writing:
        await stored.note_reauthentication(writing, session.id, clock.now())


async def hash_new(password: object, *own: str, field: str = "password") -> str:
    """Check a new password of a person with this name and e-mail, and return its hash.

    Raises:
        InvalidForm: With the message for `field`.
    """
    try:
        return await hash_password(await check(password, *own))
    except ValueError as problem:
        raise InvalidForm({field: str(problem)}) from None


async def replace(
    session: AsyncSession,
    person: Person,
    password_hash: str,
    kind: str,
    visitor: Visitor,
    *,
    except_id: str = "",
) -> None:
    """Set a new password in the caller's transaction, end the sessions and tell the owner."""
    person.password_hash, person.password_changed_at = password_hash, clock.now()
    await session.flush()
    await stored.end_of_person(session, person.id, except_id=except_id)
    await challenges.drop(session, Purpose.FACTOR, person_id=person.id)
    await challenges.drop_by_email(session, Purpose.RESET, person.email or "")
    await login_history.note(session, kind, person.id, visitor)
    payload = {"factors": await security.describe_factors(session, person)}
    await outbox.add(session, "password_changed", person_id=person.id, payload=payload)


async def _check_current(
    session: Session, field: str, password: object, visitor: Visitor
) -> Person:
    async with reading() as open_one:
        person = await people.by_id(open_one, session.person_id) if session.person_id else None
    if person is None or not person.email:
        raise NotAllowed
    try:
        async with sessions.limit_failures(person.email, visitor.address or person.id):
            return await sessions.check_password(person.email, password, visitor)
    except WrongSignIn:
        raise InvalidForm({field: WRONG_CURRENT}) from None


async def send_reset_link(asked: ForgotPassword, visitor: Visitor) -> None:
    """Send a link for a new password; for an unknown e-mail all but the mail happens alike.

    Raises:
        TooManyRequests: As `count_mail` says.
    """
    now = clock.now()
    await count_mail(asked.email, visitor.address)
    async with transaction() as session:
        data = {"email": asked.email}
        payload = {"challenge": await challenges.issue(session, Purpose.RESET, now, data=data)}
        await outbox.add(session, "password_reset", to=asked.email, payload=payload)


async def is_reset_link_open(link: str) -> bool:
    """Return whether a link may still be used. Uses nothing up: mail scanners open links."""
    async with reading() as session:
        return await _find_link_owner(session, link) is not None


async def reset(link: str, new: object, visitor: Visitor) -> None:
    """Set the password by a link, once, and end all sessions. The second factor stays needed.

    Raises:
        LinkGone: If the link is unknown, used or expired.
        InvalidForm: If the password is not good enough; the link stays open.
        TooManyRequests: After 20 unknown links from one address in 15 minutes.
    """
    async with throttle().failing(LINKS, visitor.address), reading() as session:
        owner = await _find_link_owner(session, link)
        if owner is None:
            raise LinkGone
        own = (owner.first_name, owner.last_name, owner.email or "")
    password_hash = await hash_new(new, *own)
    kind = login_history.PASSWORD_RESET
    async with transaction() as session:
        # The person first, in the lock order of sign-ins and of other links.
        person = await people.by_id(session, owner.id, lock=True)
        spent = await challenges.spend_link(session, Purpose.RESET, link, clock.now())
        if person is None or spent is None or spent.data["email"] != person.email:
            raise LinkGone
        await replace(session, person, password_hash, kind, visitor)
    await forget_failures(spent.data["email"], visitor.address)


async def _find_link_owner(session: AsyncSession, link: str) -> Person | None:
    challenge = await challenges.by_link(session, Purpose.RESET, link, clock.now())
    return await people.by_email(session, challenge.data["email"]) if challenge else None
