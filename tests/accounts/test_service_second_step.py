"""The second step of a sign-in: codes, tries, and who may finish it."""

import asyncio
from dataclasses import replace

import pytest
from pyotp import random_base32
from pyotp.totp import TOTP

from fuel_app.accounts.queries import challenges
from fuel_app.accounts.rules.security import NoCode, SecondStepOver, Visitor, WrongCode
from fuel_app.accounts.service.sessions import (
    NeedsFactor,
    finish_second_step,
    is_second_step_open,
    send_second_step_code,
    sign_in,
)
from fuel_app.accounts.tables import Challenge, Person, StoredSession
from fuel_app.kit import clock, secrets
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.throttle import Unlimited
from tests.helpers.people import EMAIL, PASSWORD, a_person, messages, rows
from tests.helpers.sign_in import session_by, there

pytestmark = pytest.mark.usefixtures("database")

CHROME = "Chrome on Windows"
HERE = Visitor("203.0.113.7", CHROME)


async def with_app(**more) -> str:
    """Store a person with an authenticator app. Return its seed."""
    seed = random_base32()
    await a_person(totp_seed=secrets.encrypt(seed), totp_confirmed_at=clock.now(), **more)
    return seed


async def challenged() -> NeedsFactor:
    needs = await sign_in(EMAIL, PASSWORD, HERE)
    assert isinstance(needs, NeedsFactor)
    return needs


async def finishes(needs: NeedsFactor, code: object, method: object = "app", **differs: str):
    return await finish_second_step(needs.challenge_id, method, code, replace(HERE, **differs))


async def test_a_second_factor_is_needed_and_used_once():
    seed = await with_app()
    needs = await challenged()
    assert needs.methods == ("app",)
    assert await rows(StoredSession) == []
    code = TOTP(seed).now()
    assert await is_second_step_open(needs.challenge_id)
    signed_in = await finishes(needs, code)
    assert not await is_second_step_open(needs.challenge_id)
    assert (await session_by(signed_in.session_id)).second_factor
    with pytest.raises(SecondStepOver):
        await finishes(needs, code)
    with pytest.raises(WrongCode):
        await finishes(await challenged(), code)


async def test_of_two_codes_at_once_one_signs_in():
    seed = await with_app()
    needs, code = await challenged(), TOTP(seed).now()
    tries = await asyncio.gather(*(finishes(needs, code) for _ in range(3)), return_exceptions=True)
    assert len(await rows(StoredSession)) == 1
    assert sum(not isinstance(outcome, Exception) for outcome in tries) == 1


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("app", "000000"),
        ("app", "x"),
        ("sms", "123456"),
        ("passkey", "x"),
        ("recovery", "7"),
        ([], "7"),
    ],
)
async def test_wrong_codes_and_methods_are_refused_and_noted(method, code):
    await with_app()
    with pytest.raises(WrongCode):
        await finishes(await challenged(), code, method)
    [entry] = await rows(AuditEntry)
    assert entry.kind == "sign_in_failed"


@pytest.mark.parametrize("method", ["app", "recovery", "passkey", None])
async def test_an_empty_code_is_no_try(method):
    await with_app()
    for code in ("", "  ", None):
        with pytest.raises(NoCode):
            await finishes(await challenged(), code, method)
    assert await rows(AuditEntry) == []


async def test_wrong_codes_share_the_throttle_with_wrong_passwords():
    seed = await with_app()
    for _ in range(5):
        with pytest.raises(WrongCode):
            await finishes(await challenged(), "000000")
    with pytest.raises(TooManyRequests):
        await sign_in(EMAIL, PASSWORD, HERE)
    assert len(await messages("failed_sign_ins")) == 1
    assert seed


async def test_an_account_has_five_wrong_codes_from_all_addresses():
    seed = await with_app()
    for n in range(5):
        with pytest.raises(WrongCode):
            await finishes(await challenged(), "000000", address=f"198.51.100.{n}")
    with pytest.raises(TooManyRequests):
        await finishes(await challenged(), TOTP(seed).now(), address="192.0.2.1")


async def test_a_second_step_leaves_the_other_tabs_open():
    seed = await with_app()
    owners = await challenged()
    await challenged()  # by somebody else who knows the password
    assert await is_second_step_open(owners.challenge_id)
    assert await finishes(owners, TOTP(seed).now())


async def test_a_step_that_is_over_is_no_failure_of_the_account(monkeypatch):
    seed = await with_app()
    needs = await challenged()
    with monkeypatch.context() as patched:
        patched.setattr(challenges, "count_try", no)
        for _ in range(6):
            with pytest.raises(SecondStepOver):
                await finishes(needs, "000000")
    assert await finishes(await challenged(), TOTP(seed).now())


async def no(*_: object) -> bool:
    return False


async def test_a_second_step_has_five_tries(monkeypatch):
    monkeypatch.setattr("fuel_app.accounts.service.sessions.throttle", Unlimited)
    seed = await with_app()
    needs = await challenged()
    for _ in range(5):
        with pytest.raises(WrongCode):
            await finishes(needs, "000000")
    with pytest.raises(SecondStepOver):
        await finishes(needs, TOTP(seed).now())


@pytest.mark.parametrize("challenge_id", ["", "made up"])
async def test_an_unknown_second_step_is_over(challenge_id):
    with pytest.raises(SecondStepOver):
        await finish_second_step(challenge_id, "app", "000000", HERE)


async def test_a_person_deactivated_in_between_does_not_get_in():
    seed = await with_app()
    needs = await challenged()
    [challenge] = await rows(Challenge)
    async with transaction() as session:
        person = there(await session.get(Person, challenge.person_id))
        person.deactivated_at = clock.now()
    with pytest.raises(SecondStepOver):
        await finishes(needs, TOTP(seed).now())


async def test_a_code_by_text_message_signs_in():
    await a_person(phone="9415550123", phone_verified_at=clock.now(), sms_codes=True)
    needs = await challenged()
    assert needs.methods == ("sms",)
    await send_second_step_code(needs.challenge_id)
    [sent] = await messages("sms_code")
    code = secrets.code("sms", sent.payload["challenge"])
    assert await finishes(needs, code, "sms")
    with pytest.raises(SecondStepOver):
        await send_second_step_code(needs.challenge_id)


async def test_no_secret_is_shown_by_what_a_second_step_returns():
    await with_app()
    needs = await challenged()
    assert needs.challenge_id not in repr(needs)
