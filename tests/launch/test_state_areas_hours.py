"""The hours of an area in an admin's tab, with the question about bookings."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.areas.rules.hours import ALL_DAY, WINDOWS_MAX, Hours, fills_field
from fuel_app.areas.service import hours as area_hours
from fuel_app.bookings.service import changes
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.kit.money import Money
from fuel_app.launch.service import areas as area_changes
from fuel_app.launch.state.hours import DAY, HOURS_FORM, QUESTION, HoursState, WeekState
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
LUNCH = {"opens-3": "12", "closes-3": "14", fills_field(3, 0): "1", fills_field(3, 6): "1"}
KEPT = {"how": "keep"}
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


async def table(tab: AdminTab) -> WeekState:
    return await tab.screen(WeekState)


async def windows(tab: AdminTab, weekday: int) -> dict[str, str]:
    """Return the fills of the windows that a weekday has."""
    row = (await table(tab)).rows[weekday]
    return {each.window: each.value for each in row.cells if each.value}


async def as_shown(tab: AdminTab) -> dict[str, str]:
    """Return the table's fields as they begin."""
    week = await table(tab)
    fields = {each.name: each.value for row in week.rows for each in row.cells}
    for each in week.columns:
        fields |= {f"opens-{each.id}": each.opens, f"closes-{each.id}": each.closes}
    return fields


async def save(tab: AdminTab, **differs: str) -> WeekState:
    await tab.fire(WeekState.submit, await as_shown(tab) | differs)
    return await table(tab)


async def save_lunch(tab: AdminTab) -> WeekState:
    await tab.fire(WeekState.add_window)
    return await save(tab, **LUNCH)


async def add(tab: AdminTab, form: Any) -> HoursState:
    await tab.fire(HoursState.begin_day)
    await tab.fire(HoursState.submit, form)
    return await shown(tab)


async def states() -> list[str]:
    return sorted(each.state for each in await stored())


EIGHT, TEN, NOON, TWO = (
    *("8–10 AM", "10 AM–12 PM", "12–2 PM", "2–4 PM"),  # noqa: RUF001
)


async def test_an_area_shows_its_week_with_what_is_booked(admin, area_id):
    screen = await shown(admin)
    assert (screen.area, screen.days, screen.error) == ("Sarasota", [], "")
    assert await windows(admin, 0) == {EIGHT: "6", TEN: "6", TWO: "6"}
    assert await windows(admin, 6) == {}
    await booked(await a_customer(), slot(area_id))
    await booked(await a_customer(2), slot(area_id, day=8))  # a week later
    assert await admin.fire(HoursState.show, screen.area_id) == [HOURS_FORM]
    week = await table(admin)
    assert [(row.name, row.coming) for row in week.rows[:2]] == [
        ("Monday", "Nov 23"),
        ("Tuesday", "Nov 24"),
    ]
    cells = week.rows[1].cells
    assert [(each.booked, each.note, each.is_full) for each in cells] == [
        ("1 of 6", "", False),
        *[("0 of 6", "", False)] * 2,
    ]
    assert cells[0].label == f"Tuesday, {EIGHT}"
    assert [each.booked for each in week.rows[6].cells] == [""] * 3
    await add(admin, CLOSED | {"window": "8", "capacity": "1", "reason": ""})
    await add(admin, CLOSED | {"window": "10"})
    cells = (await table(admin)).rows[1].cells
    assert [(each.booked, each.note, each.is_full) for each in cells[:2]] == [
        ("1 of 1", "1 on Nov 24", True),
        ("", "Closed Nov 24: Storm", False),
    ]
    assert [(each.window, each.booked) for each in screen.days] == [(EIGHT, "1"), (TEN, "0")]


async def test_an_address_names_the_area_whose_hours_are_shown(area_id):
    for address, name in ((f"{SCREEN}?hours={area_id}", "Sarasota"), (SCREEN, "")):
        tab = await AdminTab.at(address, email=f"a{len(name)}@example.com")
        await tab.fire(HoursState.arrive)
        assert (await shown(tab)).area == name


