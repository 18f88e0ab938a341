"""Codes by text message, and the phone that they verify."""

from contextlib import suppress

import pytest

from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.rules.security import SMS, WrongCode
from fuel_app.accounts.service import security
from fuel_app.kit.errors import TooManyRequests
from tests.accounts.factors import AGREED, HERE, agree, check, methods, sms_code, with_sms
from tests.helpers.signed_in import a_person, history_of, messages_of, person_row, session_of


async def no_refusal(_phone: str) -> None:
    """Let any phone be texted."""


@pytest.mark.usefixtures("sqlite_database")
class TestTextMessages:
    async def test_a_number_gets_codes_once_its_own_code_was_typed(self):
        person_id = await a_person()
        session = await session_of(person_id)
        await security.send_phone_code(session, "9415550199")
        (message,) = await messages_of(person_id)
        assert (message.kind, message.channel, message.recipient) == (
            "phone_code",
            "sms",
            "9415550199",
        )
        with pytest.raises(WrongCode):
            await security.confirm_phone(session, "no code", HERE, agree=agree)
        assert await methods(person_id) == ()
        code = await sms_code(person_id, Purpose.PHONE)
        await security.confirm_phone(session, code, HERE, agree=agree)
        assert await methods(person_id) == ("sms",)
        person = await person_row(person_id)
        assert (person.phone, bool(person.phone_verified_at)) == ("9415550199", True)
        with pytest.raises(WrongCode):
            await security.confirm_phone(session, code, HERE, agree=agree)

    async def test_other_messages_go_there_only_if_its_owner_agrees(self):
        AGREED.clear()
        person_id = await a_person()
        session = await session_of(person_id)
        for agrees in (False, True):
            await security.send_phone_code(session, "9415550199", agrees=agrees)
            code = await sms_code(person_id, Purpose.PHONE)
            await security.confirm_phone(session, code, HERE, agree=agree)
            assert [("9415550199", person_id)] * agrees == AGREED

    async def test_a_code_for_text_messages_alone_turns_no_factor_on(self):
        person_id = await a_person(phone="9415550199")
        session = await session_of(person_id)
        await security.send_texts_code(session, check=no_refusal)
        code = await sms_code(person_id, Purpose.PHONE)
        with pytest.raises(WrongCode):
            await security.confirm_phone(session, code, HERE, agree=agree)
        await security.send_phone_code(session, "9415550199")
        code = await sms_code(person_id, Purpose.PHONE)
        with pytest.raises(WrongCode):
            await security.confirm_texts(session, code, agree=agree)
        assert await methods(person_id) == ()
        assert (await person_row(person_id)).phone_verified_at is None

    async def test_a_code_is_texted_for_a_sign_in_and_good_once(self):
        person_id = await a_person()
        await security.send_sms_code(person_id)  # does nothing yet
        await with_sms(person_id)
        await security.send_sms_code(person_id)
        assert [m.kind for m in await messages_of(person_id)].count("sms_code") == 1
        code = await sms_code(person_id, Purpose.SMS)
        assert not await check(person_id, "sms", "no code")
        assert await check(person_id, "sms", code)
        assert not await check(person_id, "sms", code)

    async def test_three_an_hour_go_to_a_person_and_to_a_number(self):
        session = await session_of(await a_person())
        for last in "123":
            await security.send_phone_code(session, f"941555019{last}")
        with pytest.raises(TooManyRequests):
            await security.send_phone_code(session, "9415550194")
        for _ in range(2):
            await security.send_phone_code(await session_of(await a_person()), "9415550191")
        with pytest.raises(TooManyRequests):
            await security.send_phone_code(await session_of(await a_person()), "9415550191")

    async def test_an_attacker_uses_up_no_codes_of_a_sign_in(self):
        person_id = await a_person()
        await with_sms(person_id)
        phone = (await person_row(person_id)).phone
        with suppress(TooManyRequests):
            for _ in range(3):
                await security.send_phone_code(await session_of(await a_person()), phone)
        await security.send_sms_code(person_id)
        assert [m.kind for m in await messages_of(person_id)][-1] == "sms_code"

    async def test_they_can_be_turned_off(self):
        person_id = await a_person()
        await with_sms(person_id)
        session = await session_of(person_id)
        await security.turn_off(session, SMS, HERE)
        await security.turn_off(session, SMS, HERE)
        assert await methods(person_id) == ()
        assert [kind for kind, _what in await history_of(person_id)] == [
            "factor_added",
            "factor_removed",
        ]
