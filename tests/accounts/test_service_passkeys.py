"""Passkeys: registered, a sign-in by themselves, refused in every other case."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.accounts.rules.factors import (
    PASSKEYS_MAX,
    LastFactor,
    NotProved,
    NotSetUp,
    PasskeyRefused,
    TooManyPasskeys,
)
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service import passkeys, sessions
from fuel_app.accounts.service.passkeys import Ceremony, Site
from fuel_app.accounts.tables import Passkey, Person
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, history_of, messages_of, seen, session_of
from tests.helpers.soft_key import SoftKey

SITE = Site("https://fuel.example", "fuel.example")
HERE = Visitor("203.0.113.7", "Safari on iPhone")


def asked(ceremony: Ceremony) -> dict[str, Any]:
    return json.loads(ceremony.options)


async def registered(person_id: str, key: SoftKey | None = None) -> SoftKey:
    """Add a passkey to a person's account."""
    key = key or SoftKey(SITE.origin)
    session = await session_of(person_id)
    begun = await passkeys.begin_registration(session, SITE)
    answer = key.create(asked(begun))
    await passkeys.register(session, SITE, begun.challenge_id, answer, "My phone", HERE)
    return key


async def sign_in(key: SoftKey, begun: Ceremony | None = None, **differs: Any):
    begun = begun or await passkeys.begin_sign_in(SITE, address=HERE.address)
    answer = key.get(asked(begun)) | differs
    return await passkeys.sign_in(SITE, begun.challenge_id, answer, HERE)


