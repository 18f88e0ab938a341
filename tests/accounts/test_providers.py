"""The staff password, from the settings or its file."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import SecretStr

from fuel_app.accounts import providers as passwords
from tests.staff import HASH, PASSWORD

pytestmark = pytest.mark.slow


@pytest.fixture
def settings_with(monkeypatch):
    def start(**secrets: str) -> None:
        chosen = {name: SecretStr(secret) for name, secret in secrets.items()}
        monkeypatch.setattr(passwords, "settings", passwords.settings.model_copy(update=chosen))
        passwords._from_settings.cache_clear()

    return start


@pytest.mark.parametrize(
    "secrets",
    [
        {"staff_password": PASSWORD},
        {"staff_password_hash": HASH},
        {"staff_password": "another", "staff_password_hash": HASH},
    ],
    ids=["a password", "a hash", "a hash before a password"],
)
async def test_settings_override_the_stored_password(settings_with, secrets):
    passwords.replace("stored")
    settings_with(**secrets)
    assert passwords.is_set_by_settings()
    assert await passwords.is_right(PASSWORD)
    assert not await passwords.is_right("stored")


async def test_a_plain_password_is_hashed_once(settings_with):
    settings_with(staff_password=PASSWORD)
    assert passwords.stored_hash() is passwords.stored_hash()
    assert PASSWORD not in passwords.stored_hash()


@pytest.mark.parametrize("stored", ["", "no hash"])
@pytest.mark.parametrize("typed", ["", "no hash", "admin"])
async def test_without_a_password_every_attempt_fails(stored, typed):
    if stored:
        passwords.FILE.parent.mkdir()
        passwords.FILE.write_text(stored)
    assert not passwords.is_set_by_settings()
    assert not await passwords.is_right(typed)


def test_the_stored_hash_has_mode_600():
    passwords.create("first")
    assert passwords.FILE.stat().st_mode & 0o777 == 0o600
    passwords.replace("second")
    assert passwords.FILE.stat().st_mode & 0o777 == 0o600
    assert list(passwords.FILE.parent.iterdir()) == [passwords.FILE]


async def test_of_many_simultaneous_starts_one_makes_the_password():
    chosen = [f"password {number}" for number in range(8)]
    with ThreadPoolExecutor(8) as starters:
        made = list(starters.map(passwords.create, chosen))
    assert made.count(True) == 1
    assert await passwords.is_right(chosen[made.index(True)])
    assert list(passwords.FILE.parent.iterdir()) == [passwords.FILE]


def test_an_unknown_emails_hash_is_as_slow_as_a_persons():
    assert not passwords.HASHER.check_needs_rehash(passwords._UNKNOWNS)
