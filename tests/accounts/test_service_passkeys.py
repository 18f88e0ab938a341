"""Passkeys: registered and removed by their owner, a sign-in by themselves, refused otherwise."""

import asyncio

import pytest

from fuel_app.accounts.rules import NotAllowed, Role
from fuel_app.accounts.rules.security import (
    PASSKEYS_MAX,
    NotSetUp,
    PasskeyRefused,
    ReauthenticationNeeded,
    TooManyPasskeys,
)
from fuel_app.accounts.service import passkeys, sessions
from fuel_app.accounts.tables import Passkey, Person
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.settings import settings
from tests.accounts.passkeys import HERE, asked, registered, sign_in
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, history_of, messages_of, seen, session_of
from tests.helpers.soft_key import SoftKey


@pytest.mark.usefixtures("database")
class TestSignIn:
    async def test_it_opens_a_session_with_a_second_factor(self):
        person_id = await a_person(Role.ADMIN)
        key = await registered(person_id)
        session = await seen((await sign_in(key)).token)
        assert (session.person_id, session.second_factor, session.is_staff) == (
            person_id,
            True,
            True,
        )
        assert ("signed_in", "") in await history_of(person_id)
        (row,) = await rows(Passkey)
        assert row.last_used_at is not None

    async def test_a_challenge_is_good_once_also_for_two_at_once(self):
        key = await registered(await a_person())
        begun = await passkeys.begin_sign_in(HERE)
        both = await asyncio.gather(
            *(sign_in(key, begun) for _ in range(2)), return_exceptions=True
        )
        assert [type(outcome) for outcome in both].count(PasskeyRefused) == 1


@pytest.mark.usefixtures("sqlite_database")
class TestRefusedSignIn:
    async def test_another_origin_site_key_or_no_verification_is_refused_alike(self):
        person_id = await a_person()
        key = await registered(person_id)
        said = set()
        for wrong in (
            key.like(origin="https://fuel.example.evil"),
            key.like(host="evil.example"),
            key.like(verifies=False),
            key.like(key=SoftKey(settings.public_url).key),
            key.like(user="c29tZWJvZHk"),
            key.like(user=None),
            SoftKey(settings.public_url),
        ):
            with pytest.raises(PasskeyRefused) as refused:
                await sign_in(wrong)
            said.add(str(refused.value))
        assert len(said) == 1
        failed = [entry for entry in await history_of(person_id) if entry[0] == "sign_in_failed"]
        assert failed == [("sign_in_failed", "Passkey")] * 4

    async def test_a_registrations_challenge_signs_nobody_in(self):
        person_id = await a_person()
        key = await registered(person_id)
        begun = await passkeys.begin_registration(await session_of(person_id))
        with pytest.raises(PasskeyRefused):
            await sign_in(key, begun)

    async def test_a_counter_that_goes_back_is_refused(self):
        key = await registered(await a_person())
        await sign_in(key.like(uses=5))
        with pytest.raises(PasskeyRefused):
            await sign_in(key.like(uses=5))
        await sign_in(key.like(uses=6))

    async def test_a_deactivated_person_is_refused(self):
        person_id = await a_person()
        key = await registered(person_id)
        async with transaction() as session:
            person = await session.get(Person, person_id)
            assert person
            person.deactivated_at = clock.now()
        with pytest.raises(PasskeyRefused):
            await sign_in(key)

    async def test_a_passkey_that_is_removed_meanwhile_is_refused(self, monkeypatch):
        key = await registered(await a_person())

        async def gone(*_args, **_kwargs) -> bool:
            return False

        monkeypatch.setattr(passkeys.people, "use_passkey", gone)
        with pytest.raises(PasskeyRefused):
            await sign_in(key)

    @pytest.mark.parametrize("answer", [None, {}, {"rawId": "\ud800"}, {"rawId": "x" * 2000}])
    async def test_anything_else_is_refused(self, answer):
        begun = await passkeys.begin_sign_in(HERE)
        for challenge_id in (begun.challenge_id, None, "x" * 36):
            with pytest.raises(PasskeyRefused):
                await passkeys.sign_in(challenge_id, answer, HERE)

    async def test_odd_parts_are_refused(self):
        key = await registered(await a_person())
        for response in ({}, {"clientDataJSON": "x", "userHandle": key.user}, {"userHandle": 7}):
            with pytest.raises(PasskeyRefused):
                await sign_in(key, response=response)

    async def test_guessing_is_throttled_by_address(self):
        for _ in range(10):
            with pytest.raises(PasskeyRefused):
                await passkeys.sign_in("x", {}, HERE)
        with pytest.raises(TooManyRequests):
            await passkeys.sign_in("x", {}, HERE)

    async def test_opening_sign_ins_is_throttled_by_address(self):
        for _ in range(60):
            await passkeys.begin_sign_in(HERE)
        with pytest.raises(TooManyRequests):
            await passkeys.begin_sign_in(HERE)


