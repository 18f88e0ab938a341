"""People as other packages see them: names, details, and what messages to them need."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, people
from fuel_app.accounts.rules import (
    CODES_TO_PHONE,
    SHARED_PASSWORD,
    STAFF_ROLES,
    SYSTEM_NAME,
    AccountGone,
    Details,
    Purpose,
    Role,
)
from fuel_app.accounts.tables import Challenge, Person
from fuel_app.kit import clock, secrets
from fuel_app.kit.contact import mailbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.secrets import digest
from fuel_app.kit.throttle import MAILS_BETWEEN, MAILS_FROM, MAILS_TO, household, throttle


async def names(actors: Iterable[str]) -> dict[str, str]:
    """Return the name of each actor of the audit log; 'shared password' and 'system' are names."""
    async with reading() as session:
        return await names_in(session, actors)


async def names_in(session: AsyncSession, actors: Iterable[str]) -> dict[str, str]:
    """Return the name of each actor, as the caller's transaction sees it."""
    wanted = set(actors)
    ids = {actor for actor in wanted if well_formed_id(actor)}
    people_names = await people.names(session, ids) if ids else {}
    return {
        actor: people_names.get(actor, "somebody" if actor in ids else actor) for actor in wanted
    }


has_customers = people.has_customers


async def admins_among(session: AsyncSession, actors: Iterable[str]) -> set[str]:
    """Return those actors of the audit log who have an admin's rights, active or not."""
    wanted = set(actors)
    admins = await people.admins_among(session, filter(well_formed_id, wanted))
    return admins | wanted.intersection({SYSTEM_NAME, SHARED_PASSWORD})


async def lock(session: AsyncSession, person_id: str) -> None:
    """Keep others from locking a person until the commit."""
    await people.by_id(session, person_id, lock=True)


async def technicians(session: AsyncSession) -> dict[str, str]:
    """Return the names of the active technicians by their ids, in order."""
    return await with_roles(session, Role.TECHNICIAN)


async def with_roles(session: AsyncSession, *roles: Role) -> dict[str, str]:
    """Return the names of the active people with one of some roles by their ids, in order."""
    found = await people.with_roles(session, *roles)
    return {each.id: f"{each.first_name} {each.last_name}".strip() for each in found}


async def read_details(session: AsyncSession, person_id: str, *, lock: bool = False) -> Details:
    """Return a person's details; `lock` keeps them as they are in this transaction.

    Raises:
        AccountGone
    """
    return _details(await _find_person(session, person_id, lock=lock))


async def read_all_details(session: AsyncSession, ids: Collection[str]) -> dict[str, Details]:
    """Return people's details by id; unknown ids are left out."""
    return {person.id: _details(person) for person in await people.by_ids(session, ids)}


def _details(person: Person) -> Details:
    return Details(
        first_name=person.first_name,
        last_name=person.last_name,
        email=person.email or "",
        phone=person.phone,
        email_verified=person.email_verified_at is not None,
        phone_verified=person.phone_verified_at is not None,
        password_since=person.password_changed_at or person.created_at,
    )


async def change_details(
    session: AsyncSession, person_id: str, given: Mapping[str, str]
) -> list[str]:
    """Change a person's name and phone. Return the names of those that differ.

    Another phone is not verified.

    Raises:
        AccountGone
        InvalidForm: If the phone differs, and gets the codes of the second factor.
    """
    person = await _find_person(session, person_id, lock=True)
    changed = [name for name, value in given.items() if getattr(person, name) != value]
    if "phone" in changed:
        if person.sms_codes:
            raise InvalidForm({"phone": CODES_TO_PHONE})
        person.phone_verified_at = None
    for name in changed:
        setattr(person, name, given[name])
    return changed


async def is_staff(session: AsyncSession, person_id: str) -> bool:
    """Return whether a person has a role of the staff."""
    return not (await people.roles(session, person_id)).isdisjoint(STAFF_ROLES)


