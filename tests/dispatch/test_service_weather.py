"""Weather holds: what is not begun waits, its customers are told, and it can be resumed."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.bookings.rules.bookings import BookingChanged
from fuel_app.bookings.service import changes, notifications, road
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.rules.day import NewStop, NoSuchDay
from fuel_app.dispatch.service import arrivals, holds, truck_routes
from fuel_app.dispatch.tables import StoredShift
from fuel_app.kit import audit, clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.messages.rules import delivery
from tests.helpers import outbox
from tests.helpers.bookings import NOW, STAFF, TODAY, a_customer, an_area, at, booked, slot
from tests.helpers.dispatch import (
    a_shift,
    a_technician,
    a_truck,
    change_stop,
    ids,
    on_route,
    revisions,
    route,
    shift_now,
    undo,
)
from tests.helpers.outbox import run_worker
from tests.helpers.statements import noted
from tests.helpers.stored_bookings import a_booking, change, stored

TOMORROW = (TODAY + timedelta(days=1)).isoformat()
DAY = TODAY.isoformat()
REASON = "Lightning until noon."

pytestmark = pytest.mark.usefixtures("database", "_clock")


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def a_day(*, published: bool = True) -> tuple[str, StoredShift, list[StoredBooking]]:
    """Store today's route of three windows: from 10, 12 and 14."""
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    bookings = [await a_booking(area, days=0, opens=opens) for opens in (10, 12, 14)]
    await on_route(shift, *bookings, published=published)
    return area, shift, bookings


ASKED = {"day": DAY, "area_id": "", "starts": "11:00", "ends": "14:00", "reason": REASON}


async def hold(**differs: Any) -> holds.Held:
    return await holds.begin_weather_hold(STAFF, ASKED | differs)


async def states(bookings: list[StoredBooking]) -> list[str]:
    return [(await stored(each)).state for each in bookings]


async def told(kind: str) -> list[Any]:
    return [each for each in await outbox.stored() if each.kind == kind]


async def test_bookings_whose_windows_overlap_are_held_leave_their_route_and_are_told():
    _, shift, bookings = await a_day()
    touched = await holds.list_affected(STAFF, ASKED)
    assert [each.booking.id for each in touched] == [each.id for each in bookings[:2]]
    held = await hold()
    assert held.count == 2
    assert await states(bookings) == ["weather_hold", "weather_hold", "dispatched"]
    (left,) = await route(shift)
    assert (left.booking_id, left.leg_s) == (bookings[2].id, 3 * 600)  # the way past the others
    assert (await shift_now(shift)).revision == 2
    first, second = await told("weather_hold")
    assert first.payload["reason"] == REASON
    assert "free of charge" in first.payload["what_next"]
    assert second.payload["booking"] == bookings[1].id
    assert (await stored(bookings[0])).reason == REASON  # the booking's page says it


async def test_reminders_of_held_bookings_are_withdrawn_and_come_back():
    area, who = await an_area(), await a_customer()
    made = await booked(who, slot(area, 1, 14))
    await hold(day=TOMORROW, starts="14:00", ends="16:00")
    assert {each.state for each in await told("hour_before")} == {"skipped"}
    assert await holds.resume_held(STAFF, TOMORROW, [made.id]) == 1
    assert [each.state for each in await told("hour_before")].count("queued") == 2
    assert {each.channel for each in await told("on_again")} == {"mail", "sms"}


async def test_only_the_chosen_area_is_held():
    area, _, bookings = await a_day()
    assert (await hold(area_id="0" * 8 + area[8:])).count == 0
    assert (await hold(area_id=area)).count == 2
    assert (await states(bookings))[2] == "dispatched"


async def test_stops_that_a_technician_has_begun_stay():
    _, shift, bookings = await a_day()
    (stop, *_), technician = await route(shift), await a_technician(2)
    async with transaction() as session:
        await road.take_technician_step(session, technician, bookings[0].id, "drive", NOW)
    await change_stop(stop, driving_at=NOW)
    assert (await hold()).count == 1
    assert await states(bookings) == ["en_route", "weather_hold", "dispatched"]
    assert [each.booking_id for each in await route(shift)] == [bookings[0].id, bookings[2].id]


async def test_two_holds_at_once_hold_each_booking_once():
    await a_day()
    done = await asyncio.gather(hold(), hold(), hold())
    assert sorted(each.count for each in done) == [0, 0, 2]
    assert [each.action_id for each in done].count("") == 2
    assert len(await told("weather_hold")) == 2


async def test_hold_and_a_technicians_start_at_once_never_both_take_a_stop():
    _, shift, bookings = await a_day()
    technician = await a_technician(2)

    async def drive() -> None:
        async with transaction() as session:
            await holds.queries.lock_shifts(session, [shift.id])
            await road.take_technician_step(session, technician, bookings[0].id, "drive", NOW)
            stop = await holds.queries.find_stop(session, bookings[0].id)
            assert stop
            await holds.queries.set_stop(session, stop.id, {"driving_at": NOW})

    held, drove = await asyncio.gather(hold(), drive(), return_exceptions=True)
    assert isinstance(held, holds.Held)
    is_held = isinstance(drove, BookingChanged)
    assert (held.count, (await states(bookings))[0]) == (
        (2, "weather_hold") if is_held else (1, "en_route")
    )


@pytest.mark.slow
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", id="two writers")])
async def test_hold_locks_the_routes_before_the_bookings():
    """Technicians and planning lock them in this order; SQLite has one writer."""
    await a_day()
    with noted() as statements:
        assert (await hold()).count == 2
    locked = [each.partition("FROM ")[2].split()[0] for each in statements if "FOR " in each]
    assert locked.index("shifts") < locked.index("bookings")


