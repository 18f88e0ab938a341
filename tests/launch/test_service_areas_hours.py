"""Changing hours with bookings: kept or cancelled, decided once, nothing half done."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.areas import AreaChanged
from fuel_app.areas.rules.hours import ALL_DAY, DayException, Hours, default_week
from fuel_app.areas.service import areas as area_service
from fuel_app.areas.service import hours as area_hours
from fuel_app.bookings.rules.bookings import Booking, SlotClosed, SlotFull
from fuel_app.bookings.service import access, changes, slots
from fuel_app.dispatch.service import interruptions
from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import Money
from fuel_app.launch.rules import CANCEL, OFFER, AffectedBookings, Answer, HoursNeedAnswer, movable
from fuel_app.launch.service import areas as area_changes
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
    taken,
)
from tests.helpers.dispatch import a_day, at_km, ids, on_route
from tests.helpers.fills import change as change_booking
from tests.helpers.hours import without_window
from tests.helpers.outbox import run_worker
from tests.helpers.people import messages

ADMIN = Actor(frozenset({Role.ADMIN}), person_id=new_id(), session_id=new_id())
DISPATCHER = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())
PAUSE = timedelta(minutes=3, seconds=1)  # before news is told
TOMORROW = TODAY + timedelta(days=1)  # a Tuesday
USUAL = Hours(default_week(6))
NOTHING = area_changes.HoursOutcome()
CANCELLED, OFFERED = Answer(CANCEL, "Storm"), Answer(OFFER, "Storm")

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _monday_morning(monkeypatch):
    at(monkeypatch, NOW)


def tomorrow(capacity: int, opens: int = ALL_DAY) -> Hours:
    return Hours(USUAL.windows_by_weekday, (DayException(TOMORROW, opens, capacity, "Storm"),))


async def change(
    area_id: str, wanted: Hours, actor: Actor = ADMIN, **answer: Any
) -> area_changes.HoursOutcome:
    return await area_changes.change_hours(area_id, USUAL, wanted, actor=actor, **answer)


async def asked(area_id: str, wanted: Hours, **answer: Any) -> HoursNeedAnswer:
    with pytest.raises(HoursNeedAnswer) as question:
        await change(area_id, wanted, **answer)
    return question.value


async def shown(area_id: str) -> Hours:
    return (await area_hours.read(area_id, actor=ADMIN)).hours


async def states() -> list[str]:
    return sorted(each.state for each in await stored())


async def told() -> set[tuple[str, int, str]]:
    """Return the bookings, revisions and reasons of which messages tell a cancellation."""
    sent = [each.payload for each in await messages("booking_cancelled")]
    return {(each["booking"], each["revision"], each["reason"]) for each in sent}


async def test_hours_without_bookings_change_without_a_question():
    area_id, customer = await an_area(), await a_customer()
    await booked(customer, slot(area_id))
    wanted = without_window(USUAL, 2, 8)
    assert await change(area_id, wanted) == NOTHING
    assert await shown(area_id) == wanted


async def test_closing_a_day_with_bookings_asks_and_changes_nothing():
    area_id, customer = await an_area(), await a_customer()
    one = await booked(customer, slot(area_id))
    other = await booked_by_guest(slot(area_id, opens=14))
    question = await asked(area_id, tomorrow(0))
    assert [each.id for each in question.affected.closed] == [one.id, other.id]
    assert question.names == {customer.id: "Ada Lovelace"}
    assert await shown(area_id) == USUAL
    assert await states() == ["booked", "booked"]


async def test_kept_bookings_stay_and_nothing_new_is_booked():
    area_id, customer = await an_area(), await a_customer()
    await booked(customer, slot(area_id))
    question = await asked(area_id, tomorrow(0))
    assert await change(area_id, tomorrow(0), asked=question.affected) == NOTHING
    assert await states() == ["booked"]
    with pytest.raises(SlotClosed):
        await booked(await a_customer(2), slot(area_id))
    await area_changes.change_hours(
        area_id, tomorrow(0), without_window(tomorrow(0), 1, 8), actor=ADMIN
    )


async def test_cancelled_bookings_cost_nothing_and_their_customers_are_told():
    area_id, customer = await an_area(), await a_customer()
    await booked(customer, slot(area_id))
    await booked_by_guest(slot(area_id))
    await booked(customer, slot(area_id, day=2))
    question = await asked(area_id, tomorrow(0, opens=8))
    given = {"asked": question.affected, "answer": CANCELLED}
    assert await change(area_id, tomorrow(0, opens=8), **given) == area_changes.HoursOutcome(2)
    assert await states() == ["booked", "cancelled", "cancelled"]
    ended = [each for each in await stored() if each.state == "cancelled"]
    assert {(e.ended_by, e.reason, e.late_fee_cents) for e in ended} == {("staff", "Storm", 0)}
    assert await taken(slot(area_id)) == 0
    assert await told() == {(each.id, 2, "Storm") for each in ended}


async def test_customers_who_are_offered_other_times_choose_one_free_of_charge(monkeypatch):
    area_id, customer = await an_area(), await a_customer()
    one = await booked(customer, slot(area_id))
    guests = await booked_by_guest(slot(area_id))
    question = await asked(area_id, tomorrow(0, opens=8))
    given = {"asked": question.affected, "answer": OFFERED}
    outcome = await change(area_id, tomorrow(0, opens=8), **given)
    assert outcome == area_changes.HoursOutcome(offered=2)
    assert {(each.state, each.reason) for each in await stored()} == {("weather_hold", "Storm")}
    told = [each.payload["booking"] for each in await messages("window_closed")]
    assert {*told} == {one.id, guests.id}
    held = await access.find(customer.actor, one.id)
    assert held
    moved = await changes.move(customer.actor, one.id, held.revision, slot(area_id, opens=10))
    assert (moved.state, moved.late_fee.cents) == ("booked", 0)
    assert await taken(slot(area_id)) == 1
    at(monkeypatch, NOW + PAUSE)
    await run_worker()
    by_booking = {each.payload["booking"]: each for each in await messages("window_closed")}
    assert by_booking[one.id].state == "skipped"  # has chosen before it went out
    assert by_booking[guests.id].state == "sent"
    assert "Tue, Nov 24, 10 AM–12 PM; Tue, Nov 24, 2–4 PM" in (  # noqa: RUF001
        by_booking[guests.id].body or ""
    )


async def test_what_is_on_hold_already_is_offered_another_time_too(monkeypatch):
    area_id, customer = await an_area(), await a_customer()
    booking = await booked(customer, slot(area_id))
    await hold_for_weather()
    question = await asked(area_id, tomorrow(0, opens=8))
    given = {"asked": question.affected, "answer": OFFERED}
    assert await change(area_id, tomorrow(0, opens=8), **given) == (
        area_changes.HoursOutcome(offered=1)
    )
    held = await access.find(customer.actor, booking.id)
    assert held
    assert (held.state, held.reason) == ("weather_hold", "Storm")
    at(monkeypatch, NOW + PAUSE)
    await run_worker()
    assert "sent" not in {each.state for each in await messages("weather_hold")}
    assert "sent" in {each.state for each in await messages("window_closed")}


async def test_what_is_on_hold_stays_so_until_its_window_has_room():
    area_id, customer = await an_area(), await a_customer()
    held = [await booked(customer, slot(area_id)), await booked_by_guest(slot(area_id))]
    await hold_for_weather()
    question = await asked(area_id, tomorrow(0, opens=8))
    await change(area_id, tomorrow(0, opens=8), asked=question.affected)
    assert await resume(*held) == 0
    assert await states() == ["weather_hold", "weather_hold"]
    one = tomorrow(1, opens=8)
    await area_changes.change_hours(area_id, tomorrow(0, opens=8), one, actor=ADMIN)
    assert await resume(*held) == 1
    assert await resume(*held) == 0
    await area_changes.change_hours(area_id, one, USUAL, actor=ADMIN)
    assert await resume(*held) == 1


async def hold_for_weather() -> None:
    what = {"starts": "08:00", "ends": "10:00", "reason": "Lightning", "area_id": ""}
    await interruptions.begin_weather_hold(DISPATCHER, what | {"day": TOMORROW.isoformat()})


async def resume(*bookings: Booking) -> int:
    ids = [each.id for each in bookings]
    return await interruptions.resume_held(DISPATCHER, TOMORROW.isoformat(), ids)


async def test_a_closed_windows_stops_leave_their_routes():
    shift, [near, _far] = await a_day(1, 2, published=True)
    later = await at_km(near.area_id, 3, opens=14)
    await on_route(shift, later, published=True)
    question = await asked(near.area_id, tomorrow(0, opens=8))
    given = {"asked": question.affected, "answer": OFFERED}
    assert await change(near.area_id, tomorrow(0, opens=8), **given) == (
        area_changes.HoursOutcome(offered=2)
    )
    assert await ids(shift) == [later.id]
    assert sorted(each.state for each in await stored()) == [
        *("dispatched", "weather_hold", "weather_hold"),
    ]


async def test_a_stop_that_a_technician_has_begun_is_not_offered_another_time():
    area_id, customer = await an_area(), await a_customer()
    booking = await booked(customer, slot(area_id))
    await change_booking(booking, state="en_route")
    question = await asked(area_id, tomorrow(0))
    assert movable(question.affected.closed) == ()
    given = {"asked": question.affected, "answer": OFFERED}
    assert await change(area_id, tomorrow(0), **given) == NOTHING
    assert await states() == ["en_route"]
    paused = await area_changes.read_hours(area_id, actor=ADMIN)
    assert paused.booked[TOMORROW, 8] == 1


async def test_no_free_window_is_named_where_the_area_takes_no_bookings():
    area_id, customer = await an_area(), await a_customer()
    booking = await booked(customer, slot(area_id))
    async with reading() as session:
        assert len(await slots.list_free(session, booking, 2)) == 2
    await area_service.step("pause", area_id, actor=ADMIN)
    async with reading() as session:
        assert await slots.list_free(session, booking, 2) == []


async def test_a_deleted_window_asks_about_every_week():
    area_id, customer = await an_area(), await a_customer()
    both = [await booked(customer, slot(area_id, day=day)) for day in (1, 8)]
    question = await asked(area_id, without_window(USUAL, 1, 8))
    assert [each.id for each in question.affected.closed] == [each.id for each in both]


async def test_capacity_lowered_below_what_is_booked_keeps_it_and_takes_no_more():
    area_id = await an_area()
    for number in range(3):
        await booked(await a_customer(number), slot(area_id))
    question = await asked(area_id, tomorrow(2, opens=8))
    assert question.affected.closed == ()
    assert question.affected.over == (("Tuesday, November 24, 2026, 8–10 AM", 3),)  # noqa: RUF001
    assert await change(area_id, tomorrow(2, opens=8), asked=question.affected) == NOTHING
    assert await taken(slot(area_id)) == 3
    with pytest.raises(SlotFull):
        await booked(await a_customer(4), slot(area_id))


async def test_a_booking_made_after_the_question_is_asked_about_too():
    area_id, customer = await an_area(), await a_customer()
    await booked(customer, slot(area_id))
    first = await asked(area_id, tomorrow(0))
    late = await booked(await a_customer(2), slot(area_id, opens=10))
    given = {"asked": first.affected, "answer": CANCELLED}
    second = await asked(area_id, tomorrow(0), **given)
    assert [each.id for each in second.affected.closed][1:] == [late.id]
    assert await states() == ["booked", "booked"]
    assert await shown(area_id) == USUAL


async def test_a_booking_cancelled_after_the_question_is_not_cancelled_twice():
    area_id, customer = await an_area(), await a_customer()
    booking = await booked(customer, slot(area_id))
    question = await asked(area_id, tomorrow(0))
    await changes.cancel(customer.actor, booking.id, booking.revision, seen_fee=Money(0))
    left = await asked(area_id, tomorrow(0), asked=question.affected, answer=CANCELLED)
    assert left.affected == AffectedBookings()
    assert await change(area_id, tomorrow(0), asked=left.affected) == NOTHING
    assert await told() == {(booking.id, 2, "")}


async def test_bookings_and_a_closure_at_once_leave_nobody_in_a_closed_window_unasked():
    area_id = await an_area()
    customers = [await a_customer(number) for number in range(4)]
    outcomes = await asyncio.gather(
        change(area_id, tomorrow(0)),
        *(booked(each, slot(area_id)) for each in customers),
        return_exceptions=True,
    )
    closed = outcomes[0] == NOTHING
    assert closed or isinstance(outcomes[0], HoursNeedAnswer)
    refused = sum(isinstance(each, SlotClosed) for each in outcomes[1:])
    assert (await taken(slot(area_id)), refused) == ((0, 4) if closed else (4, 0))


async def test_hours_that_somebody_else_has_changed_are_not_overwritten():
    area_id = await an_area()
    await change(area_id, tomorrow(0))
    with pytest.raises(AreaChanged):
        await change(area_id, without_window(USUAL, 0, 8))
    assert await shown(area_id) == tomorrow(0)


async def test_a_fill_that_has_begun_is_nobodys_question(monkeypatch):
    area_id, customer = await an_area(), await a_customer()
    booking = await booked(customer, slot(area_id))
    at(monkeypatch, booking.ends_at + timedelta(seconds=1))
    await change(area_id, Hours())
    assert await states() == ["booked"]


@pytest.mark.parametrize("actor", [Actor(), DISPATCHER])
async def test_nobody_but_an_admin_changes_hours(actor):
    area_id = await an_area()
    with pytest.raises(NotAllowed):
        await change(area_id, tomorrow(0), actor)
    assert await shown(area_id) == USUAL
