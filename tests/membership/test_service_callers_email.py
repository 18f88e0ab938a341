"""Another e-mail of a caller: by the code that they read out to staff, with an undo."""

from typing import Any

import pytest

from fuel_app.accounts.rules import (
    AccountGone,
    Actor,
    CallersEmailInUse,
    NotAllowed,
    OfStaff,
    Purpose,
    Role,
    SameEmail,
)
from fuel_app.accounts.rules.security import NoCode, Visitor, WrongCode
from fuel_app.accounts.service import account, security
from fuel_app.accounts.tables import Challenge, Person, StoredSession
from fuel_app.bookings.rules.desk import DeskLimitReached, NewCallersEmail
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.rules.customers import CustomerGone
from fuel_app.kit import clock, policies, secrets
from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.membership import service as membership
from tests.factories import UNKNOWN_ID
from tests.helpers.members import actor_of, an_admin
from tests.helpers.open_area import open_area
from tests.helpers.people import a_person, history, messages, rows
from tests.helpers.signed_in import session_of
from tests.helpers.stored_bookings import a_booking

pytestmark = pytest.mark.usefixtures("database")

FORMER, NEW = "ada@example.com", "countess@example.com"
WHY = "said on the phone"
DESK = Visitor("203.0.113.9", "Chrome on Windows")


async def ada() -> str:
    return (await a_person(email=FORMER)).id


async def a_dispatcher(email: str = "dis@example.com") -> Actor:
    return await actor_of(await a_person(Role.DISPATCHER, email=email))


async def code_for(actor: Actor, whose: str, email: str = NEW) -> str:
    asked = NewCallersEmail.parse({"email": email, "reason": WHY})
    await membership.send_callers_code(actor, whose, asked, DESK)
    newest = max(await messages("callers_code"), key=lambda each: each.id)
    assert newest.recipient == email
    return secrets.code(Purpose.CALLERS_EMAIL, newest.payload["challenge"])


async def email_of(whose: str) -> str | None:
    [person] = await rows(Person, id=whose)
    return person.email


async def test_the_code_changes_the_e_mail_once_and_the_former_one_can_undo_it():
    whose, actor = await ada(), await a_dispatcher()
    theirs = await session_of(whose)
    code = await code_for(actor, whose)
    assert (await email_of(whose), await history(whose)) == (FORMER, [])
    assert await membership.change_callers_email(actor, whose, f"{code[:3]} {code[3:]}") == NEW
    assert await email_of(whose) == NEW
    assert sorted(await history(whose)) == [
        ("desk_email", {"what": WHY, "fields": ["email"]}),
        ("email_changed", {"what": "by our staff"}),
    ]
    assert (await security.overview(theirs)).history[0].event == "Email changed: by our staff"
    assert await rows(StoredSession, id=theirs.id)  # a thief who calls signs nobody out
    with pytest.raises(WrongCode):
        await membership.change_callers_email(actor, whose, code)
    [told] = await messages("email_changed")
    assert (told.recipient, told.payload["by_staff"]) == (FORMER, "yes")
    link = secrets.token(Purpose.EMAIL_UNDO, told.payload["challenge"])
    assert await account.is_email_undo_open(link)
    assert await email_of(whose) == NEW  # opening the link changes nothing
    pending = await code_for(actor, whose, "third@example.com")
    await account.undo_email_change(link, DESK)
    assert (await email_of(whose), await rows(StoredSession, person_id=whose)) == (FORMER, [])
    assert not await account.is_email_undo_open(link)
    with pytest.raises(WrongCode):  # what a thief has begun meanwhile ends, too
        await membership.change_callers_email(actor, whose, pending)


@pytest.mark.parametrize("typed", ["000000", "\ud800", ["x"], "1" * 1000])
async def test_guesses_are_counted_and_change_nothing(typed: Any):
    whose, actor = await ada(), await a_dispatcher()
    code = await code_for(actor, whose)
    for _ in range(5):
        with pytest.raises(WrongCode):
            await membership.change_callers_email(actor, whose, typed)
    with pytest.raises(WrongCode):
        await membership.change_callers_email(actor, whose, code)
    assert (await email_of(whose), await history(whose)) == (FORMER, [])


