"""Data of one person that accounts hold."""

import pytest

from fuel_app.accounts.service.account import export
from fuel_app.kit.db.session import reading
from tests.helpers.people import a_person

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def test_nothing_is_held_about_somebody_unknown():
    await a_person()
    async with reading() as session:
        assert await export(session, "somebody") == {}


async def test_the_data_are_the_persons_own_without_secrets():
    person = await a_person()
    await a_person(email="grace@example.com", first_name="Grace")
    async with reading() as session:
        held = await export(session, person.id)
    assert (held["person"]["email"], held["person"]["roles"]) == (person.email, ["customer"])
    assert "grace" not in repr(held).lower()
    assert str(person.password_hash) not in repr(held)
