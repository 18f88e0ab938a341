"""Resetting a forgotten password by a link."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, login_history, people
from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.rules.sign_in import ForgotPassword, LinkGone, Visitor
from fuel_app.accounts.service import passwords
from fuel_app.accounts.service.mail_limits import count_mail
from fuel_app.accounts.service.sign_in import forget_tries
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.throttle import LINKS, throttle


async def ask(asked: ForgotPassword, visitor: Visitor) -> None:
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


async def is_open(link: str) -> bool:
    """Return whether a link may still be used. Uses nothing up: mail scanners open links."""
    async with reading() as session:
        return await _owner(session, link) is not None


async def reset(link: str, new: object, visitor: Visitor) -> None:
    """Set the password by a link, once, and end all sessions. The second factor stays needed.

    Raises:
        LinkGone: If the link is unknown, used or expired.
        InvalidForm: If the password is not good enough; the link stays open.
        TooManyRequests: After 20 unknown links from one address in 15 minutes.
    """
    async with throttle().failing(LINKS, visitor.address), reading() as session:
        owner = await _owner(session, link)
        if owner is None:
            raise LinkGone
        own = (owner.first_name, owner.last_name, owner.email or "")
    password_hash = await passwords.hash_of_new(new, *own)
    kind = login_history.PASSWORD_RESET
    async with transaction() as session:
        # The person first, in the lock order of sign-ins and of other links.
        person = await people.by_id(session, owner.id, lock=True)
        spent = await challenges.spend_link(session, Purpose.RESET, link, clock.now())
        if person is None or spent is None or spent.data["email"] != person.email:
            raise LinkGone
        await passwords.replace(session, person, password_hash, kind, visitor)
    await forget_tries(spent.data["email"], visitor.address)


async def _owner(session: AsyncSession, link: str) -> Person | None:
    found = await challenges.by_link(session, Purpose.RESET, link, clock.now())
    return await people.by_email(session, found.data["email"]) if found else None
