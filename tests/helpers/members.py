"""Members of the staff, their sessions and invitations."""

from datetime import timedelta

from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.rules import Actor, Purpose, Role, Session, hashed, new_token
from fuel_app.accounts.rules.staff import FirstAdmin, Invite, NewAccount
from fuel_app.accounts.service import sessions, staff
from fuel_app.accounts.tables import Person, StoredSession
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import transaction
from tests.helpers.people import a_person, messages

STRONG = "seven gulls over the 9th bay!"
ADMIN_FORM = {
    "first_name": "Grace",
    "last_name": "Hopper",
    "email": "grace@example.com",
    "password": STRONG,
}


def first_admin(**differs: str) -> FirstAdmin:
    return FirstAdmin.parse(ADMIN_FORM | differs)


def new_account(**differs: str) -> NewAccount:
    return NewAccount.parse(ADMIN_FORM | differs)


async def token_of(person: Person, *, second_factor: bool = True) -> str:
    """Sign a person in. Return the token of the cookie."""
    token, now = new_token(), clock.now()
    async with transaction() as session:
        row = StoredSession(
            token_hash=hashed(token),
            person_id=person.id,
            second_factor=second_factor,
            proved_at=now,
            expires_at=now + timedelta(hours=1),
        )
        await stored.add(session, row)
    return token


async def session_of(token: str) -> Session:
    found = await sessions.find_by_token(token)
    assert found
    return found


async def actor_of(person: Person) -> Actor:
    return (await session_of(await token_of(person))).actor


async def an_admin(email: str = "root@example.com") -> tuple[Person, Actor]:
    """Store and sign in an admin."""
    person = await a_person(Role.ADMIN, email=email, first_name="Rear", last_name="Admiral")
    return person, await actor_of(person)


async def invited(actor: Actor, email: str, *roles: Role) -> str:
    """Invite somebody. Return the token of the link in the mail."""
    await staff.invite(actor, Invite.parse({"email": email, "roles": list(roles)}))
    newest = max(await messages("invitation"), key=lambda message: message.id)
    assert newest.recipient == email
    return secrets.token(Purpose.INVITE, newest.payload["challenge"])
