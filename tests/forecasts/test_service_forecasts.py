"""Forecasts of stored cars, fills elsewhere, and the Fill-up Reminder."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import NotAllowed
from fuel_app.areas.rules.areas import PAUSED
from fuel_app.areas.tables import Area
from fuel_app.customers.rules.vehicles import VehicleGone
from fuel_app.customers.service import account, vehicles
from fuel_app.customers.tables import StoredCustomer, StoredVehicle
from fuel_app.forecasts import jobs
from fuel_app.forecasts.rules.forecasts import Forecast, Learning
from fuel_app.forecasts.service import forecasts as service
from fuel_app.forecasts.service.forecasts import OwnCar
from fuel_app.forecasts.tables import FillElsewhere
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from fuel_app.messages import service as notifications
from fuel_app.messages.rules.delivery import OUTDATED, SWITCHED_OFF
from tests.helpers import statements
from tests.helpers.bookings import (
    NOW,
    STAFF,
    TODAY,
    Customer,
    a_car,
    a_customer,
    an_area,
    at,
    booked,
    slot,
)
from tests.helpers.outbox import run_worker
from tests.helpers.people import messages, rows
from tests.helpers.stored_bookings import a_fill, change

DAY = timedelta(days=1)
WEEKS = 4  # a fill of 11.2 of 16 gallons each: due a week after the last one


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def filled(area_id: str, who: Customer, last: datetime, car_id: str = "") -> None:
    """Store weekly fills of a car; the last one at a moment."""
    for week in range(WEEKS):
        await a_fill(
            area_id, who.id, last - 7 * week * DAY, 11_200, 4000, vehicle_id=car_id or who.car_id
        )


async def own_cars(who: Customer) -> list[OwnCar]:
    customer = await account.read_customer(STAFF, who.id)
    return await service.list_own(who.actor, customer)


async def with_reminder() -> tuple[str, Customer]:
    """Store a customer whose car is due today. Return the area and the customer."""
    area_id, who = await an_area(), await a_customer()
    await filled(area_id, who, NOW - 7 * DAY)
    return area_id, who


async def mails() -> list[Message]:
    return [each for each in await messages(service.KIND) if each.channel == "mail"]


@pytest.mark.usefixtures("database")
async def test_own_cars_have_their_forecasts_by_one_statement(monkeypatch):
    area_id, who = await an_area(), await a_customer(plan="big-family")
    new, outside = (replace_id(a_car(who.id, number), number) for number in (2, 3))
    outside.is_active = False
    async with transaction() as session:
        session.add_all((new, outside))
    await filled(area_id, who, NOW - DAY)
    await filled(area_id, await a_customer(9), NOW)  # another one's car
    await a_fill(area_id, who.id, NOW - 3 * DAY, 9000, 3000, vehicle_id=new.id)
    await a_fill(
        area_id, who.id, NOW - 2 * DAY, 90_000, 3000, vehicle_id=new.id, gallons_asked_at=NOW
    )
    await a_fill(area_id, who.id, NOW - 500 * DAY, 9000, 3000, vehicle_id=new.id)  # too old
    customer = await account.read_customer(STAFF, who.id)
    with statements.noted() as noted:
        known, learning = await service.list_own(who.actor, customer)
    assert sum("SELECT" in each for each in noted) == 1
    assert isinstance(known.when, Forecast)
    assert known.when.since == NOW - DAY
    assert abs(known.when.due - (NOW + 6 * DAY)) < DAY / 2
    assert known.history.booked_at is None
    assert learning.when == Learning(1)
    booking = await booked(who, slot(area_id, 3))
    await booked(who, slot(area_id, 4))
    assert (await own_cars(who))[0].history.booked_at == booking.starts_at


def replace_id(car: StoredVehicle, number: int) -> StoredVehicle:
    """Give a car an id after those that are stored."""
    car.id = f"ffffffff-0000-7000-8000-00000000000{number}"
    return car


@pytest.mark.usefixtures("database")
async def test_without_an_active_plan_the_prior_is_that_of_no_plan():
    area_id, who = await an_area(), await a_customer(state="incomplete", plan="big-family")
    other = await a_customer(2, plan="big-family")
    for each in (who, other):
        await filled(area_id, each, NOW)
    ((mine,), (theirs,)) = await own_cars(who), await own_cars(other)
    assert isinstance(mine.when, Forecast)
    assert isinstance(theirs.when, Forecast)
    assert mine.when.gallons_a_day < theirs.when.gallons_a_day


@pytest.mark.usefixtures("database")
async def test_fill_elsewhere_counts_from_that_day_once_and_can_be_undone():
    area_id, who = await an_area(), await a_customer()
    await filled(area_id, who, NOW - 7 * DAY)
    for _ in range(2):
        await service.tell_elsewhere(who.actor, who.car_id)
    (car,) = await own_cars(who)
    assert car.history.is_elsewhere_on(TODAY)
    assert isinstance(car.when, Forecast)
    assert abs(car.when.due - (NOW + 7 * DAY)) < DAY
    assert len(await rows(FillElsewhere)) == 1
    for _ in range(2):
        await service.undo_elsewhere(who.actor, who.car_id)
    (car,) = await own_cars(who)
    assert not car.history.is_elsewhere_on(TODAY)
    assert car.when == replace(car.when, since=NOW - 7 * DAY)


@pytest.mark.usefixtures("sqlite_database")
async def test_nobody_tells_of_another_ones_car():
    await an_area()
    who, other = await a_customer(), await a_customer(2)
    for vehicle_id in (other.car_id, "nothing", None):
        with pytest.raises(VehicleGone):
            await service.tell_elsewhere(who.actor, vehicle_id)
    await service.tell_elsewhere(other.actor, other.car_id)
    await service.undo_elsewhere(who.actor, other.car_id)
    assert len(await rows(FillElsewhere)) == 1
    customer = await account.read_customer(STAFF, who.id)
    for refused in (
        service.tell_elsewhere(STAFF, who.car_id),
        service.undo_elsewhere(STAFF, who.car_id),
        service.list_own(STAFF, customer),
    ):
        with pytest.raises(NotAllowed):
            await refused


@pytest.mark.usefixtures("database")
async def test_car_near_its_day_is_reminded_of_once(monkeypatch):
    area_id, who = await with_reminder()
    other = await a_customer(5)
    await filled(area_id, other, NOW - 7 * DAY)
    await filled(area_id, await a_customer(2), NOW - DAY)  # not yet
    await filled(area_id, await a_customer(3), NOW - 40 * DAY)  # not any more
    await a_customer(4)  # no fill
    monkeypatch.setattr(service, "_AT_ONCE", 2)
    assert [await jobs.remind(NOW + day * DAY) for day in (0, 0, 1)] == [2, 2, 2]
    queued = await messages(service.KIND)
    assert len(queued) == 4
    assert {(each.channel, each.person_id) for each in queued} == {
        (channel, person_id) for channel in ("mail", "sms") for person_id in (who.id, other.id)
    }
    payload = queued[0].payload
    assert payload["vehicle"] == "2020 Toyota Camry"
    assert payload["due"] == "Mon, Nov 23"
    assert payload["next_free"].startswith("Tue, Nov 24, 8")


@pytest.mark.usefixtures("sqlite_database")
async def test_reminder_is_sent_with_its_button():
    _, who = await with_reminder()
    await service.queue_reminders(NOW)
    await run_worker()
    (mail,) = await mails()
    assert (mail.state, mail.person_id) == ("sent", who.id)
    assert mail.subject == "Due around Mon, Nov 23: your 2020 Toyota Camry"
    assert "/schedule" in (mail.body or "")


@pytest.mark.usefixtures("sqlite_database")
async def test_switch_of_reminders_decides():
    _, who = await with_reminder()
    await notifications.toggle_preference(who.actor, "fill_reminder")
    await service.queue_reminders(NOW)
    await run_worker()
    (mail,) = await mails()
    assert (mail.state, mail.error) == ("skipped", SWITCHED_OFF)


@pytest.mark.usefixtures("sqlite_database")
async def test_no_reminder_where_the_car_is_booked_or_was_filled_elsewhere():
    area_id, who = await with_reminder()
    await booked(who, slot(area_id))
    other = await a_customer(2)
    await filled(area_id, other, NOW - 7 * DAY)
    await service.tell_elsewhere(other.actor, other.car_id)
    outside = await a_customer(3)
    await filled(area_id, outside, NOW - 7 * DAY)
    async with transaction() as session:
        (await session.get_one(StoredVehicle, outside.car_id)).is_active = False
    assert await service.queue_reminders(NOW) == 0


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("meanwhile", ["booked", "filled", "elsewhere", "removed", "inactive"])
async def test_waiting_reminder_is_not_sent_once_it_is_not_true(meanwhile):
    area_id, who = await with_reminder()
    await service.queue_reminders(NOW)
    match meanwhile:
        case "booked":
            await booked(who, slot(area_id))
        case "filled":
            await a_fill(area_id, who.id, NOW, 9000, 3000, vehicle_id=who.car_id)
        case "elsewhere":
            await service.tell_elsewhere(who.actor, who.car_id)
        case "removed":
            await vehicles.remove(who.id, who.car_id)
        case _:
            async with transaction() as session:
                (await session.get_one(StoredVehicle, who.car_id)).is_active = False
    await run_worker()
    (mail,) = await mails()
    assert (mail.state, mail.error) == ("skipped", OUTDATED)


@pytest.mark.usefixtures("sqlite_database")
async def test_reminder_whose_fill_was_corrected_to_nothing_is_not_sent():
    area_id, who = await an_area(), await a_customer()
    fills = [
        await a_fill(area_id, who.id, NOW - days * DAY, 11_200, 4000, vehicle_id=who.car_id)
        for days in (21, 14, 7)
    ]
    await service.queue_reminders(NOW)
    for each in fills:
        await change(each, filled_milligallons=0)
    await run_worker()
    (mail,) = await mails()
    assert mail.error == OUTDATED


@pytest.mark.usefixtures("sqlite_database")
async def test_area_decides_about_the_window():
    area_id, who = await with_reminder()
    async with transaction() as session:
        theirs = update(Area).where(col(Area.id) == area_id)
        await session.execute(theirs.values(status=PAUSED))
    assert await service.queue_reminders(NOW) == 0
    async with transaction() as session:  # lives elsewhere, the car stands in the area
        (await session.get_one(StoredCustomer, who.id)).zip_code = "99999"
    assert await service.queue_reminders(NOW) == 1
    assert {each.payload["next_free"] for each in await mails()} == {""}