async def test_nothing_typed_is_no_guess():
    whose, actor = await ada(), await a_dispatcher()
    code = await code_for(actor, whose)
    for nothing in ("", " ", None):
        with pytest.raises(NoCode):
            await membership.change_callers_email(actor, whose, nothing)
    assert await membership.change_callers_email(actor, whose, code) == NEW


async def test_an_address_in_use_is_known_to_its_owner_alone():
    whose, actor = await ada(), await a_dispatcher()
    await a_person(email=NEW)
    code = await code_for(actor, whose)
    with pytest.raises(CallersEmailInUse):
        await membership.change_callers_email(actor, whose, code)
    assert (await email_of(whose), await messages("email_changed")) == (FORMER, [])
    assert await history(whose) == []


async def test_the_same_address_is_no_change():
    whose, actor = await ada(), await a_dispatcher()
    with pytest.raises(SameEmail):
        await code_for(actor, whose, FORMER)
    assert await messages("callers_code") == []


async def test_bookings_made_as_a_guest_with_the_new_address_come_along():
    whose, actor = await ada(), await a_dispatcher()
    booking = await a_booking(await open_area(), guest_email=NEW)
    await membership.change_callers_email(actor, whose, await code_for(actor, whose))
    [row] = await rows(StoredBooking, id=booking.id)
    assert row.person_id == whose


async def test_people_of_the_staff_keep_theirs():
    actor = await a_dispatcher()
    for number, role in enumerate((Role.TECHNICIAN, Role.DISPATCHER, Role.ADMIN)):
        person = await a_person(Role.CUSTOMER, role, email=f"staff{number}@example.com")
        with pytest.raises(OfStaff):
            await code_for(actor, person.id)
    whose = await ada()
    code = await code_for(actor, whose)
    async with transaction() as session:  # a role that comes meanwhile
        await account.people.add_roles(session, whose, [Role.TECHNICIAN])
    with pytest.raises(OfStaff):
        await membership.change_callers_email(actor, whose, code)
    assert await email_of(whose) == FORMER


async def test_a_dispatcher_changes_as_many_as_the_limit_allows_and_an_admin_more():
    actor, (_, admin) = await a_dispatcher(), await an_admin()
    async with transaction() as session:
        action = Action("figure", "change", "test")
        await policies.change(session, action, {"desk_limit": 5}, {"desk_limit": 1})
    first, second = await ada(), (await a_person(email="zoe@example.com")).id
    await membership.change_callers_email(actor, first, await code_for(actor, first))
    with pytest.raises(DeskLimitReached):
        await code_for(actor, second, "new.zoe@example.com")
    code = await code_for(admin, second, "new.zoe@example.com")
    with pytest.raises(DeskLimitReached):
        await membership.change_callers_email(actor, second, code)
    await membership.change_callers_email(admin, second, code)


async def test_codes_for_one_customer_are_limited():
    whose, actor = await ada(), await a_dispatcher()
    for _ in range(5):
        await code_for(actor, whose)
    with pytest.raises(TooManyRequests):
        await code_for(actor, whose)
    assert len(await rows(Challenge)) == 1  # each replaces the one before


async def test_nobody_else_changes_it_and_no_one_is_gone():
    whose, actor = await ada(), await a_dispatcher()
    stranger = Actor(frozenset({Role.CUSTOMER}), whose)
    with pytest.raises(NotAllowed):
        await code_for(stranger, whose)
    with pytest.raises(NotAllowed):
        await membership.change_callers_email(stranger, whose, "123456")
    asked = NewCallersEmail.parse({"email": NEW, "reason": WHY})
    with pytest.raises(NotAllowed):
        await account.send_callers_code(stranger, whose, asked.email, WHY, DESK)
    with pytest.raises(CustomerGone):
        await code_for(actor, "x")
    with pytest.raises(AccountGone):
        await code_for(actor, UNKNOWN_ID)
    closed = await a_person(email="closed@example.com", deactivated_at=clock.now())
    with pytest.raises(AccountGone):
        await code_for(actor, closed.id)
