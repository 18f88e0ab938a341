"""Customers are told when their arrival moves, when the technician leaves and is there.

What they are told is what is true when it is sent, and only if they do not know it already.
"""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text, update

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.service import changes, notifications, road
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules.arrivals import LinkUnknown, Tracked
from fuel_app.dispatch.service import arrivals
from fuel_app.dispatch.service.days import PAUSE_MINUTES
from fuel_app.dispatch.tables import NotifiedArrival, PublishedDay, StoredShift, StoredStop
from fuel_app.kit import clock, secrets
from fuel_app.kit import outbox as outbox_kit
from fuel_app.kit.db.session import reading as read_only
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.outbox import Message, Skip, add_all
from fuel_app.kit.policies import POLICIES
from fuel_app.messages import jobs as messages_jobs
from fuel_app.messages import service as messages
from fuel_app.messages.providers import Rejected, Unavailable
from fuel_app.messages.rules.delivery import NO_MAIL_SERVER, TOO_LATE
from fuel_app.messages.rules.kinds import MANAGED, TRACKED
from tests.helpers import outbox
from tests.helpers.bookings import NOW, TODAY, a_customer, an_area, at
from tests.helpers.dispatch import (
    a_shift,
    a_technician,
    a_truck,
    change_stop,
    on_route,
    route,
)
from tests.helpers.outbox import run_worker
from tests.helpers.people import rows
from tests.helpers.stored_bookings import PLACE, a_booking, change

ADMIN = Actor(frozenset({Role.ADMIN}), "0" * 36)
PAUSE = timedelta(minutes=1)
MINUTE = timedelta(minutes=1)  # the window opens at NOW, at 10:00
pytestmark = pytest.mark.usefixtures("database", "_clock", "_pause")


@pytest.fixture
def _pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let news wait for a minute alone, in which times hardly go on."""
    shorter = replace(PAUSE_MINUTES, default=PAUSE // MINUTE)
    monkeypatch.setitem(POLICIES, PAUSE_MINUTES.name, shorter)


async def a_day(*, published: bool = True, guests: int = 1) -> tuple[StoredShift, Any]:
    """Store today's shift with stops of guests from 10:00 to 12:00."""
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    bookings = [
        await a_booking(area, days=0, opens=10 + number, starts_at=NOW) for number in range(guests)
    ]
    return shift, await on_route(shift, *bookings, published=published)


async def stored_as(booking_id: Any) -> Booking:
    async with read_only() as session:
        (booking,) = (await road.of_ids(session, [booking_id])).values()
    return booking


async def follow(day: Any = TODAY) -> None:
    async with transaction() as session:
        await arrivals.notify_moved(session, day)


async def told(kind: str = "arrival_moved") -> list[Message]:
    return [each for each in await outbox.stored() if each.kind == kind]


