"""Passkeys: registered by their owner, refused in every other case."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import NotAllowed, Role
from fuel_app.accounts.rules.security import (
    PASSKEYS_MAX,
    NotProved,
    PasskeyRefused,
    TooManyPasskeys,
)
from fuel_app.accounts.service import passkeys, sessions
from fuel_app.accounts.tables import Passkey
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.settings import settings
from tests.helpers.passkeys import HERE, asked, registered
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, history_of, messages_of, session_of
from tests.helpers.soft_key import SoftKey


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

    async def test_a_sign_ins_challenge_registers_nothing(self):
        session = await session_of(await a_person())
        begun = await passkeys.begin_sign_in(HERE)
        options = asked(begun) | {"user": {"id": "x"}}
        answer = SoftKey(settings.public_url).create(options)
        with pytest.raises(PasskeyRefused):
            await passkeys.register(session, begun.challenge_id, answer, "Mine", HERE)

    async def test_a_known_passkey_is_not_registered_again(self):
        key = await registered(await a_person())
        with pytest.raises(PasskeyRefused):
            await registered(await a_person(), key)
        assert len(await rows(Passkey)) == 1

    @pytest.mark.parametrize("name", [None, "", "  ", 7, "x" * 1000])
    async def test_it_needs_a_name(self, name):
        session = await session_of(await a_person())
        with pytest.raises(InvalidForm):
            await passkeys.register(session, "x", {}, name, HERE)

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

    async def test_it_needs_a_proof_a_moment_ago(self, monkeypatch):
        session = await session_of(await a_person())
        later = clock.now() + timedelta(minutes=11)
        monkeypatch.setattr(clock, "now", lambda: later)
        for change in (
            passkeys.begin_registration(session),
            passkeys.register(session, "x", {}, "Mine", HERE),
            passkeys.remove(session, "x", HERE),
        ):
            with pytest.raises(NotProved):
                await change