async def test_a_window_is_added_changed_and_deleted(admin):
    week = await save_lunch(admin)
    assert (week.busy, week.error, week.is_changed) == (False, "", False)
    assert await admin.said() == ["Hours of Sarasota changed"]
    assert await windows(admin, 6) == {NOON: "1"}
    assert [each.text for each in week.columns] == [EIGHT, TEN, NOON, TWO]
    await save(admin, **{"opens-2": "13", fills_field(2, 0): ""})
    assert await windows(admin, 6) == {"1–2 PM": "1"}  # noqa: RUF001
    assert NOON not in await windows(admin, 0)
    await admin.fire(WeekState.remove_window, 2)
    assert (await table(admin)).is_changed
    await save(admin)
    assert await windows(admin, 6) == {}


async def test_a_table_as_it_was_changes_nothing(admin):
    await save(admin)
    assert await admin.said() == ["Nothing to change"]


async def test_windows_are_named_as_they_are_typed(admin):
    await admin.fire(WeekState.add_window)
    week, fields = await table(admin), await as_shown(admin)
    assert week.rows[0].cells[3].window == "New window"
    await admin.fire(WeekState.edit, fields | {"opens-3": "24", "closes-3": "14"})
    assert week.rows[0].cells[3].window == "New window"
    await admin.fire(WeekState.edit, fields | LUNCH)
    assert week.rows[0].cells[3].label == f"Monday, {NOON}"
    assert week.is_changed
    await admin.fire(WeekState.discard)
    assert (len(week.columns), week.is_changed) == (3, False)
    await admin.fire(WeekState.edit, await as_shown(admin))
    assert not week.is_changed
    for _ in range(WINDOWS_MAX):
        await admin.fire(WeekState.add_window)
    assert len(week.columns) == WINDOWS_MAX


async def test_typed_windows_keep_their_names_while_another_is_added_or_deleted(admin):
    week, fields = await table(admin), await as_shown(admin)
    await admin.fire(WeekState.edit, fields | {"opens-0": "9"})
    await admin.fire(WeekState.add_window)
    assert week.rows[0].cells[0].window == "9–10 AM"  # noqa: RUF001
    await admin.fire(WeekState.remove_window, 3)
    assert week.rows[0].cells[0].window == "9–10 AM"  # noqa: RUF001


async def test_bookings_stand_in_the_window_of_their_day_that_opens_then(admin, area_id):
    longer = {fills_field(0, 1): "", "opens-3": "8", "closes-3": "12", fills_field(3, 1): "4"}
    await admin.fire(WeekState.add_window)
    await save(admin, **longer, **{fills_field(1, 1): ""})
    await booked(await a_customer(), slot(area_id))
    await (await shown(admin))._refresh()
    cells = (await table(admin)).rows[1].cells
    found = {each.window: each.booked for each in cells if each.booked}
    assert found == {"8 AM–12 PM": "1 of 4", TWO: "0 of 6"}  # noqa: RUF001


async def test_wrong_fields_are_named_and_checked_again_while_they_change(admin):
    await admin.fire(WeekState.add_window)
    overlapping = LUNCH | {"opens-3": "9"}
    fields = await as_shown(admin) | overlapping
    await admin.fire(WeekState.submit, fields)
    week = await table(admin)
    assert week.first_wrong == "week-fills-3-0"
    assert week.errors == {fills_field(3, 0): f"Overlaps {TEN}"}
    assert week.error == "Nothing was saved. 1 field to correct."
    await admin.fire(WeekState.edit, fields)
    assert week.errors != {}
    await admin.fire(WeekState.edit, fields | LUNCH | {fills_field(3, 6): "none"})
    assert list(week.errors) == [fills_field(3, 6)]
    await admin.fire(WeekState.edit, fields | LUNCH)
    assert (week.errors, week.busy, len(week.columns)) == ({}, False, 4)


