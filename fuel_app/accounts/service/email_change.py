"""Changing one's e-mail: a code to the new address, and an undo for the owner of the old one."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, login_history, people, sessions
from fuel_app.accounts.rules import Purpose, Session
from fuel_app.accounts.rules.email import EmailInUse, FormerInUse, NewEmail
from fuel_app.accounts.rules.factors import proved_person
from fuel_app.accounts.rules.sign_in import LinkGone, Visitor, WrongCode, typed_code
from fuel_app.accounts.service import factors
from fuel_app.accounts.service.mail_limits import count_mail
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, holders, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.throttle import EMAIL_CODES, LINKS, throttle


async def ask(by: Session, asked: NewEmail, visitor: Visitor) -> None:
    """Send a code to the new address. Whether another account has it is not told here.

    Raises:
        NotAllowed, NotProved: As `proved_person` says.
        TooManyRequests: After 5 in an hour, and as `count_mail` says.
    """
    now = clock.now()
    person_id = proved_person(by, now)
    await throttle().spend(EMAIL_CODES, person_id)
    await count_mail(asked.email, visitor.address)
    async with transaction() as session:
        data = {"email": asked.email}
        challenge = await challenges.issue(
            session, Purpose.EMAIL, now, person_id=person_id, data=data
        )
        await outbox.add(session, "email_code", to=asked.email, payload={"challenge": challenge})


async def confirm(by: Session, code: object, visitor: Visitor) -> str:
    """Change the e-mail by the code. Return the new one; the old one is told.

    Raises:
        NotAllowed: If the session is not a person's, or has ended meanwhile.
        WrongCode: If it is wrong, used or expired; where nothing was typed, no try is counted.
        EmailInUse: If the address is another account's.
    """
    now, changed, code = clock.now(), False, typed_code(code)
    async with transaction() as session:
        person = await factors.owner(session, by)
        spent = await challenges.spend_code(session, Purpose.EMAIL, code, now, person_id=person.id)
        former, wanted = person.email, spent.data["email"] if spent else ""
        if spent and former and former != wanted:
            changed = await people.set_email(session, person, wanted, now)
            if changed:
                await login_history.note(session, login_history.EMAIL_CHANGED, person.id, visitor)
                await _tell(session, person, former, now)
                await holders.verified(session, person.id, wanted)
    if spent is None:  # after the commit, which counts the try
        raise WrongCode
    if not changed and former != wanted:
        raise EmailInUse
    return wanted


async def _tell(session: AsyncSession, person: Person, former: str, now: datetime) -> None:
    """Tell the owner of the former address, who can undo the change for some days.

    Until those have passed, no later address gets an undo of its own: it may be a thief's.
    """
    undo = await challenges.waiting(session, Purpose.EMAIL_UNDO, person_id=person.id)
    kind, payload = "security_changed", {"what": "The e-mail was changed again"}
    if undo is None or undo.expires_at <= now:
        data = {"email": former}
        challenge = await challenges.issue(
            session, Purpose.EMAIL_UNDO, now, person_id=person.id, data=data
        )
        kind, payload = "email_changed", {"challenge": challenge, "at": now.isoformat()}
    await outbox.add(session, kind, person_id=person.id, to=former, payload=payload)


async def waiting(by: Session) -> str:
    """Return the new address that waits for its code; empty without one."""
    async with reading() as session:
        found = await challenges.waiting(session, Purpose.EMAIL, person_id=by.person_id)
    return found.data["email"] if found else ""


async def cancel(by: Session) -> None:
    """Give the change up: its code no longer works."""
    async with transaction() as session:
        await challenges.drop(session, Purpose.EMAIL, person_id=by.person_id)


async def is_open(link: str) -> bool:
    """Return whether an undo may still be used. Uses nothing up: mail scanners open links."""
    async with reading() as session:
        return await challenges.by_link(session, Purpose.EMAIL_UNDO, link, clock.now()) is not None


async def undo(link: str, visitor: Visitor) -> None:
    """Restore the former e-mail by a link, once, and end all sessions and the password.

    An attacker who changed the e-mail knew it; the owner chooses a new one by a link.

    Raises:
        LinkGone: If the link is unknown, used or expired.
        FormerInUse: If another account has the address by now.
        TooManyRequests: After 20 unknown links from one address in 15 minutes.
    """
    now = clock.now()
    async with throttle().failing(LINKS, visitor.address), reading() as session:
        found = await challenges.by_link(session, Purpose.EMAIL_UNDO, link, now)
        if found is None or found.person_id is None:
            raise LinkGone
        person_id = found.person_id
    async with transaction() as session:
        # The person first, in the lock order of all that uses codes and links.
        person = await people.by_id(session, person_id, lock=True)
        spent = await challenges.spend_link(session, Purpose.EMAIL_UNDO, link, now)
        if person is None or spent is None:
            raise LinkGone
        if not await people.set_email(session, person, spent.data["email"], now):
            raise FormerInUse
        person.password_hash = None
        for purpose in (Purpose.EMAIL, Purpose.FACTOR):
            await challenges.drop(session, purpose, person_id=person.id)
        await sessions.end_of_person(session, person.id)
        kind = login_history.EMAIL_CHANGED
        await login_history.note(session, kind, person.id, visitor, what="undone")
