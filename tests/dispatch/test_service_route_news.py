"""Notifications to technicians whose published route is another one by now."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.tables import Person
from fuel_app.dispatch.rules.route_changes import describe_news
from fuel_app.dispatch.rules.trucks import ShiftForm
from fuel_app.dispatch.service import day_plan, publication, route_news, truck_routes, trucks
from fuel_app.dispatch.tables import StoredShift
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.messages import service as messages
from fuel_app.messages.rules import push
from tests.helpers import outbox
from tests.helpers.bookings import NOW, STAFF, TODAY, at
from tests.helpers.dispatch import (
    TOMORROW,
    a_day,
    a_shift,
    a_technician,
    a_truck,
    change_stop,
    revisions,
    route,
    undo,
)
from tests.helpers.outbox import run_worker
from tests.helpers.push_service import KEY, PushBrowser, PushService, push_service
from tests.helpers.signed_in import session_of

pytestmark = pytest.mark.usefixtures("database", "_clock")
DAY = "Your route for tomorrow, Tuesday, November 24"


@pytest.fixture
def service(configure) -> Iterator[PushService]:
    with push_service() as running:
        configure(push, vapid_private_key=KEY, push_test_service=running.address)
        yield running


class Phone:
    """A technician's phone with notifications turned on."""

    def __init__(self, service: PushService, person_id: str) -> None:
        self.service, self.person_id = service, person_id
        self.browser = PushBrowser()

    async def turn_on(self) -> None:
        session = await session_of(self.person_id)
        endpoint = f"{self.service.address}/{self.person_id}"
        await messages.add_device(session.actor, self.browser.subscription(endpoint), "")

    @property
    def said(self) -> list[str]:
        """Return what it has shown."""
        mine = [body for path, _, body in self.service.pushes if path == f"/{self.person_id}"]
        return [self.browser.read(body)["body"] for body in mine]


async def a_phone(service: PushService, shift: StoredShift) -> Phone:
    phone = Phone(service, shift.technician_id or "")
    await phone.turn_on()
    return phone


async def queued() -> list[Any]:
    return [row for row in await outbox.stored() if row.kind == route_news.KIND]


