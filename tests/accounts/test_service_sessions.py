"""Staff access: one shared password, a session for each browser that knows it."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app.accounts import providers as passwords
from fuel_app.accounts.rules import Role, Session
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import TECHNICIAN_SESSION_DAYS
from fuel_app.kit import policies
from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests, WrongPassword
from fuel_app.kit.signals import SESSIONS, signals
from tests.helpers.people import a_person
from tests.staff import HASH, HERE, PASSWORD, a_token

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("password")]

ELSEWHERE = Visitor("203.0.113.2")


@pytest.fixture
def only_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the settings without a password."""
    monkeypatch.setattr(passwords, "_from_settings", lambda: "")


async def guess(password: object, visitor: Visitor = HERE) -> None:
    with pytest.raises(WrongPassword, match="Invalid password"):
        await sessions.sign_in_shared(password, visitor)


async def a_session() -> Session:
    session = await sessions.find_by_token(await a_token())
    assert session
    return session


@pytest.mark.parametrize(
    "typed",
    [
        "",
        f"{PASSWORD} ",
        pytest.param(HASH, id="the stored hash"),
        PASSWORD + "x" * 10_240,
        "\ud800",
        None,
    ],
)
async def test_anything_else_is_refused(typed):
    await guess(typed)


async def test_five_wrong_passwords_throttle_an_address_and_right_ones_reset_nothing(
    sqlite_database,
):
    for _ in range(4):
        await guess("wrong")
    for _ in range(6):
        await sessions.sign_in_shared(PASSWORD, HERE)
    await guess("wrong")
    with pytest.raises(TooManyRequests, match=r"Too many attempts\. Try again in 15 minutes\."):
        await sessions.sign_in_shared(PASSWORD, HERE)
    await sessions.sign_in_shared(PASSWORD, ELSEWHERE)


async def test_parallel_guesses_are_counted():
    answers = await asyncio.gather(
        *[sessions.sign_in_shared("wrong", HERE) for _ in range(50)],
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers].count(WrongPassword) == 5
    assert [type(answer) for answer in answers].count(TooManyRequests) == 45


async def test_of_two_at_once_one_redeems_a_ticket(database):
    ticket = (await sessions.sign_in_shared(PASSWORD, HERE)).ticket
    cookies = await asyncio.gather(*[sessions.redeem_ticket(ticket) for _ in range(2)])
    assert cookies.count(None) == 1


async def test_a_ticket_is_no_cookie(database):
    ticket = (await sessions.sign_in_shared(PASSWORD, HERE)).ticket
    assert await sessions.find_by_token(ticket) is None
    assert await sessions.redeem_ticket(ticket)


@pytest.mark.parametrize("token", ["", "made up", "\ud800", "x" * 100_000])
async def test_other_tokens_open_nothing(sqlite_database, token):
    await a_token()
    assert await sessions.find_by_token(token) is None


async def test_each_event_extends_a_session(database, at):
    token = await a_token()
    for hours in (11, 22, 33):
        at(minutes=hours * 60)
        assert await sessions.find_by_token(token)
    at(minutes=46 * 60)
    assert await sessions.find_by_token(token) is None


async def test_a_session_is_renewed_at_most_once_a_minute(sqlite_database, at):
    token = await a_token()
    first = await sessions.find_by_token(token)
    at(minutes=0.9)
    assert await sessions.find_by_token(token) == first
    at(minutes=1.1)
    renewed = await sessions.find_by_token(token)
    assert first
    assert renewed
    assert renewed.expires_at > first.expires_at
    assert renewed == await sessions.find_by_token(token)


async def test_a_failed_renewal_keeps_the_session_open(sqlite_database, at, monkeypatch):
    token = await a_token()
    at(minutes=5)

    def busy():
        raise TimeoutError

    monkeypatch.setattr(sessions, "transaction", busy)
    assert await sessions.find_by_token(token)


async def test_signing_out_signals_every_tab_once(sqlite_database):
    session = await a_session()
    async with signals().listening(SESSIONS) as changes:
        await sessions.sign_out(session.id)
        assert await changes.next(0) == {SESSIONS}
        await sessions.sign_out(session.id)
        assert not await changes.next(0)


async def test_sign_ins_are_logged_without_passwords(sqlite_database, logged):
    await guess("hunter2")
    session = await a_session()
    await sessions.sign_out(session.id)
    name = session.id[-8:]
    assert [(line["event"], line.get("session")) for line in logged] == [
        ("staff.sign_in_refused", None),
        ("session.opened", name),
        ("session.ended", name),
    ]
    assert "hunter2" not in str(logged)
    assert PASSWORD not in str(logged)


async def test_the_first_start_makes_a_password_and_shows_it_once(only_stored):
    password = sessions.ensure_shared_password()
    assert password
    assert await passwords.is_right(password)
    assert password not in passwords.FILE.read_text()
    assert sessions.ensure_shared_password() is None
    assert await passwords.is_right(password)


def test_no_password_is_made_where_the_settings_have_one():
    assert sessions.ensure_shared_password() is None
    assert not passwords.FILE.exists()


def test_of_two_simultaneous_starts_one_shows_a_password(only_stored, monkeypatch):
    passwords.create("the first")
    monkeypatch.setattr(passwords, "stored_hash", lambda: "")
    assert sessions.ensure_shared_password() is None


async def test_a_new_password_ends_the_sessions_of_the_old_one(database, only_stored):
    passwords.replace(PASSWORD)
    token = await a_token()
    async with signals().listening(SESSIONS) as changes:
        assert await sessions.change_shared_password("a new one") == 1
        assert await changes.next(0) == {SESSIONS}
    assert await sessions.find_by_token(token) is None
    await sessions.sign_in_shared("a new one", HERE)


async def test_a_password_of_the_settings_cannot_be_changed():
    with pytest.raises(InvalidForm) as refusal:
        await sessions.change_shared_password("a new one")
    assert "FUEL_STAFF_PASSWORD" in refusal.value.messages["password"]
    assert passwords.stored_hash() == HASH


@pytest.mark.parametrize("chosen", ["", "x" * 201])
async def test_an_empty_or_too_long_password_is_refused(only_stored, chosen):
    with pytest.raises(InvalidForm):
        await sessions.change_shared_password(chosen)
    assert passwords.stored_hash() == ""


DAY = timedelta(days=1)


async def days_kept(*roles: Role) -> float:
    """Open a session for these roles. Return how long it is kept."""
    person = await a_person(*roles, email=f"{'.'.join(roles)}@example.com")
    async with transaction() as session:
        opened = await sessions.start(session, person_id=person.id, second_factor=True)
    await sessions.redeem_ticket(opened.ticket)
    found = await sessions.find(opened.session_id)
    assert found
    return (found.expires_at - found.last_seen_at) / DAY


async def set_days(days: int) -> None:
    async with transaction() as session:
        action, name = Action("figure", "change", "somebody"), TECHNICIAN_SESSION_DAYS.name
        await policies.change(session, action, {name: 7}, {name: days})


async def test_a_technicians_session_lasts_as_long_as_the_policy_says(database):
    assert await days_kept(Role.TECHNICIAN) == 7
    await set_days(2)
    assert await days_kept(Role.TECHNICIAN, Role.CUSTOMER) == 2
    assert await days_kept(Role.TECHNICIAN, Role.DISPATCHER) == 0.5
    assert await days_kept(Role.CUSTOMER) == 30
