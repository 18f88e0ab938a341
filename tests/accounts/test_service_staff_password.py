"""Choosing the staff's password."""

import pytest

from fuel_app.accounts import providers as passwords
from fuel_app.accounts import service as staff
from fuel_app.accounts import service as staff_password
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.signals import STAFF, signals
from tests.staff import HASH, HERE, a_token


async def test_the_first_start_makes_a_password_and_shows_it_once():
    password = staff_password.prepare()
    assert password
    assert await passwords.is_right(password)
    assert password not in passwords.FILE.read_text()
    assert staff_password.prepare() is None
    assert await passwords.is_right(password)


def test_no_password_is_made_where_the_settings_have_one(password):
    assert staff_password.prepare() is None
    assert not passwords.FILE.exists()


def test_of_two_simultaneous_starts_one_shows_a_password(monkeypatch):
    passwords.create("the first")
    monkeypatch.setattr(passwords, "stored_hash", lambda: "")
    assert staff_password.prepare() is None


async def test_a_new_password_ends_the_sessions_of_the_old_one(database):
    passwords.replace("pump & circumstance ⛽")
    token = await a_token()
    async with signals().listening(STAFF) as changes:
        assert await staff_password.change("a new one") == 1
        assert await changes.next(0) == {STAFF}
    assert await staff.find_by_token(token) is None
    await staff.sign_in("a new one", address=HERE)


async def test_a_password_of_the_settings_cannot_be_changed(password):
    with pytest.raises(InvalidForm) as refusal:
        await staff_password.change("a new one")
    assert "FUEL_STAFF_PASSWORD" in refusal.value.messages["password"]
    assert passwords.stored_hash() == HASH


@pytest.mark.parametrize("password", ["", "x" * 201])
async def test_an_empty_or_too_long_password_is_refused(password):
    with pytest.raises(InvalidForm):
        await staff_password.change(password)
    assert passwords.stored_hash() == ""