async def send(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pause before news pass, and send what is due."""
    at(monkeypatch, clock.now() + PAUSE)
    await run_worker()


async def news(
    monkeypatch: pytest.MonkeyPatch, stop: StoredStop | None = None, **differs: Any
) -> None:
    """Change a stop, follow the day, let the pause before news pass, and send what is due."""
    if stop:
        await change_stop(stop, **differs)
    await follow()
    await send(monkeypatch)


async def sent(kind: str = "arrival_moved") -> list[str]:
    """Return what the messages of a kind said that were sent."""
    return [each.subject for each in await told(kind) if each.state == "sent"]


async def skipped(kind: str = "arrival_moved") -> list[str | None]:
    """Return why messages of a kind were not sent."""
    return [each.error for each in await told(kind) if each.state == "skipped"]


async def notified() -> list[datetime]:
    """Return the notified arrivals, the earliest first."""
    return sorted(each.begins_at for each in await rows(NotifiedArrival))


async def step(shift: StoredShift, kind: str, stop: Any = None) -> None:
    """Tell the news of a step of a stop as it is stored, by default the route's first one."""
    async with transaction() as session:
        stop = stop or (await queries.stops_of(session, [shift.id]))[0]
        await arrivals.notify_step(session, shift, stop.booking_id or stop.id, kind)


async def test_customer_is_told_once_of_an_arrival_that_has_moved(monkeypatch):
    await a_day()
    at(monkeypatch, NOW + 10 * MINUTE)  # without a step yet: 10:20
    await follow()
    await follow()
    (only,) = await told()
    assert (only.channel, only.recipient) == ("mail", "gus@example.com")
    assert only.send_at == NOW + 10 * MINUTE + PAUSE
    await send(monkeypatch)
    assert await sent() == ["Your fill-up is now expected today between 10:15 and 10:35 AM"]
    assert await notified() == [NOW + 20 * MINUTE + PAUSE]
    at(monkeypatch, NOW + 26 * MINUTE)  # 10:36 is no more than 15 minutes later
    await follow()
    assert len(await told()) == 1
    at(monkeypatch, NOW + 27 * MINUTE)
    await follow()
    assert len(await told()) == 2


async def test_waiting_message_says_what_is_true_when_it_is_sent(monkeypatch):
    await a_day()
    at(monkeypatch, NOW + 10 * MINUTE)
    await follow()
    at(monkeypatch, NOW + 60 * MINUTE)  # meanwhile nothing was sent
    await follow()
    await send(monkeypatch)
    assert await sent() == ["Your fill-up is now expected today between 11:05 and 11:25 AM"]


async def test_move_there_and_back_within_the_pause_tells_nothing_and_the_next_one_does(
    monkeypatch,
):
    _, (stop,) = await a_day()
    await change_stop(stop, leg_s=3600)
    await follow()
    await news(monkeypatch, stop, leg_s=600)
    assert (await sent(), await skipped(), await notified()) == ([], [arrivals.KNOWN], [])
    await news(monkeypatch, stop, leg_s=3600)
    assert await sent() == ["Your fill-up is now expected today between 10:50 and 11:15 AM"]


async def test_customer_who_was_told_of_a_move_is_told_of_the_way_back_however_often(monkeypatch):
    _, (stop,) = await a_day()
    for leg_s in (3600, 600, 3600, 600):
        await news(monkeypatch, stop, leg_s=leg_s)
    spans = [each.removeprefix("Your fill-up is now expected today ") for each in await sent()]
    assert spans == [
        "between 10:50 and 11:15 AM",
        "between 10:05 and 10:25 AM",
        "between 10:55 and 11:20 AM",
        "between 10:05 and 10:30 AM",
    ]


async def test_each_channel_is_composed_from_what_it_has_told(monkeypatch):
    area, customer = await an_area(), await a_customer()
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    booking = await a_booking(area, customer.id, days=0, opens=10)
    (stop,) = await on_route(shift, booking, published=True)
    async with transaction() as session:  # the mail was sent, the text message was not
        await queries.set_notified_arrival(
            session, await stored_as(booking.id), "mail", NOW + 60 * MINUTE
        )
    await change_stop(stop, leg_s=3600)
    await follow()
    assert [each.channel for each in await told()] == ["sms"]
    await change_stop(stop, leg_s=600)
    await follow()
    await send(monkeypatch)
    assert {each.channel: each.error for each in await told()} == {
        "sms": arrivals.KNOWN,
        "mail": NO_MAIL_SERVER,  # sent as far as can be
    }


async def test_stop_that_left_its_route_is_told_by_what_its_customer_knows(monkeypatch):
    _, (stop,) = await a_day()
    await news(monkeypatch, stop, leg_s=3600)
    async with transaction() as session:
        await session.delete(await session.get_one(StoredStop, stop.id))
    async with transaction() as session:
        again = stop.model_dump() | {"id": new_id(), "leg_s": 600}  # back as it was
        session.add(StoredStop(**again))
    await news(monkeypatch)
    assert len(await sent()) == 2
    # What was notified was for another window: it triggers no message.
    async with transaction() as session:
        await session.execute(update(NotifiedArrival).values(slot_id="another"))
    await follow()
    assert len(await told()) == 2


@pytest.mark.parametrize(
    ("differs", "hours", "reason"),
    [
        ({"driving_at": NOW}, 0, arrivals.SET_OUT),
        ({"ended_at": NOW}, 0, arrivals.ENDED),  # by the office
        ({"slot_id": "another"}, 0, arrivals.NO_ROUTE),  # moved meanwhile
        ({"leg_s": 3600}, 9, arrivals.SHIFT_OVER),
        ({"leg_s": 3600}, 24, arrivals.SHIFT_OVER),
    ],
)
async def test_what_cannot_be_promised_any_more_is_not_sent(monkeypatch, differs, hours, reason):
    _, (stop,) = await a_day()
    await change_stop(stop, leg_s=3600)
    await follow()
    await change_stop(stop, **differs)
    at(monkeypatch, NOW + timedelta(hours=hours))
    await send(monkeypatch)
    assert (await sent(), await skipped()) == ([], [reason])


async def test_booking_on_no_route_any_more_is_promised_nothing(monkeypatch):
    _, (stop,) = await a_day()
    await change_stop(stop, leg_s=3600)
    await follow()
    async with transaction() as session:
        await session.delete(await session.get_one(StoredStop, stop.id))
    await send(monkeypatch)
    assert (await sent(), await skipped()) == ([], [arrivals.NO_ROUTE])


async def test_message_that_waits_from_a_former_release_says_what_it_holds():
    _, (stop,) = await a_day()
    booking, once = await stored_as(stop.booking_id), f"{stop.id}:{NOW.isoformat()}"
    says: dict[str, Any] = {"arrives": "between 3:15 and 3:40 PM", "technician": "Dana"}
    async with transaction() as session:
        for kind in ("arrival_moved", "on_the_way", "arrived"):
            await add_all(session, notifications.drafts_about(booking, kind, once=once, **says))
    await run_worker()
    assert await sent() == ["Your fill-up is now expected between 3:15 and 3:40 PM"]
    assert await sent("on_the_way") == ["On the way: arriving between 3:15 and 3:40 PM"]
    assert await sent("arrived") == ["Dana has arrived"]


@pytest.mark.parametrize("state", ["sent", "failed"])
async def test_message_that_was_settled_elsewhere_makes_room_for_the_next_one(monkeypatch, state):
    _, (stop,) = await a_day()
    await change_stop(stop, leg_s=3600)
    await follow()
    async with transaction() as session:  # by a worker of the former release, or given up
        await session.execute(update(Message).values(state=state))
    await follow()
    await send(monkeypatch)
    assert [each.state for each in await told()] == [state, "sent"]


class Down:
    """A mail server that is away until it is repaired."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, problem: Any = Unavailable) -> None:
        self.problem = problem
        self.is_down, self.hand_over = True, messages_jobs._hand_over
        monkeypatch.setattr(messages_jobs, "_hand_over", self)

    async def __call__(self, *message: Any) -> Any:
        if self.is_down:
            raise self.problem("away")
        return await self.hand_over(*message)


async def test_message_that_was_tried_says_the_same_once_the_server_is_back(monkeypatch):
    server = Down(monkeypatch)
    _, (stop,) = await a_day()
    await news(monkeypatch, stop, leg_s=3600)
    assert await notified() == [NOW + 60 * MINUTE + PAUSE]
    server.is_down = False
    await send(monkeypatch)
    assert await sent() == ["Your fill-up is now expected today between 10:50 and 11:15 AM"]
    assert len(await told()) == 1


async def test_message_that_was_tried_leaves_it_to_the_next_one_if_the_arrival_moves_again(
    monkeypatch,
):
    server = Down(monkeypatch)
    _, (stop,) = await a_day()
    for leg_s in (3600, 600, 7200):  # whatever the server has taken before it said so
        await news(monkeypatch, stop, leg_s=leg_s)
    server.is_down = False
    at(monkeypatch, NOW + 5 * MINUTE)
    await run_worker()
    assert await sent() == ["Your fill-up is now expected today between 11:55 AM and 12:20 PM"]
    assert await skipped() == [arrivals.OUTDATED] * 2


async def test_message_that_was_refused_tells_nothing_and_is_tried_once_more(monkeypatch):
    server = Down(monkeypatch, Rejected)
    _, (stop,) = await a_day()
    for _ in range(3):
        await news(monkeypatch, stop, leg_s=3600)
    assert [each.state for each in await told()] == ["failed"] * 2
    server.is_down = False
    await follow()
    assert len(await told()) == 2
    await news(monkeypatch, stop, leg_s=600)  # back to what the customer knows, as far as we know
    assert await sent() == ["Your fill-up is now expected today between 10:05 and 10:30 AM"]


async def test_refused_message_that_an_admin_sends_again_is_what_the_customer_knows(monkeypatch):
    server = Down(monkeypatch, Rejected)
    _, (stop,) = await a_day()
    await news(monkeypatch, stop, leg_s=3600)
    server.is_down = False
    (first,) = await told()
    await messages.send_again(ADMIN, first.id)
    await send(monkeypatch)
    await news(monkeypatch)
    assert [each.state for each in await told()] == ["failed", "sent"]


async def test_message_is_sent_again_by_an_admin_while_it_is_true(monkeypatch):
    _, (stop,) = await a_day()
    await news(monkeypatch, stop, leg_s=3600)
    (first,) = await told()
    await messages.send_again(ADMIN, first.id)
    await run_worker()
    assert len(await sent()) == 2
    await change_stop(stop, leg_s=600)
    await messages.send_again(ADMIN, (await told())[1].id)
    await run_worker()
    assert (len(await sent()), await skipped()) == (2, [arrivals.OUTDATED])


async def test_account_that_closes_as_its_message_is_composed_keeps_it_from_being_sent(
    monkeypatch, engine_name
):
    area, customer = await an_area(), await a_customer()
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    await on_route(shift, await a_booking(area, customer.id, days=0, opens=10), published=True)
    at(monkeypatch, NOW + 10 * MINUTE)
    await follow()
    at(monkeypatch, clock.now() + PAUSE)
    message, _ = await told()

    async def compose() -> object:
        async with transaction() as session:
            return await arrivals.compose_moved(session, message)

    async with transaction() as session:
        await changes.cancel_all_open(session, customer.id)  # locks the bookings
        composing = asyncio.create_task(compose())
        if engine_name == "postgresql":  # SQLite has one writer at a time
            await waits_for_a_lock()
        await outbox_kit.withdraw(session, customer.id)
    assert isinstance(await composing, Skip)
    assert {each.state for each in await told()} == {"skipped"}
    assert await notified() == []


async def waits_for_a_lock() -> None:
    """Wait until a transaction of PostgreSQL waits for another one."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    async with asyncio.timeout(4), read_only() as session:
        while not await session.scalar(waiting):  # noqa: ASYNC110 (a moment)
            await asyncio.sleep(0.01)


async def test_refill_is_told_to_no_one(monkeypatch):
    shift, _ = await a_day(guests=0)
    async with transaction() as session:
        session.add(StoredStop(shift_id=shift.id, place=1, leg_s=600, begins_at=NOW))
    at(monkeypatch, NOW + 60 * MINUTE)
    await follow()
    await step(shift, "drive")
    (refill,) = await route(shift)
    await change_stop(refill, driving_at=NOW, arrived_at=NOW)
    for tell in ("drive", "arrive"):
        await step(shift, tell)
    assert not await outbox.stored()


UNREACHED = "We may not reach you today"


async def test_customer_of_a_stop_after_the_shift_is_told_once_then_of_a_time_again(monkeypatch):
    _, (stop,) = await a_day()
    for _ in range(2):
        await news(monkeypatch, stop, leg_s=36_000)  # the shift ends at 19:00
    assert await sent() == [UNREACHED]
    await news(monkeypatch, stop, leg_s=600)
    assert (await sent())[1].startswith("Your fill-up is now expected today")
    await news(monkeypatch, stop, leg_s=36_000)
    assert len(await sent()) == 3  # again


@pytest.mark.parametrize(
    ("changed", "reason"),
    [({"leg_s": 600}, arrivals.REACHED), ({"slot_id": "another"}, arrivals.NO_ROUTE)],
)
async def test_customer_of_a_stop_that_is_reached_after_all_is_told_nothing(
    monkeypatch, changed, reason
):
    _, (stop,) = await a_day()
    await change_stop(stop, leg_s=36_000)
    await follow()
    await change_stop(stop, **changed)
    await send(monkeypatch)
    assert (await sent(), await skipped()) == ([], [reason])
    await news(monkeypatch, stop, leg_s=36_000, slot_id=stop.slot_id)
    assert await sent() == [UNREACHED]


@pytest.mark.parametrize(
    "day", [{"published": False}, {"closed_at": NOW}, {"passes": timedelta(days=1)}]
)
async def test_day_that_is_not_on_the_road_tells_nothing(monkeypatch, day):
    await a_day(published=day.get("published", True))
    if "closed_at" in day:
        async with transaction() as session:
            await session.execute(update(PublishedDay).values(closed_at=NOW))
    at(monkeypatch, NOW + day.get("passes", 60 * MINUTE))
    await follow()
    assert not await told()


async def test_several_processes_at_once_tell_a_move_once(monkeypatch):
    await a_day()
    moments = iter(NOW + 30 * MINUTE + timedelta(seconds=n) for n in range(1000))
    monkeypatch.setattr(clock, "now", lambda: next(moments))
    await asyncio.gather(*(follow() for _ in range(6)))
    assert len(await told()) == 1


async def test_technician_who_leaves_and_is_there_is_told_once_each(monkeypatch):
    shift, (stop,) = await a_day()
    await change_stop(stop, driving_at=NOW)
    for _ in range(2):
        await step(shift, "drive")
    await run_worker()
    assert not await sent("on_the_way")  # the technician may have pressed the wrong button
    await send(monkeypatch)
    await change_stop(stop, arrived_at=NOW + MINUTE)
    for _ in range(2):
        await step(shift, "arrive")
    await send(monkeypatch)
    assert await sent("on_the_way") == ["On the way: arriving between 10:05 and 10:25 AM"]
    assert await sent("arrived") == ["Tech1 has arrived"]
    assert await notified() == [NOW + 10 * MINUTE]


async def test_technician_who_turns_back_is_told_by_what_the_customer_knows(monkeypatch):
    shift, (stop,) = await a_day()
    await change_stop(stop, driving_at=NOW)
    await step(shift, "drive")
    await send(monkeypatch)
    at(monkeypatch, NOW + 30 * MINUTE)
    await news(monkeypatch, stop, driving_at=None)
    assert await sent() == ["Your fill-up is now expected today between 10:35 and 10:55 AM"]


async def test_customer_who_was_told_of_a_trip_that_is_taken_back_is_told_when_we_come(monkeypatch):
    shift, (stop,) = await a_day()
    await change_stop(stop, driving_at=NOW)
    await step(shift, "drive")
    booking = await stored_as(stop.booking_id)
    async with transaction() as session:  # before it is told
        await arrivals.forget_trip(session, booking, stop.id, NOW)
    assert await notified() == []
    await send(monkeypatch)
    async with transaction() as session:
        await arrivals.forget_trip(session, booking, stop.id, NOW)
    await news(monkeypatch, stop, driving_at=None)
    assert await sent("on_the_way") == ["On the way: arriving between 10:05 and 10:25 AM"]
    assert await sent() == ["Your fill-up is now expected today between 10:05 and 10:25 AM"]
    await news(monkeypatch)
    assert len(await sent()) == 1


@pytest.mark.parametrize(
    ("kind", "differs", "reason"),
    [
        ("on_the_way", {"driving_at": None}, arrivals.UNDONE),
        ("on_the_way", {"driving_at": NOW + MINUTE}, arrivals.UNDONE),
        ("on_the_way", {"arrived_at": NOW}, arrivals.PASSED),
        ("on_the_way", {"ended_at": NOW}, arrivals.PASSED),
        ("on_the_way", {"slot_id": "another"}, arrivals.NO_ROUTE),
        ("arrived", {"arrived_at": None}, arrivals.UNDONE),
        ("arrived", {"driving_at": NOW + MINUTE}, arrivals.UNDONE),
        ("arrived", {"ended_at": NOW}, arrivals.PASSED),
        ("arrived", {"slot_id": "another"}, arrivals.NO_ROUTE),
    ],
)
async def test_step_that_others_have_followed_is_not_told(monkeypatch, kind, differs, reason):
    shift, (stop,) = await a_day()
    here = {} if kind == "on_the_way" else {"arrived_at": NOW}
    await change_stop(stop, driving_at=NOW, **here)
    await step(shift, "drive" if kind == "on_the_way" else "arrive")
    await change_stop(stop, **differs)
    await send(monkeypatch)
    assert (await sent(kind), await skipped(kind)) == ([], [reason])


async def test_step_from_a_phones_queue_is_told_after_the_rest_of_it(monkeypatch):
    shift, (stop,) = await a_day()
    at(monkeypatch, NOW + 10 * MINUTE)
    await change_stop(stop, driving_at=NOW + 5 * MINUTE)
    await step(shift, "drive")
    await run_worker()
    assert [each.state for each in await told("on_the_way")] == ["queued"]
    await change_stop(stop, arrived_at=NOW + 9 * MINUTE)
    await step(shift, "arrive")
    await send(monkeypatch)
    assert (await sent("on_the_way"), await sent("arrived")) == ([], ["Tech1 has arrived"])


async def test_way_that_is_told_too_late_is_not_what_the_customer_knows(monkeypatch):
    shift, (stop,) = await a_day()
    await change_stop(stop, driving_at=NOW)
    await step(shift, "drive")
    at(monkeypatch, NOW + 10 * MINUTE + 2 * arrivals.NEWS)
    await run_worker()
    assert (await skipped("on_the_way"), await notified()) == ([TOO_LATE], [])


async def test_second_trip_to_a_stop_is_told_again():
    shift, (stop,) = await a_day()
    for driving in (NOW, NOW + 30 * MINUTE):  # in between the step was undone
        await change_stop(stop, driving_at=driving, arrived_at=driving)
        await step(shift, "drive")
        await step(shift, "arrive")
    assert len(await told("on_the_way")) == len(await told("arrived")) == 2


async def test_step_that_was_not_taken_is_not_told():
    shift, _ = await a_day()
    await step(shift, "drive")
    await step(shift, "arrive")
    assert not await told("on_the_way") + await told("arrived")


async def tomorrow() -> StoredStop:
    """Store tomorrow's published shift with a stop at 10:00, in a window to noon."""
    shift = await a_shift(await a_truck(), await a_technician())
    starts_at = NOW + timedelta(days=1)
    booking = await a_booking(await an_area(), days=1, opens=10, starts_at=starts_at)
    (stop,) = await on_route(shift, booking, published=True)
    return stop


NEXT_DAY = TODAY + timedelta(days=1)
EVENING_SAYS = "Your fill-up is now expected tomorrow, Tuesday, November 24, between "


async def test_move_within_the_window_of_a_later_day_is_told_in_the_evening_before(monkeypatch):
    stop = await tomorrow()
    for leg_s in (4 * 3600, 4 * 3600 + 1800, 4 * 3600):
        await change_stop(stop, leg_s=leg_s)  # the shift begins at seven
        await follow(NEXT_DAY)
    await send(monkeypatch)
    assert (await sent(), await skipped()) == ([], [])
    (evening,) = await told()
    assert evening.send_at == on_clock(TODAY, 18)
    at(monkeypatch, evening.send_at)
    await run_worker()
    assert await sent() == [f"{EVENING_SAYS}10:50 and 11:15 AM"]
    await change_stop(stop, leg_s=3 * 3600)
    await follow(NEXT_DAY)
    await send(monkeypatch)
    assert len(await sent()) == 2


async def test_window_of_a_later_day_that_is_missed_is_told_after_the_pause(monkeypatch):
    stop = await tomorrow()
    await change_stop(stop, leg_s=6 * 3600)
    await follow(NEXT_DAY)
    await change_stop(stop, leg_s=4 * 3600 + 2400)  # mended: it is told in the evening, if at all
    await follow(NEXT_DAY)
    await send(monkeypatch)
    assert (await sent(), await skipped()) == ([], [arrivals.LATER_DAY])
    await change_stop(stop, leg_s=6 * 3600)
    await follow(NEXT_DAY)
    await send(monkeypatch)
    assert await sent() == [f"{EVENING_SAYS}1:20 and 1:45 PM"]
    at(monkeypatch, on_clock(TODAY, 18))
    await run_worker()
    assert (len(await sent()), (await skipped())[1:]) == (1, [arrivals.KNOWN])


HERE = "203.0.113.9"
DAY = TODAY + timedelta(days=1)
EIGHT = on_clock(DAY, 8)


async def look(booking: StoredBooking) -> Tracked | None:
    return await arrivals.read_link(secrets.token(TRACKED, booking.id))


async def shown(booking: StoredBooking) -> Tracked:
    found = await look(booking)
    assert found is not None
    return found


class Road:
    """A published day with three bookings on one truck; each has a leg of ten minutes."""

    shift: StoredShift
    bookings: list[StoredBooking]
    stops: list[StoredStop]

    async def open(self) -> "Road":
        area = await an_area()
        window: dict[str, Any] = {"starts_at": EIGHT, "ends_at": on_clock(DAY, 10)}
        self.bookings = [await a_booking(area, days=1, opens=8 + n, **window) for n in range(3)]
        truck = await a_truck(name="Manatee")
        self.shift = await a_shift(truck, await a_technician())
        self.stops = await on_route(self.shift, *self.bookings, published=True)
        return self

    async def step(self, number: int, state: str, **times: Any) -> None:
        """Let a stop be as a technician's step leaves it."""
        ended = {"completed_at": times["ended_at"]} if state == "completed" else {}
        await change(self.bookings[number], state=state, **ended)
        await change_stop(self.stops[number], **times)


@pytest.fixture
async def trip(database, monkeypatch) -> Road:
    at(monkeypatch, on_clock(DAY, 7) + timedelta(minutes=55))
    return await Road().open()


async def test_sentence_says_stops_and_span_and_names_technician_and_truck(trip, monkeypatch):
    first, second, third = [await shown(each) for each in trip.bookings]
    assert first.sentence == "Tech1 comes to you next, 8:00–8:20 AM"  # noqa: RUF001
    assert second.sentence == "Tech1 is 1 stop away, 8:15–8:40 AM"  # noqa: RUF001
    assert third.sentence.startswith("Tech1 is 2 stops away, ")
    assert (third.stops_before, third.technician, third.truck) == (2, "Tech1", "Manatee")
    assert (third.step, third.car, third.truck_at, third.advice) == (0, None, None, "")
    at(monkeypatch, on_clock(TODAY, 18))
    day_before = (await shown(trip.bookings[2])).sentence
    assert day_before.startswith("Tech1 comes on Tuesday, November 24")
    at(monkeypatch, EIGHT)
    await trip.step(0, "completed", driving_at=EIGHT, arrived_at=EIGHT, ended_at=EIGHT)
    await change(trip.bookings[1], state="cancelled")
    last = await shown(trip.bookings[2])
    assert last.stops_before == 0
    assert last.sentence.startswith("Tech1 comes to you next, ")


async def test_no_time_is_promised_after_the_shift(trip, monkeypatch):
    """The technician is at home by then; one who works on is there."""
    ends_at = EIGHT + timedelta(minutes=10)
    async with transaction() as session:
        (await session.get_one(StoredShift, trip.shift.id)).ends_at = ends_at
    first, second, _ = [await shown(each) for each in trip.bookings]
    assert first.sentence.startswith("Tech1 comes to you next, ")
    assert second.sentence == "Tech1 cannot reach you before the shift ends, 8:10 AM"
    assert second.advice.startswith("Our office looks for another technician or time")
    at(monkeypatch, EIGHT - timedelta(days=1))
    ahead = await shown(trip.bookings[1])
    day = "on Tuesday, November 24, 8:10 AM"
    assert ahead.sentence == f"Tech1 cannot reach you before the shift ends {day}"
    at(monkeypatch, EIGHT + timedelta(minutes=30))
    await trip.step(1, "en_route", driving_at=EIGHT)
    coming = await shown(trip.bookings[1])
    assert coming.sentence.startswith("Tech1 is on the way to you, ")
    assert coming.advice == ""


async def test_truck_is_on_the_map_only_on_its_way_to_this_car(trip, monkeypatch):
    place = {"lat": 27.35, "lng": -82.5, "position_at": EIGHT}
    async with transaction() as session:
        (await session.get_one(StoredShift, trip.shift.id)).sqlmodel_update(place)
    at(monkeypatch, EIGHT + timedelta(minutes=4))
    await trip.step(0, "en_route", driving_at=EIGHT)
    coming, waiting = [await shown(each) for each in trip.bookings[:2]]
    assert coming.sentence.startswith("Tech1 is on the way to you, ")
    assert coming.truck_at == (27.35, -82.5)
    assert coming.car == (PLACE.lat, PLACE.lng)
    assert coming.times == ("", "8:00 AM", "", "", "")
    assert (waiting.truck_at, waiting.car) == (None, None)
    at(monkeypatch, EIGHT + timedelta(minutes=5))
    assert (await shown(trip.bookings[0])).truck_at is None


async def test_each_step_has_its_time_and_the_last_one_the_receipt(trip, monkeypatch):
    at(monkeypatch, EIGHT + timedelta(minutes=30))
    minutes = [EIGHT + timedelta(minutes=each) for each in (5, 15, 17, 26)]
    await trip.step(0, "arrived", driving_at=minutes[0], arrived_at=minutes[1])
    assert (await shown(trip.bookings[0])).sentence == "Tech1 has arrived"
    await trip.step(0, "fueling", fueling_at=minutes[2])
    assert (await shown(trip.bookings[0])).sentence == "Tech1 is fueling your car"
    await trip.step(0, "completed", ended_at=minutes[3])
    done = await shown(trip.bookings[0])
    assert done.sentence == "Your car was filled at 8:26 AM"
    assert done.times == ("", "8:05 AM", "8:15 AM", "8:17 AM", "8:26 AM")
    assert (done.step, done.technician, done.truck_at) == (4, "", None)


async def test_link_ends_a_day_after_the_stop_or_after_its_window(trip, monkeypatch):
    done, cancelled, _ = trip.bookings
    await trip.step(0, "completed", ended_at=EIGHT)
    await change(cancelled, state="cancelled")
    for booking, ended_at in ((done, EIGHT), (cancelled, on_clock(DAY, 10))):
        at(monkeypatch, ended_at + timedelta(hours=24))
        assert await look(booking)
        at(monkeypatch, ended_at + timedelta(hours=24, seconds=1))
        assert await look(booking) is None
    with pytest.raises(LinkUnknown):
        await arrivals.open_link(secrets.token(TRACKED, done.id), HERE)


async def test_late_technician_is_said_and_nothing_is_promised_in_the_past(trip, monkeypatch):
    at(monkeypatch, on_clock(DAY, 10) + timedelta(minutes=2))
    late = await shown(trip.bookings[0])
    assert late.sentence == "Tech1 comes to you next, 10:05–10:25 AM"  # noqa: RUF001
    assert late.advice == (
        "That is after your window, Tue, Nov 24, 8–10 AM. We are sorry for the delay."  # noqa: RUF001
    )
    await trip.step(0, "arrived", driving_at=EIGHT, arrived_at=on_clock(DAY, 10))
    assert (await shown(trip.bookings[0])).advice == ""


@pytest.mark.parametrize(
    ("state", "sentence", "advice"),
    [
        ("cancelled", "This fill-up is cancelled", "You can book another time"),
        (
            "failed",
            "Your car could not be filled: our technician could not get to it",
            "Please book another time",
        ),
        ("weather_hold", "Your fill-up is on hold: No access", "We come when we can"),
    ],
)
async def test_booking_that_does_not_take_place_says_what_to_do(trip, state, sentence, advice):
    await change(trip.bookings[1], state=state, reason="No access (gate, dog, person)")
    found = await shown(trip.bookings[1])
    assert found.sentence.startswith(sentence)
    assert found.advice.startswith(advice)
    assert (found.step, found.technician, found.truck) == (-1, "", "")


async def test_moved_booking_says_to_when(trip):
    booking = await a_booking(trip.bookings[0].area_id, days=2, opens=16)
    await change(
        trip.bookings[1],
        state="booked",
        slot_id=booking.slot_id,
        starts_at=booking.starts_at,
        ends_at=booking.ends_at,
    )
    moved = "Your fill-up was moved to Thu, Nov 26, 4–6 PM"  # noqa: RUF001
    assert (await shown(trip.bookings[1])).sentence == moved
    planned = "Your fill-up is planned for Thu, Nov 26, 4–6 PM"  # noqa: RUF001
    assert (await shown(booking)).sentence == planned


async def test_anything_but_our_tokens_shows_nothing(trip):
    other = secrets.token(MANAGED, trip.bookings[0].id), secrets.token(TRACKED, trip.shift.id)
    for token in (None, 7, "", "x", ["a"], {"a": 1}, "\ud800", "9" * 5000, *other):
        assert await arrivals.read_link(token) is None


async def test_unknown_links_from_one_address_are_limited(trip):
    known = secrets.token(TRACKED, trip.bookings[0].id)
    for _ in range(20):
        assert await arrivals.open_link(known, HERE)
        with pytest.raises(LinkUnknown):
            await arrivals.open_link("x", HERE)
    with pytest.raises(TooManyRequests):
        await arrivals.open_link(known, HERE)
    assert await arrivals.open_link(known, "203.0.113.10")