async def test_what_is_typed_outlives_what_is_booked_meanwhile(admin, area_id):
    week = await table(admin)
    fields = await as_shown(admin) | {fills_field(0, 1): "9"}
    await admin.fire(WeekState.edit, fields)
    edition = week.edition
    await booked(await a_customer(), slot(area_id))
    await (await shown(admin))._refresh()
    assert (week.rows[1].cells[0].booked, week.edition, week.is_changed) == (
        *("1 of 6", edition, True),
    )
    await add(admin, CLOSED | {"window": "10"})  # a day that differs is saved beside it
    assert (week.edition, week.is_changed) == (edition, True)
    await admin.fire(WeekState.submit, fields)
    assert (week.error, await windows(admin, 1)) == ("", {EIGHT: "9", TEN: "6", TWO: "6"})


async def test_the_second_press_of_save_finds_other_fields(admin):
    fields = await as_shown(admin) | {"agreed": str((await table(admin)).edition)}
    await admin.fire(WeekState.submit, fields | {fills_field(0, 1): "9"})
    await admin.fire(WeekState.submit, fields | {fills_field(0, 1): "8"})
    await admin.fire(WeekState.edit, fields | {fills_field(0, 1): "7"})
    assert not (await table(admin)).is_changed
    assert (await windows(admin, 1))[EIGHT] == "9"


async def test_a_day_is_closed_and_opened_again(admin):
    screen = await add(admin, CLOSED)
    assert [(d.text, d.window, d.capacity, d.reason) for d in screen.days] == [
        ("Tuesday, Nov 24, 2026", "All", "Closed", "Storm")
    ]
    await add(admin, CLOSED | {"capacity": "4", "reason": ""})
    assert screen.days[0].capacity == "4 fills in each window"
    await add(admin, CLOSED | {"window": "8", "capacity": "3", "reason": ""})
    assert [(d.window, d.capacity) for d in screen.days][1:] == [(EIGHT, "3 fills")]
    assert [each.opens for each in screen.windows] == [8, 10, 14]
    await save(admin, **{fills_field(0, 1): ""})
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
    assert (screen.how, screen.button, screen.is_offered) == ("keep", "Keep 2 bookings", True)
    await admin.fire(HoursState.submit, KEPT)
    assert (screen.dialog, len(screen.days), await states()) == ("", 1, ["booked", "booked"])


async def test_other_times_are_offered_to_so_many_customers(admin, area_id):
    customer = await a_customer()
    for opens in (8, 10):
        await booked(customer, slot(area_id, opens=opens))
    screen = await add(admin, CLOSED)
    await admin.fire(HoursState.edit, {"how": "offer", "reason": "Storm"})
    assert screen.button == "Offer other times, tell 1 customer"
    await admin.fire(HoursState.edit, {"how": "nonsense"})
    assert screen.button == "Keep 2 bookings"
    await admin.fire(HoursState.submit, {"how": "offer", "reason": "Storm"})
    assert await admin.said() == ["Hours of Sarasota changed, other times offered for 2 bookings"]
    assert await states() == ["weather_hold", "weather_hold"]


async def test_cancelling_needs_a_reason_and_says_how_many(admin, area_id):
    await booked(await a_customer(), slot(area_id))
    await save(admin, **{fills_field(0, 1): ""})
    screen = await shown(admin)
    assert (screen.title, screen.values["reason"]) == ("1 booked in what closes", "")
    cancel = {"how": "cancel"}
    assert await admin.fire(HoursState.submit, cancel | {"reason": " "}) == ["hours_reason"]
    assert screen.errors["reason"] == "Reason is required"
    assert screen.button == "Cancel 1 booking, tell 1 customer"
    await admin.fire(HoursState.edit, cancel | {"reason": "Fewer trucks"})
    assert screen.errors["reason"] == ""
    await admin.fire(HoursState.submit, cancel | {"reason": "Fewer trucks"})
    assert await admin.said() == ["Hours of Sarasota changed, 1 cancelled"]
    assert await states() == ["cancelled"]


async def test_going_back_changes_nothing(admin, area_id):
    await booked(await a_customer(), slot(area_id))
    screen = await add(admin, CLOSED)
    await admin.fire(HoursState.close, False)
    await admin.fire(HoursState.submit, {"how": "cancel", "reason": "Storm"})
    await admin.fire(HoursState.edit, {"how": "cancel"})
    assert (screen.dialog, screen.days, await states()) == ("", [], ["booked"])