async def set_company_role(session: AsyncSession, person_id: str, *, has: bool) -> None:
    """Give a person the role of companies' people, or take it from them."""
    change = people.add_roles if has else people.remove_roles
    await change(session, person_id, {Role.COMPANY})


async def _find_person(session: AsyncSession, person_id: str, *, lock: bool) -> Person:
    person = await people.by_id(session, person_id, lock=lock)
    if person is None:
        raise AccountGone
    return person


@dataclass(frozen=True, slots=True)
class Recipient:
    """The addresses to which a person's messages go."""

    person_id: str
    email: str
    phone: str  # verified, else empty
    first_name: str
    email_verified: bool


async def find_recipient(person_id: str) -> Recipient | None:
    """Return a person; None if their account is deleted or deactivated."""
    async with reading() as session:
        person = await people.by_id(session, person_id)
    if person is None:
        return None
    phone = person.phone if person.phone_verified_at else ""
    return Recipient(
        person_id=person.id,
        email=person.email or "",
        phone=phone,
        first_name=person.first_name,
        email_verified=person.email_verified_at is not None,
    )


async def find_active_id(email: str) -> str | None:
    """Return the id of the active person with this e-mail."""
    async with reading() as session:
        person = await people.by_email(session, email)
    return person.id if person else None


async def find_holder_id(email: str) -> str | None:
    """Return the id of the person with this e-mail, whose account may be closed."""
    async with reading() as session:
        return await find_holder(session, email)


async def find_holder(session: AsyncSession, email: str) -> str | None:
    """Return the id of the person with this e-mail, as the caller's transaction sees it."""
    person = await people.find_holder(session, email)
    return person.id if person else None


@dataclass(frozen=True, slots=True)
class Revealed:
    """An unused challenge with its secrets: never store or log them."""

    code: str
    token: str
    person_id: str | None


async def reveal_challenge(challenge_id: str) -> Revealed | None:
    """Return a challenge whose message is being sent: its time begins now.

    None if it is unknown, used, or replaced by a newer one.
    """
    async with transaction() as session:
        challenge = await challenges.reveal(session, challenge_id, clock.now())
    return _reveal(challenge) if challenge else None


async def peek_challenge(challenge_id: str) -> Revealed | None:
    """Return an open challenge; its time goes on."""
    async with reading() as session:
        challenge = await session.get(Challenge, challenge_id)
    is_open = challenge and challenge.used_at is None and challenge.expires_at > clock.now()
    return _reveal(challenge) if challenge and is_open else None


def _reveal(row: Challenge) -> Revealed:
    code, token = secrets.code(row.purpose, row.id), secrets.token(row.purpose, row.id)
    return Revealed(code, token, row.person_id)


async def issue_code(session: AsyncSession, purpose: Purpose, former_id: str) -> str:
    """Open a challenge of no account, in place of a former one. Return its id.

    Its code derives from the id, which the caller keeps with the address that the code is for.
    """
    await challenges.drop(session, purpose, id=former_id)
    return await challenges.issue(session, purpose, clock.now())


async def spend_code(
    session: AsyncSession, purpose: Purpose, challenge_id: str, typed: object
) -> bool:
    """Use a challenge up if its code is right, else count the try: commit, then refuse."""
    now = clock.now()
    return await challenges.spend_code(session, purpose, typed, now, id=challenge_id) is not None


async def count_mail(email: str, address: str) -> None:
    """Count a mail that a visitor causes to an e-mail, whether or not there is an account.

    Raises:
        TooManyRequests: After 30 in an hour from one address, 8 of them to one mailbox, which gets
            30 from all addresses.
    """
    to = mailbox(email)
    await throttle().spend(MAILS_FROM, address)
    # This one first: a visitor who has used it up takes nothing from what others may cause.
    await throttle().spend(MAILS_BETWEEN, _limit_key(f"{household(address)} {to}"))
    await throttle().spend(MAILS_TO, _limit_key(to))


def _limit_key(text: str) -> str:
    return digest("mail limit", text).hex()
