"""People's passwords: checked when they are new, changed, and given again before changes."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.providers import hash_password
from fuel_app.accounts.queries import challenges, login_history, people, sessions
from fuel_app.accounts.rules import NotAllowed, Purpose, Session
from fuel_app.accounts.rules.passwords import check_password
from fuel_app.accounts.rules.sign_in import (
    WRONG_CURRENT,
    NewPassword,
    PasswordChange,
    Visitor,
    WrongSignIn,
)
from fuel_app.accounts.service import factors, sign_in
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm

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
    person = await _given_again(session, "current", typed.current, visitor)
    own = (person.first_name, person.last_name, person.email or "")
    password_hash = await hash_of_new(typed.new, *own, field="new")
    async with transaction() as writing:
        found = await people.by_id(writing, person.id, lock=True)
        if found is None or found.password_hash != person.password_hash:  # changed since
            raise InvalidForm({"current": WRONG_CURRENT})
        kind = login_history.PASSWORD_CHANGED
        await replace(writing, found, password_hash, kind, visitor, except_id=session.id)
        await sessions.note_proof(writing, session.id, clock.now())


async def give_again(session: Session, password: object, visitor: Visitor) -> None:
    """Note that the password was given again, which sensitive changes need.

    Raises:
        InvalidForm: With the message for `password`.
        NotAllowed: If the session is not a person's.
        TooManyRequests: As for a sign-in, with which it shares the count.
    """
    typed = NewPassword.parse({"password": password}).password
    await _given_again(session, "password", typed, visitor)
    async with transaction() as writing:
        await sessions.note_proof(writing, session.id, clock.now())


async def hash_of_new(password: object, *own: str, field: str = "password") -> str:
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
    await sessions.end_of_person(session, person.id, except_id=except_id)
    await challenges.drop(session, Purpose.FACTOR, person_id=person.id)
    await challenges.drop_by_email(session, Purpose.RESET, person.email or "")
    await login_history.note(session, kind, person.id, visitor)
    payload = {"factors": await factors.in_words(session, person)}
    await outbox.add(session, "password_changed", person_id=person.id, payload=payload)


async def _given_again(session: Session, field: str, password: object, visitor: Visitor) -> Person:
    async with reading() as open_one:
        person = await people.by_id(open_one, session.person_id) if session.person_id else None
    if person is None or not person.email:
        raise NotAllowed
    try:
        async with sign_in.throttled(person.email, visitor.address or person.id):
            return await sign_in.person_by_password(person.email, password, visitor)
    except WrongSignIn:
        raise InvalidForm({field: WRONG_CURRENT}) from None