async def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pause pass, and send."""
    at(monkeypatch, clock.now() + route_news.PAUSE)
    await run_worker()


async def two_trucks() -> tuple[StoredShift, StoredShift, list[str]]:
    """Store a published day of two trucks, with three stops on the first. Return their ids."""
    first, bookings = await a_day(1, 2, 3, published=True)
    second = await a_shift(await a_truck(), await a_technician(2))
    return first, second, [each.id for each in bookings]


async def test_technicians_are_told_once_of_what_has_moved_between_them(service, monkeypatch):
    first, second, [a, b, c] = await two_trucks()
    phones = [await a_phone(service, shift) for shift in (first, second)]
    for stop in (a, b):
        await truck_routes.move(STAFF, stop, second.id, 0, await revisions())
    waiting = await queued()
    assert {row.person_id for row in waiting} == {phone.person_id for phone in phones}
    assert [row.state for row in waiting] == ["queued", "queued"]
    await later(monkeypatch)
    assert phones[0].said == [f"{DAY} has changed: 2 taken off."]
    assert phones[1].said == [f"{DAY} is ready: 2 stops."]
    await truck_routes.move(STAFF, c, second.id, 0, await revisions())
    await later(monkeypatch)
    assert phones[0].said[1:] == [f"{DAY} has no stops any more."]
    assert phones[1].said[1:] == [f"{DAY} has changed: 1 new stop."]
    assert {row.state for row in await queued()} == {"sent"}
    [last] = [body for path, _, body in service.pushes[-2:] if path.endswith(phones[1].person_id)]
    assert phones[1].browser.read(last)["url"] == "/drive"


async def test_what_is_undone_within_the_pause_is_no_news(service, monkeypatch):
    first, _, [a, *_] = await two_trucks()
    phone = await a_phone(service, first)
    moved = await truck_routes.move(STAFF, a, first.id, 2, await revisions())
    await undo(moved.action_id)
    await later(monkeypatch)
    [row] = await queued()
    assert (row.state, row.error, phone.said) == ("skipped", route_news.NO_NEWS, [])
    await truck_routes.move(STAFF, a, first.id, 2, await revisions())
    await later(monkeypatch)
    assert phone.said == [f"{DAY} has changed: another order."]


async def test_a_stop_that_was_begun_or_done_is_no_news(service, monkeypatch):
    first, _, [a, b, *_] = await two_trucks()
    phone = await a_phone(service, first)
    await truck_routes.unassign(STAFF, b, await revisions())
    begun = (await route(first))[0]
    await change_stop(begun, driving_at=NOW)
    await later(monkeypatch)
    assert phone.said == [f"{DAY} has changed: 1 taken off."]
    assert begun.booking_id == a


async def test_pinning_and_a_day_that_is_not_published_tell_nobody(service):
    first, bookings = await a_day(1, 2)
    second = await a_shift(await a_truck(), await a_technician(2))
    await truck_routes.move(STAFF, bookings[0].id, second.id, 0, await revisions())
    assert await queued() == []
    await day_plan.publish(STAFF, TOMORROW, await revisions())
    assert len(await queued()) == 2
    await truck_routes.pin(STAFF, bookings[0].id, True, await revisions())
    assert len(await queued()) == 2
    assert first.technician_id != second.technician_id


async def test_a_published_and_an_unpublished_day_are_told(service, monkeypatch):
    shift, _ = await a_day(1, 2)
    phone = await a_phone(service, shift)
    await day_plan.publish(STAFF, TOMORROW, await revisions())
    await later(monkeypatch)
    assert phone.said == [f"{DAY} is ready: 2 stops."]
    action = await publication.unpublish(STAFF, TOMORROW, await revisions())
    await undo(action)
    await later(monkeypatch)
    assert len(phone.said) == 1
    await publication.unpublish(STAFF, TOMORROW, await revisions())
    await later(monkeypatch)
    assert phone.said[1:] == [f"{DAY} has no stops any more."]


async def test_who_changes_a_route_is_not_told_of_it(service):
    first, second, [a, *_] = await two_trucks()
    by = replace(STAFF, person_id=first.technician_id or "")
    await truck_routes.move(by, a, second.id, 0, await revisions())
    assert [row.person_id for row in await queued()] == [second.technician_id]


async def test_a_change_that_is_rolled_back_or_without_a_key_tells_nobody(service, configure):
    first, second, [a, b, _] = await two_trucks()
    async with transaction() as session:
        await route_news.notify_technicians(session, STAFF, [first], {first.id: [a]})
        await session.rollback()
    assert await queued() == []
    configure(push)
    await truck_routes.move(STAFF, a, second.id, 0, await revisions())
    assert await queued() == []
    assert b


async def test_two_days_are_one_message(service, monkeypatch):
    first, _, [a, *_] = await two_trucks()
    phone = await a_phone(service, first)
    technician = Actor(frozenset({Role.TECHNICIAN}), phone.person_id)
    today = await a_shift(await a_truck(), technician, TODAY)
    await truck_routes.unassign(STAFF, a, await revisions())
    async with transaction() as session:
        for known in ([], [a]):  # what was known first counts
            await route_news.notify_technicians(session, STAFF, [today], {today.id: known})
    [row] = await queued()
    assert row.good_until == first.ends_at
    assert row.payload["shifts"].keys() == {first.id, today.id}
    await later(monkeypatch)
    assert phone.said == [f"{DAY} has changed: 1 taken off."]


async def test_a_day_that_is_over_is_no_news(service):
    technician = await a_technician(3)
    shift = await a_shift(await a_truck(), technician, TODAY - timedelta(days=1))
    nobodys = await a_shift(await a_truck(), None, TODAY)
    async with transaction() as session:
        await route_news.notify_technicians(session, STAFF, [shift, nobodys], {})
    assert await queued() == []


async def test_a_technician_who_has_left_is_not_told(service, monkeypatch):
    first, _, [a, *_] = await two_trucks()
    await truck_routes.unassign(STAFF, a, await revisions())
    async with transaction() as session:
        this = update(Person).where(col(Person.id) == first.technician_id)
        await session.execute(this.values(deactivated_at=clock.now()))
    await later(monkeypatch)
    [row] = await queued()
    assert (row.state, row.error) == ("skipped", route_news.NO_TECHNICIAN)


async def test_another_technician_of_a_shift_and_one_that_is_removed_are_told(service, monkeypatch):
    first, _ = await a_day(1, 2, published=True)
    phone = await a_phone(service, first)
    other = Phone(service, (await a_technician(2)).person_id)
    await other.turn_on()
    who = {"truck": first.truck_id, "technician": other.person_id}
    form = ShiftForm.parse(who | {"starts": "7:00", "ends": "19:00"})
    await trucks.save_shift(STAFF, TOMORROW.isoformat(), first.id, first.revision, form)
    await later(monkeypatch)
    assert phone.said == [f"{DAY} has no stops any more."]
    assert other.said == [f"{DAY} is ready: 2 stops."]
    [revision] = (await revisions()).values()
    form = ShiftForm.parse(who | {"starts": "8:00", "ends": "19:00"})
    await trucks.save_shift(STAFF, TOMORROW.isoformat(), first.id, revision, form)
    await later(monkeypatch)
    assert len(other.said) == 1
    [revision] = (await revisions()).values()
    await trucks.remove_shift(STAFF, first.id, revision)
    await later(monkeypatch)
    assert other.said[1:] == [f"{DAY} has no stops any more."]


@pytest.mark.parametrize(
    ("known", "waiting", "said"),
    [
        ("abc", "abc", ""),
        ("abc", "acb", "Your route for today has changed: another order."),
        ("abc", "abcd", "Your route for today has changed: 1 new stop."),
        ("abc", "cde", "Your route for today has changed: 2 new stops, 2 taken off."),
        ("abc", "", "Your route for today has no stops any more."),
        ("", "ab", "Your route for today has changed: 2 new stops."),
    ],
)
def test_what_has_changed_is_said_without_names(known, waiting, said):
    assert describe_news(known, waiting, is_new=False, day=TODAY, today=TODAY) == said