async def test_booking_that_its_customer_moves_meanwhile_is_not_held_at_its_new_time(monkeypatch):
    area, who = await an_area(), await a_customer()
    made = await booked(who, slot(area, 1, 10))
    async with reading() as session:
        stale = await holds.read(session, TODAY + timedelta(days=1))
    await changes.move(who.actor, made.id, 1, slot(area, 1, 14))

    async def read(*_: Any) -> Any:
        return stale

    monkeypatch.setattr(holds, "read", read)
    assert (await hold(day=TOMORROW, starts="10:00", ends="11:00")).count == 0


async def test_resume_books_again_what_is_not_over(monkeypatch):
    _, _, bookings = await a_day()
    await hold()
    at(monkeypatch, NOW + timedelta(hours=3))  # 13:00: the first window is over
    ids = [each.id for each in bookings]
    assert await holds.resume_held(STAFF, DAY, [*ids, None, 7, "x"]) == 1
    assert await states(bookings) == ["weather_hold", "booked", "dispatched"]
    assert await holds.resume_held(STAFF, DAY, ids) == 0
    assert len(await told("on_again")) == 1


async def resumed(*bookings: StoredBooking, day: str = DAY) -> None:
    assert await holds.resume_held(STAFF, day, [each.id for each in bookings]) == len(bookings)


async def sent_again(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Let the pause pass. Return the state and subject, or reason, of what is told then."""
    at(monkeypatch, clock.now() + arrivals.PAUSE)
    await run_worker()
    return [
        (each.state, (each.subject or each.error or "").partition(":")[0])
        for each in await told("on_again")
    ]


async def test_resumed_booking_is_promised_a_technician_only_on_a_route(monkeypatch):
    _, shift, (first, second, third) = await a_day()
    await hold()
    await resumed(first, second)
    shown = {shift.id: (await shift_now(shift)).revision}
    wanted = {shift.id: [NewStop(each.id, 600, NOW) for each in (third, second)]}
    async with transaction() as session:  # a dispatcher puts one of them back
        await truck_routes.rewrite(session, STAFF, "move", shown, wanted)
    assert await sent_again(monkeypatch) == [
        ("sent", "Booked again"),
        ("sent", "We come as booked"),
    ]


async def test_resumed_booking_that_changes_again_is_told_nothing_of_it(monkeypatch):
    area, _, (first, second, _) = await a_day()
    await hold()
    await resumed(first, second)
    await hold(ends="11:30")
    tomorrow = {"starts_at": NOW + timedelta(days=1), "ends_at": NOW + timedelta(days=1, hours=2)}
    await change(second, slot_id=slot(area, 1, 10), **tomorrow)
    assert await sent_again(monkeypatch) == [("skipped", delivery.OUTDATED)] * 2


async def test_message_of_a_former_release_that_a_booking_is_on_again_is_sent(monkeypatch):
    _, _, (first, *_) = await a_day()
    async with transaction() as session:
        booking = (await road.of_ids(session, [first.id]))[first.id]
        await notifications.weather_hold_ended(session, booking)
    assert await sent_again(monkeypatch) == [("sent", "We come as booked")]


async def test_undo_resumes_exactly_what_the_hold_has_stopped():
    _, _, bookings = await a_day()
    earlier = await hold(starts="10:00", ends="11:00")
    held = await hold(starts="11:00", ends="13:00")
    assert (earlier.count, held.count) == (1, 1)
    done = [each async for each in audit.undo(held.action_id, actor="staff")]
    assert done[-1].changed == 1
    assert await states(bookings) == ["weather_hold", "booked", "dispatched"]


async def test_undo_leaves_what_has_changed_since():
    _, _, bookings = await a_day()
    held = await hold()
    await change(bookings[0], revision=9)
    done = [each async for each in audit.undo(held.action_id, actor="staff")]
    assert (done[-1].changed, done[-1].left) == (1, 1)
    assert (await states(bookings))[0] == "weather_hold"


@pytest.mark.parametrize(
    ("differs", "fields"),
    [
        ({"day": "2026-13-01"}, {"day"}),
        ({"day": None, "starts": 7, "ends": [], "reason": ""}, {"day", "starts", "ends", "reason"}),
        ({"area_id": "x"}, {"area_id"}),
        ({"area_id": {}}, {"area_id"}),
        ({"starts": "25:00"}, {"starts"}),
        ({"ends": "11:00"}, {"ends"}),
        ({"starts": "08:00", "ends": "09:00"}, {"ends"}),  # over
        ({"reason": "x" * 101}, {"reason"}),
    ],
)
async def test_what_no_control_sends_is_refused_beside_its_field(differs, fields):
    with pytest.raises(InvalidForm) as refused:
        await hold(**differs)
    assert refused.value.messages.keys() == fields


async def test_strange_ids_and_days_resume_nothing():
    assert await holds.resume_held(STAFF, DAY, {"no": "list"}) == 0
    with pytest.raises(NoSuchDay):
        await holds.resume_held(STAFF, 5, [])


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_only_dispatchers_hold_and_resume(role):
    stranger = Actor(frozenset({role}), "0" * 36)
    for attempt in (
        holds.list_affected(stranger, ASKED),
        holds.begin_weather_hold(stranger, ASKED),
        holds.resume_held(stranger, DAY, []),
    ):
        with pytest.raises(NotAllowed):
            await attempt


async def test_undo_of_a_breakdown_ends_no_weather_hold_made_since():
    _, shift, bookings = await a_day()
    done = await holds.confirm_breakdown(STAFF, shift.id, await revisions(), [])
    assert (await hold(starts="12:00", ends="14:00")).count == 1
    await undo(done.action_id)
    assert await states(bookings) == ["dispatched", "weather_hold", "dispatched"]
    assert await ids(shift) == [bookings[0].id, bookings[2].id]
