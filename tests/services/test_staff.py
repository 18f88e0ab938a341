"""Staff access: one shared password, checked on the server."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from argon2 import PasswordHasher
from pydantic import SecretStr

from fuel_app.domain.errors import TooManyRequests, WrongPassword
from fuel_app.services import staff

HERE = "203.0.113.1"
ELSEWHERE = "203.0.113.2"
PASSWORD = "pump & circumstance ⛽"

# As strong as the stored one has to be, as fast as a test wants.
_quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@cache
def hashed(password: str = PASSWORD) -> str:
    return _quick.hash(password)


@pytest.fixture
def staff_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Starts again with these settings."""

    def start(**secrets: str) -> None:
        chosen = {name: SecretStr(secret) for name, secret in secrets.items()}
        monkeypatch.setattr(staff, "settings", staff.settings.model_copy(update=chosen))
        staff._stored_hash.cache_clear()

    start()
    yield start
    staff._stored_hash.cache_clear()


@pytest.mark.parametrize(
    "secrets",
    [
        {"staff_password": PASSWORD},
        {"staff_password_hash": hashed()},
        {"staff_password": "another", "staff_password_hash": hashed()},
    ],
    ids=["a password", "a hash", "a hash before a password"],
)
async def test_the_right_password_opens(staff_settings, secrets):
    staff_settings(**secrets)
    await staff.check_password(PASSWORD, address=HERE)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "wrong",
        f"{PASSWORD} ",
        PASSWORD.upper(),
        hashed(),
        "x" * 10_240,
        PASSWORD + "x" * 200,
        "\x00",
        "\ud800",
        None,
        5,
        [PASSWORD],
        {},
    ],
)
async def test_anything_else_is_refused(staff_settings, typed):
    staff_settings(staff_password_hash=hashed())
    with pytest.raises(WrongPassword, match="Invalid password"):
        await staff.check_password(typed, address=HERE)


@pytest.mark.parametrize("secrets", [{}, {"staff_password_hash": "no hash"}])
@pytest.mark.parametrize("typed", ["", "no hash", "admin"])
async def test_without_a_password_nobody_comes_in(staff_settings, secrets, typed):
    staff_settings(**secrets)
    with pytest.raises(WrongPassword):
        await staff.check_password(typed, address=HERE)


async def test_an_address_may_try_five_times(staff_settings):
    staff_settings(staff_password_hash=hashed())
    for _ in range(5):
        with pytest.raises(WrongPassword):
            await staff.check_password("wrong", address=HERE)
    with pytest.raises(TooManyRequests, match=r"Too many attempts\. Try again in 15 minutes\."):
        await staff.check_password(PASSWORD, address=HERE)
    await staff.check_password(PASSWORD, address=ELSEWHERE)


async def test_the_password_is_hashed_once(staff_settings):
    staff_settings(staff_password=PASSWORD)
    assert staff._stored_hash() is staff._stored_hash()
    assert PASSWORD not in staff._stored_hash()
