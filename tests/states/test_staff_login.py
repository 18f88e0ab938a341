"""The staff login modal."""

from typing import Any

import pytest
from argon2 import PasswordHasher
from pydantic import SecretStr

from fuel_app.services import staff
from fuel_app.states.staff_login import StaffLoginState
from tests.states.tabs import run, tab_at


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> str:
    """The staff's password of this test."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("correct horse")
    monkeypatch.setattr(staff, "_stored_hash", lambda: quick)
    return "correct horse"


async def login(typed: Any) -> StaffLoginState:
    state = await tab_at().get_state(StaffLoginState)
    state.show(True)
    await run(state.login({"password": typed}))
    return state


@pytest.mark.parametrize("typed", ["", "wrong", None, 7, "x" * 100_000])
async def test_a_wrong_password_says_so(password, typed):
    assert (await login(typed)).error == "Invalid password"


async def test_the_right_password_is_not_called_invalid(password):
    assert (await login(password)).error != "Invalid password"


async def test_with_no_password_set_nothing_matches(monkeypatch):
    monkeypatch.setattr(staff, "_stored_hash", lambda: "")
    assert (await login("")).error == "Invalid password"


async def test_the_sixth_try_has_to_wait(password):
    for _ in range(5):
        await login("wrong")
    assert (await login(password)).error.startswith("Too many attempts. Try again in 1")


async def test_closing_forgets_what_went_wrong(password):
    state = await login("wrong")
    state.show(False)
    assert (state.opened, state.error) == (False, "")


def test_a_plain_password_in_the_settings_is_hashed(monkeypatch):
    chosen = staff.settings.model_copy(update={"staff_password": SecretStr("plain")})
    monkeypatch.setattr(staff, "settings", chosen)
    staff._stored_hash.cache_clear()
    assert staff._stored_hash().startswith("$argon2id$")
    chosen = chosen.model_copy(update={"staff_password_hash": SecretStr("$argon2id$given")})
    monkeypatch.setattr(staff, "settings", chosen)
    staff._stored_hash.cache_clear()
    assert staff._stored_hash() == "$argon2id$given"
    staff._stored_hash.cache_clear()