@pytest.mark.usefixtures("sqlite_database")
class TestRegistration:
    async def test_a_passkey_is_stored_and_counts_as_a_second_factor(self):
        person_id = await a_person(Role.ADMIN)
        other, session = await session_of(person_id), await session_of(person_id)
        begun = await passkeys.begin_registration(session, SITE)
        key = SoftKey(SITE.origin)
        answer = key.create(asked(begun))
        await passkeys.register(session, SITE, begun.challenge_id, answer, " My phone ", HERE)
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

    async def test_the_options_name_the_site_a_random_handle_and_known_passkeys(self):
        person_id = await a_person(email="ada@example.com")
        key = await registered(person_id)
        options = asked(await passkeys.begin_registration(await session_of(person_id), SITE))
        assert options["rp"]["id"] == "fuel.example"
        assert options["user"]["id"] == key.user
        assert "ada" not in options["user"]["id"]
        assert len(options["excludeCredentials"]) == 1
        assert options["authenticatorSelection"]["userVerification"] == "required"

    @pytest.mark.parametrize(
        "differs",
        [
            {"origin": "https://fuel.example.evil"},
            {"origin": "http://fuel.example"},
            {"host": "evil.example"},
            {"verifies": False},
        ],
    )
    async def test_another_site_or_no_verification_is_refused(self, differs):
        person_id = await a_person()
        with pytest.raises(PasskeyRefused):
            await registered(person_id, SoftKey(SITE.origin).like(**differs))
        assert await rows(Passkey) == []

    async def test_a_challenge_is_used_once_and_by_its_owner(self):
        person_id = await a_person()
        session, other = await session_of(person_id), await session_of(await a_person())
        begun = await passkeys.begin_registration(session, SITE)
        answer = SoftKey(SITE.origin).create(asked(begun))
        with pytest.raises(PasskeyRefused):
            await passkeys.register(other, SITE, begun.challenge_id, answer, "Mine", HERE)
        with pytest.raises(PasskeyRefused):  # the attempt has used it up
            await passkeys.register(session, SITE, begun.challenge_id, answer, "Mine", HERE)
        assert await rows(Passkey) == []

    async def test_a_sign_ins_challenge_registers_nothing(self):
        session = await session_of(await a_person())
        begun = await passkeys.begin_sign_in(SITE, address=HERE.address)
        options = asked(begun) | {"user": {"id": "x"}}
        answer = SoftKey(SITE.origin).create(options)
        with pytest.raises(PasskeyRefused):
            await passkeys.register(session, SITE, begun.challenge_id, answer, "Mine", HERE)

    async def test_a_known_passkey_is_not_registered_again(self):
        key = await registered(await a_person())
        with pytest.raises(PasskeyRefused):
            await registered(await a_person(), key)
        assert len(await rows(Passkey)) == 1

    @pytest.mark.parametrize("name", [None, "", "  ", 7, "x" * 1000])
    async def test_it_needs_a_name(self, name):
        session = await session_of(await a_person())
        with pytest.raises(InvalidForm):
            await passkeys.register(session, SITE, "x", {}, name, HERE)

    async def test_an_account_has_a_bounded_number(self):
        person_id = await a_person()
        session = await session_of(person_id)
        begun = await passkeys.begin_registration(session, SITE)
        async with transaction() as writing:
            for number in range(PASSKEYS_MAX):
                row = Passkey(person_id=person_id, credential_id=f"c{number}", public_key="k")
                writing.add(row)
        with pytest.raises(TooManyPasskeys):
            await passkeys.begin_registration(session, SITE)
        with pytest.raises(TooManyPasskeys):
            await passkeys.register(session, SITE, begun.challenge_id, {}, "Mine", HERE)

    async def test_it_needs_a_proof_a_moment_ago(self, monkeypatch):
        session = await session_of(await a_person())
        later = clock.now() + timedelta(minutes=11)
        monkeypatch.setattr(clock, "now", lambda: later)
        for change in (
            passkeys.begin_registration(session, SITE),
            passkeys.register(session, SITE, "x", {}, "Mine", HERE),
            passkeys.remove(session, "x", HERE),
        ):
            with pytest.raises(NotProved):
                await change


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
        begun = await passkeys.begin_sign_in(SITE, address=HERE.address)
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
            key.like(key=SoftKey(SITE.origin).key),
            key.like(user="c29tZWJvZHk"),
            key.like(user=None),
            SoftKey(SITE.origin),
        ):
            with pytest.raises(PasskeyRefused) as refused:
                await sign_in(wrong)
            said.add(str(refused.value))
        assert len(said) == 1
        failed = [entry for entry in await history_of(person_id) if entry[0] == "sign_in_failed"]
        assert failed == [("sign_in_failed", "Passkey")] * 4

    async def test_another_challenge_is_refused(self):
        key = await registered(await a_person())
        one = await passkeys.begin_sign_in(SITE, address=HERE.address)
        other = await passkeys.begin_sign_in(SITE, address=HERE.address)
        with pytest.raises(PasskeyRefused):
            await passkeys.sign_in(SITE, one.challenge_id, key.get(asked(other)), HERE)

    async def test_an_expired_challenge_is_refused(self, monkeypatch):
        key = await registered(await a_person())
        begun = await passkeys.begin_sign_in(SITE, address=HERE.address)
        later = clock.now() + timedelta(minutes=6)
        monkeypatch.setattr(clock, "now", lambda: later)
        with pytest.raises(PasskeyRefused):
            await sign_in(key, begun)

    async def test_a_registrations_challenge_signs_nobody_in(self):
        person_id = await a_person()
        key = await registered(person_id)
        begun = await passkeys.begin_registration(await session_of(person_id), SITE)
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

        monkeypatch.setattr(passkeys.stored, "use_passkey", gone)
        with pytest.raises(PasskeyRefused):
            await sign_in(key)

    @pytest.mark.parametrize(
        "answer",
        [
            None,
            [],
            "x",
            {},
            {"rawId": 7},
            {"rawId": "\ud800"},
            {"rawId": "x" * 2000},
            {"response": {}},
        ],
    )
    async def test_anything_else_is_refused(self, answer):
        begun = await passkeys.begin_sign_in(SITE, address=HERE.address)
        for challenge_id in (begun.challenge_id, None, "x" * 36):
            with pytest.raises(PasskeyRefused):
                await passkeys.sign_in(SITE, challenge_id, answer, HERE)

    async def test_odd_parts_are_refused(self):
        key = await registered(await a_person())
        for response in ({}, {"clientDataJSON": "x", "userHandle": key.user}, {"userHandle": 7}):
            with pytest.raises(PasskeyRefused):
                await sign_in(key, response=response)

    async def test_guessing_is_throttled_by_address(self):
        for _ in range(10):
            with pytest.raises(PasskeyRefused):
                await passkeys.sign_in(SITE, "x", {}, HERE)
        with pytest.raises(TooManyRequests):
            await passkeys.sign_in(SITE, "x", {}, HERE)

    async def test_opening_sign_ins_is_throttled_by_address(self):
        for _ in range(60):
            await passkeys.begin_sign_in(SITE, address=HERE.address)
        with pytest.raises(TooManyRequests):
            await passkeys.begin_sign_in(SITE, address=HERE.address)


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

    async def test_an_admins_last_factor_stays(self):
        person_id = await a_person(Role.ADMIN)
        await registered(person_id)
        (row,) = await rows(Passkey)
        with pytest.raises(LastFactor):
            await passkeys.remove(await session_of(person_id), row.id, HERE)
        assert len(await rows(Passkey)) == 1

    async def test_a_new_session_ends_the_former_one(self):
        key = await registered(await a_person())
        former = await session_of(await a_person())
        begun = await passkeys.begin_sign_in(SITE, address=HERE.address)
        here = Visitor(HERE.address, HERE.device, former.id)
        await passkeys.sign_in(SITE, begun.challenge_id, key.get(asked(begun)), here)
        assert await sessions.find(former.id) is None
