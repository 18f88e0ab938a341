"""Second factors: set up, used once, removed."""

import asyncio
from datetime import timedelta

import pytest
from pyotp.totp import TOTP

from fuel_app.accounts.rules import NotAllowed, Purpose, Role
from fuel_app.accounts.rules.security import (
    APP,
    SMS,
    AlreadySetUp,
    LastFactor,
    NoFactor,
    NotSetUp,
    ReauthenticationNeeded,
    WrongCode,
)
from fuel_app.accounts.service import security, sessions
from fuel_app.accounts.tables import Person, RecoveryCode
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import transaction
from tests.accounts.factors import (
    HERE,
    agree,
    check,
    methods,
    seed_of,
    sms_code,
    with_app,
    with_sms,
)
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, history_of, messages_of, person_row, session_of


@pytest.mark.usefixtures("sqlite_database")
class TestAuthenticator:
    async def test_an_app_is_on_once_its_code_was_typed(self):
        person_id = await a_person()
        session = await session_of(person_id)
        await security.start_app_setup(session)
        assert await methods(person_id) == ()
        with pytest.raises(WrongCode):
            await security.confirm_app(session, "000000", HERE)
        await security.confirm_app(session, TOTP(await seed_of(person_id)).now(), HERE)
        assert await methods(person_id) == ("app",)
        assert await history_of(person_id) == [("factor_added", "Authenticator app added")]
        (message,) = await messages_of(person_id)
        assert (message.kind, message.payload) == (
            "security_changed",
            {"what": "Authenticator app added"},
        )

    async def test_the_seed_is_stored_encrypted_and_shown_during_the_setup_alone(self):
        person_id = await a_person(email="ada@example.com")
        session = await session_of(person_id)
        assert (await security.app_address(session), await security.app_key(session)) == (
            None,
            None,
        )
        await security.start_app_setup(session)
        seed = await seed_of(person_id)
        assert seed not in (await person_row(person_id)).totp_seed  # type: ignore[operator]
        assert f"secret={seed}" in (await security.app_address(session) or "")
        assert (await security.app_key(session) or "").replace(" ", "") == seed
        await security.confirm_app(session, TOTP(seed).now(), HERE)
        assert await security.app_address(session) is None

    async def test_another_app_needs_the_first_one_removed(self):
        person_id, _app = await with_app()
        session = await session_of(person_id)
        with pytest.raises(AlreadySetUp):
            await security.start_app_setup(session)
        with pytest.raises(NotSetUp):
            await security.confirm_app(session, "000000", HERE)
        await security.turn_off(session, APP, HERE)
        assert await methods(person_id) == ()
        assert (await person_row(person_id)).totp_seed is None
        await security.start_app_setup(session)

    async def test_stopping_a_setup_is_no_change_of_security(self):
        person_id = await a_person(Role.ADMIN)
        session = await session_of(person_id)
        await security.start_app_setup(session)
        await security.turn_off(session, APP, HERE)
        assert (await history_of(person_id), await messages_of(person_id)) == ([], [])

    async def test_a_seed_of_another_key_is_of_no_use(self, monkeypatch):
        person_id, app = await with_app()
        monkeypatch.setattr(secrets, "decrypt", lambda _stored: None)
        assert not await check(person_id, "app", app.at(clock.now()), 30)

    async def test_changes_need_a_proof_a_moment_ago(self, at):
        person_id = await a_person()
        session = await session_of(person_id)
        at(minutes=11)
        for change in (
            security.start_app_setup(session),
            security.confirm_app(session, "1", HERE),
            security.turn_off(session, APP, HERE),
            security.app_address(session),
            security.send_phone_code(session, "9415550199"),
            security.confirm_phone(session, "1", HERE, agree=agree),
            security.turn_off(session, SMS, HERE),
            security.new_recovery_codes(session, HERE),
        ):
            with pytest.raises(ReauthenticationNeeded):
                await change

    async def test_a_closed_account_changes_nothing(self):
        person_id = await a_person()
        session = await session_of(person_id)
        async with transaction() as writing:
            person = await writing.get(Person, person_id)
            assert person
            person.deactivated_at = clock.now()
        with pytest.raises(NotAllowed):
            await security.start_app_setup(session)
        assert not await check(person_id, "app", "000000")
        await security.send_sms_code(person_id)
        assert await messages_of(person_id) == []


