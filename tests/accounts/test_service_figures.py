"""A technician's session lasts as long as a figure says; no other session asks for it."""

from datetime import timedelta

from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import TECHNICIAN_SESSION_DAYS
from fuel_app.kit import clock, policies
from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import transaction
from tests.helpers.people import a_person

DAY = timedelta(days=1)


async def days_kept(*roles: Role) -> float:
    """Open a session for these roles. Return how long it is kept."""
    person = await a_person(*roles, email=f"{'.'.join(roles)}@example.com")
    async with transaction() as session:
        opened = await sessions.start(session, person_id=person.id, second_factor=True)
    await sessions.redeem_ticket(opened.ticket)
    found = await sessions.find(opened.session_id)
    assert found
    return (found.expires_at - found.last_seen_at) / DAY


async def set_days(days: int) -> None:
    async with transaction() as session:
        action, name = Action("figure", "change", "somebody"), TECHNICIAN_SESSION_DAYS.name
        await policies.change(session, action, {name: 7}, {name: days})


async def test_a_technicians_session_lasts_as_long_as_the_figure_says(database):
    assert await days_kept(Role.TECHNICIAN) == 7
    await set_days(2)
    assert await days_kept(Role.TECHNICIAN, Role.CUSTOMER) == 2
    assert await days_kept(Role.TECHNICIAN, Role.DISPATCHER) == 0.5
    assert await days_kept(Role.CUSTOMER) == 30


async def test_a_renewal_uses_the_figure_of_that_moment(sqlite_database, monkeypatch):
    person = await a_person(Role.TECHNICIAN)
    async with transaction() as session:
        opened = await sessions.start(session, person_id=person.id)
    await sessions.redeem_ticket(opened.ticket)
    await set_days(2)
    later = clock.now() + timedelta(hours=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    found = await sessions.find(opened.session_id)
    assert found
    assert found.expires_at == later + timedelta(days=2)
