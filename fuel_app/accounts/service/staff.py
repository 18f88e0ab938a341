"""Staff accounts: the first admin, the list of staff, their roles, deactivation."""

from collections.abc import Iterable

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, people
from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.queries import staff as queries
from fuel_app.accounts.queries.login_history import SIGNED_OUT, record
from fuel_app.accounts.rules import STAFF_ROLES, SYSTEM_NAME, Actor, NotAllowed, Purpose, Role
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.rules.staff import AdminExists, FirstAdmin, LastAdmin, StaffMember
from fuel_app.accounts.service.entries import admins_for, new_person, note_roles, person_of
from fuel_app.accounts.service.passwords import hash_of_new
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.accounts.service.sign_in import open_session
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading, tell, transaction
from fuel_app.kit.signals import SESSIONS

log = structlog.get_logger()


async def create_first_admin(actor: Actor, form: FirstAdmin, visitor: Visitor) -> SignedIn:
    """Create the first admin, end every session of the shared password, and open the admin's.

    Raises:
        NotAllowed: If it is not a session of the shared password.
        AdminExists: If there is an admin, perhaps since a moment ago.
        EmailHasAccount: If the e-mail is another account's.
        InvalidForm: If the password is easy to guess.
    """
    if not actor.is_shared:
        raise NotAllowed
    hashed = await hash_of_new(form.password, form.first_name, form.last_name, form.email)
    async with transaction() as session:
        if await queries.lock_admins(session):
            raise AdminExists
        roles = frozenset({Role.ADMIN})
        person = await new_person(session, form, form.email, hashed)
        await people.add_roles(session, person.id, roles)
        await note_roles(session, str(actor), person.id, (), roles)
        await stored.end_all_shared(session)
        opened = await open_session(session, person, visitor, second_factor=False)
    log.info("staff.first_admin", person=person.id)
    return opened


async def staff(actor: Actor) -> list[StaffMember]:
    """Return all people with a role of the staff.

    Raises:
        NotAllowed: If the actor is no admin.
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        return await queries.members(session)


async def set_roles(actor: Actor, person_id: object, roles: Iterable[Role]) -> bool:
    """Set a person's roles of the staff. Return whether anything has changed.

    Their sessions end, so that none outlives a role.

    Raises:
        NotAllowed: If the actor is no admin (any more).
        PersonGone: If there is no such person.
        LastAdmin: If no admin would be left.
    """
    wanted = frozenset(roles).intersection(STAFF_ROLES)
    async with transaction() as session:
        admins = await admins_for(session, actor)
        person = await person_of(session, person_id)
        before = (await people.roles(session, person.id)).intersection(STAFF_ROLES)
        if wanted == before:
            return False
        if Role.ADMIN not in wanted:
            _keep_one(admins, person.id)
        await people.add_roles(session, person.id, wanted)
        await queries.remove_roles(session, person.id, before - wanted)
        if Role.ADMIN not in wanted:
            await challenges.drop_by_inviter(session, person.id)
        await note_roles(session, str(actor), person.id, before, wanted)
        await stored.end_of_person(session, person.id)
    return True


async def deactivate(actor: Actor, person_id: object) -> bool:
    """Deactivate a person, whose sessions end at once. Return whether they were active.

    Raises:
        NotAllowed, PersonGone, LastAdmin: As `set_roles` does.
    """
    async with transaction() as session:
        admins = await admins_for(session, actor)
        person = await person_of(session, person_id)
        if person.deactivated_at is not None:
            return False
        _keep_one(admins, person.id)
        person.deactivated_at = clock.now()
        await challenges.drop_by_inviter(session, person.id)
        await record(session, "deactivated", person.id, actor=str(actor))
        await stored.end_of_person(session, person.id)
    return True


async def sign_out(actor: Actor, person_id: object) -> None:
    """Sign a person out everywhere, such as on a lost phone.

    Raises:
        NotAllowed, PersonGone: As `set_roles` does.
    """
    async with transaction() as session:
        await admins_for(session, actor)
        person = await person_of(session, person_id)
        await stored.end_of_person(session, person.id)
        what = {"what": "all sessions, by an admin"}
        await record(session, SIGNED_OUT, person.id, actor=str(actor), after=what)


async def reactivate(actor: Actor, person_id: object) -> bool:
    """Let a person sign in again, with their roles. Return whether they were deactivated.

    Raises:
        NotAllowed, PersonGone: As `set_roles` does.
    """
    async with transaction() as session:
        await admins_for(session, actor)
        person = await person_of(session, person_id)
        if person.deactivated_at is None:
            return False
        person.deactivated_at = person.delete_at = None
        await record(session, "reactivated", person.id, actor=str(actor))
        tell(session, SESSIONS)
    return True


async def keep_last_admin(session: AsyncSession, person_id: str) -> None:
    """Refuse to delete the last active admin, in the transaction that would. Raises LastAdmin."""
    _keep_one(await queries.lock_admins(session), person_id)


def _keep_one(admins: frozenset[str], person_id: str) -> None:
    if admins == {person_id}:
        raise LastAdmin


async def restore_admin(email: str) -> str:
    """Make the person with this e-mail an active admin without password and second factors.

    For the command line, whose user could write the database anyway. Where there is no such person
    one is added. The sessions of the shared password end, as with the first admin. Return the token
    of the link that sets the password.
    """
    async with transaction() as session:
        await queries.lock_admins(session)
        now = clock.now()
        person = await queries.ensure(session, email)
        before = await people.roles(session, person.id)
        person.deactivated_at = person.delete_at = None
        person.email_verified_at = person.email_verified_at or now
        person.password_hash = None  # it may be known to an attacker
        await queries.remove_factors(session, person)
        await people.add_roles(session, person.id, {Role.ADMIN})
        await note_roles(session, SYSTEM_NAME, person.id, before, before | {Role.ADMIN})
        await stored.end_of_person(session, person.id)
        await stored.end_all_shared(session)
        challenge_id = await challenges.issue(
            session, Purpose.RESET, now, person_id=person.id, data={"email": email}
        )
    return secrets.token(Purpose.RESET, challenge_id)