async def test_less_room_than_booked_is_said_before_it_is_saved(admin, area_id):
    for number in range(2):
        await booked(await a_customer(number), slot(area_id))
    screen = await add(admin, CLOSED | {"window": "8", "capacity": "1"})
    assert (screen.title, screen.booked) == ("More booked than room", [])
    assert screen.button == "Save"
    assert screen.over == ["Tuesday, November 24, 2026, 8–10 AM: 2 booked"]  # noqa: RUF001
    await admin.fire(HoursState.submit, KEPT)
    assert [each.capacity for each in screen.days] == ["1 fill"]


async def test_bookings_that_change_meanwhile_are_shown_anew(admin, area_id):
    customer = await a_customer()
    booking = await booked(customer, slot(area_id))
    screen = await add(admin, CLOSED)
    await changes.cancel(customer.actor, booking.id, booking.revision, seen_fee=Money(0))
    await admin.fire(HoursState.submit, {"how": "cancel", "reason": "Storm"})
    assert "The bookings have changed meanwhile" in screen.error
    assert (screen.dialog, screen.booked) == (QUESTION, [])
    await admin.fire(HoursState.submit, KEPT)
    assert (screen.dialog, len(screen.days)) == ("", 1)


async def test_hours_that_somebody_else_changed_meanwhile_are_not_overwritten(admin, area_id):
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(HoursState.show, area_id)
    await admin.fire(HoursState.begin_day)
    await save_lunch(other)
    await admin.fire(HoursState.submit, CLOSED)
    screen = await shown(admin)
    assert "Somebody else has changed this area" in screen.error
    assert (screen.dialog, NOON in await windows(admin, 0)) == (DAY, True)
    await admin.fire(HoursState.submit, CLOSED)  # now with both before one's eyes
    assert (screen.dialog, screen.error, len(screen.days)) == ("", "", 1)


async def test_a_week_that_somebody_else_changed_meanwhile_is_shown_as_it_is(admin, area_id):
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(HoursState.show, area_id)
    fields = await as_shown(admin) | {fills_field(0, 1): "9"}
    await admin.fire(WeekState.edit, fields)
    await save_lunch(other)
    await admin.fire(WeekState.submit, fields)
    week = await table(admin)
    assert "Somebody else has changed this area" in week.error
    assert (week.is_changed, (await windows(admin, 1))[EIGHT]) == (False, "6")
    assert NOON in await windows(admin, 0)
    await save(other, **{fills_field(2, 0): "2"})
    await (await shown(admin))._refresh()
    assert (await windows(admin, 0))[NOON] == "2"


async def test_an_answer_to_older_hours_is_void(admin, area_id):
    await booked(await a_customer(), slot(area_id))
    screen = await add(admin, CLOSED)
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(HoursState.show, area_id)
    await save_lunch(other)
    await admin.fire(HoursState.submit, KEPT)
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

    monkeypatch.setattr(area_changes, "read_hours", fails)
    await admin.fire(HoursState.show, screen.area_id)
    assert screen.error == "The hours cannot be read just now."


@pytest.mark.parametrize("nonsense", [None, 7, [], "nonsense"])
async def test_nonsense_shows_and_changes_nothing(admin, area_id, nonsense):
    await admin.fire(HoursState.remove_day, nonsense, nonsense)
    for event in (WeekState.edit, WeekState.submit, WeekState.remove_window, HoursState.submit):
        await admin.fire(event, nonsense)
    await admin.fire(WeekState.discard)
    await admin.fire(HoursState.edit, nonsense)
    await admin.fire(HoursState.close, nonsense)
    await admin.fire(HoursState.show, nonsense)
    screen = await shown(admin)
    assert (screen.area, screen.area_id) == ("", "")
    for event in (HoursState.begin_day, WeekState.add_window, WeekState.discard):
        await admin.fire(event)
    for event in (WeekState.edit, WeekState.submit):
        await admin.fire(event, LUNCH)
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
    await other.fire(WeekState.submit, LUNCH)
    assert (screen.area_id, (await table(other)).rows, screen._stored) == ("", [], Hours())
