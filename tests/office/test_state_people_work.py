"""Before a technician leaves the team, the dialog names the shifts that nobody would drive."""

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.people import DEACTIVATE, MemberState, PeopleState
from fuel_app.office.pages import settings_people
from fuel_app.office.state.settings import TechnicianRoutesState
from tests.helpers.admins import AdminTab
from tests.helpers.board import STRANGE
from tests.helpers.bookings import NOW, TODAY, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, on_route
from tests.helpers.stored_bookings import a_booking

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def test_shifts_of_the_member_are_named_in_words():
    dana, area = await a_technician(), await an_area()
    await a_shift(await a_truck(name="Heron"), dana, day=TODAY)
    tomorrow = await a_shift(await a_truck(name="Ibis"), dana)
    bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 10)]
    await on_route(tomorrow, *bookings, published=True)
    tab = await AdminTab.at(routes.SETTINGS_PEOPLE)
    await tab.fire(PeopleState.load)
    await tab.fire(TechnicianRoutesState.show, dana.person_id)
    await tab.fire(MemberState.open, DEACTIVATE, dana.person_id)
    shown = await tab.screen(TechnicianRoutesState)
    hours = "7:00 AM to 7:00 PM"
    assert shown.shifts_ahead == [
        f"Monday, November 23: Heron, {hours}, not published, no stop to do",
        f"Tuesday, November 24: Ibis, {hours}, published, 2 stops to do",
    ]
    await tab.fire(TechnicianRoutesState.show, tab.actor.person_id)
    assert shown.shifts_ahead == []


@pytest.mark.parametrize("strange", STRANGE)
async def test_strange_member_has_no_shifts(strange):
    tab = await AdminTab.at(routes.SETTINGS_PEOPLE)
    await tab.fire(TechnicianRoutesState.show, strange)
    assert (await tab.screen(TechnicianRoutesState)).shifts_ahead == []


async def test_dispatcher_does_not_see_the_shifts_of_a_member():
    dana = await a_technician()
    await a_shift(await a_truck(), dana)
    tab = await AdminTab.at(routes.SETTINGS_PEOPLE, Role.DISPATCHER)
    await tab.fire(TechnicianRoutesState.show, dana.person_id)
    assert (await tab.screen(TechnicianRoutesState)).shifts_ahead == []


def test_dialog_reads_the_shifts_before_it_opens():
    shown = str(settings_people())
    assert "Shifts of theirs that are not over:" in shown
    assert shown.index("technician_routes_state.show") < shown.index("member_state.open")