@pytest.mark.usefixtures("database")
class TestOnce:
    async def test_of_two_at_once_with_one_code_one_succeeds(self):
        person_id, app = await with_app()
        code = app.at(clock.now() + timedelta(seconds=30))
        both = await asyncio.gather(*(check(person_id, "app", code, 30) for _ in range(2)))
        assert sorted(both) == [False, True]

    async def test_a_recovery_code_is_good_once_also_for_two_at_once(self):
        person_id, _app = await with_app()
        codes = await security.new_recovery_codes(await session_of(person_id), HERE)
        both = await asyncio.gather(*(check(person_id, "recovery", codes[0]) for _ in range(2)))
        assert sorted(both) == [False, True]
        assert await check(person_id, "recovery", codes[1].upper().replace("-", " "))


@pytest.mark.usefixtures("sqlite_database")
class TestRecoveryCodes:
    async def test_they_need_another_factor(self):
        person_id = await a_person()
        with pytest.raises(NoFactor):
            await security.new_recovery_codes(await session_of(person_id), HERE)

    async def test_only_their_hashes_are_stored(self):
        person_id, _app = await with_app()
        codes = await security.new_recovery_codes(await session_of(person_id), HERE)
        stored = repr(await rows(RecoveryCode)) + repr(await messages_of(person_id))
        assert not any(code in stored or code.replace("-", "") in stored for code in codes)
        assert await methods(person_id) == ("app", "recovery")
        assert await history_of(person_id) == [
            ("factor_added", "Authenticator app added"),
            ("recovery_codes", "New recovery codes"),
        ]

    async def test_a_code_opens_no_other_account_and_new_ones_replace_it(self):
        person_id, _app = await with_app()
        other, _app = await with_app()
        codes = await security.new_recovery_codes(await session_of(person_id), HERE)
        await security.new_recovery_codes(await session_of(other), HERE)
        assert not await check(other, "recovery", codes[0])
        await security.new_recovery_codes(await session_of(person_id), HERE)
        assert not await check(person_id, "recovery", codes[0])
        assert len(await rows(RecoveryCode)) == 20

    async def test_they_go_with_the_last_factor(self):
        person_id, _app = await with_app()
        session = await session_of(person_id)
        await security.new_recovery_codes(session, HERE)
        await security.turn_off(session, APP, HERE)
        assert (await methods(person_id), await rows(RecoveryCode)) == ((), [])


@pytest.mark.usefixtures("sqlite_database")
class TestSessions:
    @pytest.mark.parametrize("has_one", [True, False])
    async def test_a_further_factor_leaves_the_session_as_it_was(self, has_one):
        person_id, _app = await with_app(Role.ADMIN)
        session = await session_of(person_id, second_factor=has_one)
        await security.send_phone_code(session, "9415550199")
        code = await sms_code(person_id, Purpose.PHONE)
        await security.confirm_phone(session, code, HERE, agree=agree)
        found = await sessions.find(session.id)
        assert found
        assert found.second_factor is has_one


@pytest.mark.usefixtures("sqlite_database")
class TestAdmins:
    async def test_a_first_factor_gives_the_session_its_roles_and_ends_those_without(self):
        person_id = await a_person(Role.ADMIN)
        other, session = await session_of(person_id), await session_of(person_id)
        assert session.lacks_factor
        await security.start_app_setup(session)
        await security.confirm_app(session, TOTP(await seed_of(person_id)).now(), HERE)
        found = await sessions.find(session.id)
        assert found
        assert found.is_staff
        assert await sessions.find(other.id) is None

    async def test_the_last_factor_stays(self):
        person_id, _app = await with_app(Role.ADMIN)
        session = await session_of(person_id)
        with pytest.raises(LastFactor):
            await security.turn_off(session, APP, HERE)
        assert await methods(person_id) == ("app",)
        await with_sms(person_id)
        await security.turn_off(session, APP, HERE)
        with pytest.raises(LastFactor):
            await security.turn_off(session, SMS, HERE)
