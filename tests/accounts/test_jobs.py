"""Deleting what has expired, and the names of actors."""

from datetime import timedelta

from fuel_app.accounts.jobs import delete_expired
from fuel_app.accounts.queries import challenges
from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.tables import Challenge, StoredSession
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, cookie_for


async def test_expired_sessions_and_challenges_are_deleted_and_open_ones_stay(database):
    person_id = await a_person()
    await cookie_for(person_id)
    async with transaction() as session:
        await challenges.issue(session, Purpose.RESET, clock.now(), data={"email": "a@b.example"})
    assert await delete_expired(clock.now()) == 0
    assert await delete_expired(clock.now() + timedelta(days=40)) == 2
    assert (await rows(StoredSession), await rows(Challenge)) == ([], [])