@pytest.mark.usefixtures("sqlite_database")
class TestRemoval:
    async def test_its_owner_can_remove_it_and_nobody_else(self):
        person_id = await a_person()
        key = await registered(person_id)
        (row,) = await rows(Passkey)
        other = await session_of(await a_person())
        for passkey_id in (row.id, "", None, 7, "\ud800"):
            with pytest.raises(NotSetUp):
                await passkeys.remove(other, passkey_id, HERE)
        await sign_in(key)
        await passkeys.remove(await session_of(person_id), row.id, HERE)
        with pytest.raises(PasskeyRefused):
            await sign_in(key)


@pytest.mark.usefixtures("sqlite_database")
class TestRegistration:
    async def test_a_passkey_is_stored_and_counts_as_a_second_factor(self):
        person_id = await a_person(Role.ADMIN)
        other, session = await session_of(person_id), await session_of(person_id)
        begun = await passkeys.begin_registration(session)
        key = SoftKey(settings.public_url)
        answer = key.create(asked(begun))
        await passkeys.register(session, begun.challenge_id, answer, " My phone ", HERE)
        (row,) = await rows(Passkey)
        assert (row.person_id, row.name, row.sign_count, row.backed_up) == (
            person_id,
            "My phone",
            0,
            True,
        )
        found = await sessions.find(session.id)
        assert found
        assert found.is_staff
        assert await sessions.find(other.id) is None
        assert await history_of(person_id) == [("factor_added", "Passkey added")]
        assert [m.kind for m in await messages_of(person_id)] == ["security_changed"]

    async def test_a_session_that_ends_before_the_answer_stores_none(self):
        """As when the owner resets the password while a thief's request is being sent."""
        session = await session_of(await a_person())
        begun = await passkeys.begin_registration(session)
        await sessions.sign_out(session.id)
        answer = SoftKey(settings.public_url).create(asked(begun))
        with pytest.raises(NotAllowed):
            await passkeys.register(session, begun.challenge_id, answer, "Mine", HERE)
        assert await rows(Passkey) == []

    async def test_the_options_name_the_site_a_random_handle_and_known_passkeys(self):
        person_id = await a_person(email="ada@example.com")
        key = await registered(person_id)
        options = asked(await passkeys.begin_registration(await session_of(person_id)))
        assert options["rp"]["id"] == "localhost"
        assert options["user"]["id"] == key.user
        assert "ada" not in options["user"]["id"]
        assert len(options["excludeCredentials"]) == 1
        assert options["authenticatorSelection"]["userVerification"] == "required"

    @pytest.mark.parametrize(
        "differs",
        [{"origin": "http://fuel.example"}, {"host": "evil.example"}, {"verifies": False}],
    )
    async def test_another_site_or_no_verification_is_refused(self, differs):
        person_id = await a_person()
        with pytest.raises(PasskeyRefused):
            await registered(person_id, SoftKey(settings.public_url).like(**differs))
        assert await rows(Passkey) == []

    async def test_a_challenge_is_used_once_and_by_its_owner(self):
        person_id = await a_person()
        session, other = await session_of(person_id), await session_of(await a_person())
        begun = await passkeys.begin_registration(session)
        answer = SoftKey(settings.public_url).create(asked(begun))
        with pytest.raises(PasskeyRefused):
            await passkeys.register(other, begun.challenge_id, answer, "Mine", HERE)
        with pytest.raises(PasskeyRefused):  # the attempt has used it up
            await passkeys.register(session, begun.challenge_id, answer, "Mine", HERE)
        assert await rows(Passkey) == []

    async def test_a_known_passkey_is_not_registered_again(self):
        key = await registered(await a_person())
        with pytest.raises(PasskeyRefused):
            await registered(await a_person(), key)
        assert len(await rows(Passkey)) == 1

    async def test_an_account_has_a_bounded_number(self):
        person_id = await a_person()
        session = await session_of(person_id)
        begun = await passkeys.begin_registration(session)
        async with transaction() as writing:
            for number in range(PASSKEYS_MAX):
                row = Passkey(person_id=person_id, credential_id=f"c{number}", public_key="k")
                writing.add(row)
        with pytest.raises(TooManyPasskeys):
            await passkeys.begin_registration(session)
        with pytest.raises(TooManyPasskeys):
            await passkeys.register(session, begun.challenge_id, {}, "Mine", HERE)

    async def test_it_needs_a_proof_a_moment_ago(self, at):
        session = await session_of(await a_person())
        at(minutes=11)
        for change in (
            passkeys.begin_registration(session),
            passkeys.register(session, "x", {}, "Mine", HERE),
            passkeys.remove(session, "x", HERE),
        ):
            with pytest.raises(ReauthenticationNeeded):
                await change
