"""The hours of an area in an admin's tab, with the question about bookings."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.areas.rules.hours import ALL_DAY, Hours
from fuel_app.areas.service import hours as area_hours
from fuel_app.bookings.service import changes
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.kit.money import Money
from fuel_app.launch.service import areas as area_changes
from fuel_app.launch.state.areas import DAY, HOURS_FORM, QUESTION, WINDOW, HoursState
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import (
    NOW,
    TODAY,
    a_customer,
    an_area,
    at,
    booked,
    booked_by_guest,
    slot,
    stored,
)

pytestmark = pytest.mark.usefixtures("sqlite_database")

SCREEN = "/settings/areas"
TOMORROW = (TODAY + timedelta(days=1)).isoformat()  # a Tuesday
LUNCH = {"weekdays": ["0", "6"], "opens": "12", "closes": "14", "capacity": "1"}
CLOSED = {"day": TOMORROW, "window": "", "capacity": "0", "reason": "Storm"}


@pytest.fixture(autouse=True)
def _monday_morning(monkeypatch):
    at(monkeypatch, NOW)


@pytest.fixture
async def area_id() -> str:
    return await an_area()


@pytest.fixture
async def admin(area_id) -> AdminTab:
    tab = await AdminTab.at(SCREEN)
    await tab.fire(HoursState.show, area_id)
    return tab


async def shown(tab: AdminTab) -> HoursState:
    return await tab.screen(HoursState)


async def windows(tab: AdminTab, weekday: int) -> list[tuple[int, str]]:
    return [(each.opens, each.capacity) for each in (await shown(tab)).week[weekday]]


async def add(tab: AdminTab, form: Any, begin: Any = HoursState.begin_day) -> HoursState:
    await tab.fire(begin, *((0, -1) if begin is HoursState.begin_window else ()))
    await tab.fire(HoursState.submit, form)
    return await shown(tab)


async def states() -> list[str]:
    return sorted(each.state for each in await stored())


async def test_an_area_shows_its_week(admin):
    screen = await shown(admin)
    assert (screen.area, screen.days, screen.error) == ("Sarasota", [], "")
    assert await windows(admin, 0) == [(8, "6 fills"), (10, "6 fills"), (14, "6 fills")]
    assert await windows(admin, 6) == []
    assert await admin.fire(HoursState.show, screen.area_id) == [HOURS_FORM]


async def test_a_window_is_added_changed_and_deleted(admin):
    screen = await add(admin, LUNCH, HoursState.begin_window)
    assert (screen.dialog, screen.busy) == ("", False)
    assert await admin.said() == ["Hours of Sarasota changed"]
    assert await windows(admin, 6) == [(12, "1 fill")]
    await admin.fire(HoursState.begin_window, 6, 12)
    assert (screen.title, screen.ticked) == ("Sunday, 12–2 PM", ["6"])  # noqa: RUF001
    assert [screen.values[each] for each in ("opens", "closes", "capacity")] == ["12", "14", "1"]
    await admin.fire(HoursState.submit, LUNCH | {"weekdays": "6", "opens": "13"})
    assert await windows(admin, 6) == [(13, "1 fill")]
    assert (12, "1 fill") in await windows(admin, 0)
    await admin.fire(HoursState.begin_window, 6, 13)
    await admin.fire(HoursState.remove_window)
    assert await windows(admin, 6) == []


async def test_wrong_fields_are_named_and_checked_again_while_they_change(admin):
    await admin.fire(HoursState.begin_window, 0, -1)
    overlapping = LUNCH | {"opens": "9"}
    assert await admin.fire(HoursState.submit, overlapping) == ["hours_opens"]
    screen = await shown(admin)
    assert screen.errors["opens"] == "Overlaps 8–10 AM on Monday"  # noqa: RUF001
    await admin.fire(HoursState.edit, overlapping)
    assert screen.errors["opens"] != ""
    await admin.fire(HoursState.edit, LUNCH | {"capacity": ""})
    assert [name for name, error in screen.errors.items() if error] == ["capacity"]
    assert (screen.dialog, screen.busy) == (WINDOW, False)


async def test_a_day_is_closed_and_opened_again(admin):
    screen = await add(admin, CLOSED)
    assert [(d.text, d.window, d.capacity, d.reason) for d in screen.days] == [
        ("Tuesday, Nov 24, 2026", "All", "Closed", "Storm")
    ]
    await add(admin, CLOSED | {"window": "8", "capacity": "3", "reason": ""})
    assert [(d.window, d.capacity) for d in screen.days][1:] == [("8–10 AM", "3 fills")]  # noqa: RUF001
    assert [each.opens for each in screen.windows] == [8, 10, 14]
    await admin.fire(HoursState.begin_window, 1, 8)
    await admin.fire(HoursState.remove_window)
    assert screen.days[1].window == "No window any more"
    await admin.fire(HoursState.remove_day, TOMORROW, ALL_DAY)
    assert [each.opens for each in screen.days] == [8]


async def test_a_closure_with_bookings_asks_and_keeps_them(admin, area_id):
    customer = await a_customer()
    await booked(customer, slot(area_id))
    await booked_by_guest(slot(area_id, opens=10))
    screen = await add(admin, CLOSED)
    assert (screen.dialog, screen.title) == (QUESTION, "2 booked in what closes")
    assert screen.values["reason"] == "Storm"
    assert [(each.name, each.car, each.link) for each in screen.booked] == [
        (
            "Ada Lovelace",
            "2020 Toyota Camry",
            f"{routes.CUSTOMER_DASHBOARD}?customer={customer.id}&tab=bookings",
        ),
        ("Gus Guest (guest)", "2020 Toyota Camry", ""),
    ]
    assert screen.booked[0].when == "Tuesday, November 24, 2026, 8–10 AM"  # noqa: RUF001
    await admin.fire(HoursState.keep)
    assert (screen.dialog, len(screen.days), await states()) == ("", 1, ["booked", "booked"])


async def test_cancelling_needs_a_reason_and_says_how_many(admin, area_id):
    await booked(await a_customer(), slot(area_id))
    await admin.fire(HoursState.begin_window, 1, 8)
    await admin.fire(HoursState.remove_window)
    screen = await shown(admin)
    assert (screen.title, screen.values["reason"]) == ("1 booked in what closes", "")
    assert await admin.fire(HoursState.submit, {"reason": " "}) == ["hours_reason"]
    assert screen.errors["reason"] == "Reason is required"
    await admin.fire(HoursState.edit, {"reason": "Fewer trucks"})
    assert screen.errors["reason"] == ""
    await admin.fire(HoursState.submit, {"reason": "Fewer trucks"})
    assert await admin.said() == ["Hours of Sarasota changed, 1 cancelled"]
    assert await states() == ["cancelled"]


async def test_going_back_changes_nothing(admin, area_id):
    await booked(await a_customer(), slot(area_id))
    screen = await add(admin, CLOSED)
    await admin.fire(HoursState.close, False)
    for event in (HoursState.keep, HoursState.remove_window):
        await admin.fire(event)
    await admin.fire(HoursState.submit, {"reason": "Storm"})
    assert (screen.dialog, screen.days, await states()) == ("", [], ["booked"])


async def test_less_room_than_booked_is_said_before_it_is_saved(admin, area_id):
    for number in range(2):
        await booked(await a_customer(number), slot(area_id))
    screen = await add(admin, CLOSED | {"window": "8", "capacity": "1"})
    assert (screen.title, screen.booked) == ("More booked than room", [])
    assert screen.over == ["Tuesday, November 24, 2026, 8–10 AM: 2 booked"]  # noqa: RUF001
    await admin.fire(HoursState.keep)
    assert [each.capacity for each in screen.days] == ["1 fill"]


async def test_bookings_that_change_meanwhile_are_shown_anew(admin, area_id):
    customer = await a_customer()
    booking = await booked(customer, slot(area_id))
    screen = await add(admin, CLOSED)
    await changes.cancel(customer.actor, booking.id, booking.revision, seen_fee=Money(0))
    await admin.fire(HoursState.submit, {"reason": "Storm"})
    assert "The bookings have changed meanwhile" in screen.error
    assert (screen.dialog, screen.booked) == (QUESTION, [])
    await admin.fire(HoursState.keep)
    assert (screen.dialog, len(screen.days)) == ("", 1)


async def test_hours_that_somebody_else_changed_meanwhile_are_not_overwritten(admin, area_id):
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(HoursState.show, area_id)
    await admin.fire(HoursState.begin_day)
    await add(other, LUNCH, HoursState.begin_window)
    await admin.fire(HoursState.submit, CLOSED)
    screen = await shown(admin)
    assert "Somebody else has changed this area" in screen.error
    assert (screen.dialog, (12, "1 fill") in await windows(admin, 0)) == (DAY, True)
    await admin.fire(HoursState.submit, CLOSED)  # now with both before one's eyes
    assert (screen.dialog, screen.error, len(screen.days)) == ("", "", 1)


async def test_an_answer_to_older_hours_is_void(admin, area_id):
    await booked(await a_customer(), slot(area_id))
    screen = await add(admin, CLOSED)
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(HoursState.show, area_id)
    await add(other, LUNCH, HoursState.begin_window)
    await admin.fire(HoursState.keep)
    assert "Somebody else has changed this area" in screen.error
    assert (screen.dialog, screen.days) == ("", [])


async def test_a_failure_is_said_and_the_dialog_stays(admin, monkeypatch):
    await admin.fire(HoursState.begin_day)
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
        await admin.fire(HoursState.submit, CLOSED)
    screen = await shown(admin)
    assert (screen.error, screen.dialog, screen.busy) == (FAILED, DAY, False)

    async def fails(*_: object, **__: object) -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr(area_hours, "read", fails)
    await admin.fire(HoursState.show, screen.area_id)
    assert screen.error == "The hours cannot be read just now."


@pytest.mark.parametrize("nonsense", [None, 7, [], "nonsense"])
async def test_nonsense_shows_and_changes_nothing(admin, area_id, nonsense):
    for begin in (HoursState.begin_window, HoursState.remove_day):
        await admin.fire(begin, nonsense, nonsense)
    await admin.fire(HoursState.submit, nonsense)
    await admin.fire(HoursState.edit, nonsense)
    await admin.fire(HoursState.close, nonsense)
    await admin.fire(HoursState.show, nonsense)
    screen = await shown(admin)
    assert (screen.area, screen.area_id) == ("", "")
    for event in (HoursState.begin_day, HoursState.keep, HoursState.remove_window):
        await admin.fire(event)
    await admin.fire(HoursState.submit, CLOSED)
    assert (
        screen.dialog,
        (await area_hours.read(area_id, actor=admin.actor)).hours.exceptions,
    ) == ("", ())


@pytest.mark.parametrize("role", [Role.DISPATCHER, Role.TECHNICIAN, Role.CUSTOMER])
async def test_others_see_and_change_nothing(area_id, role, monkeypatch):
    async def changed(*_: object, **__: object) -> int:
        raise AssertionError

    monkeypatch.setattr(area_changes, "change_hours", changed)
    other = await AdminTab.at(SCREEN, role)
    await other.fire(HoursState.show, area_id)
    screen = await add(other, CLOSED)
    assert (screen.area_id, screen.week, screen._stored) == ("", [[]] * 7, Hours())
