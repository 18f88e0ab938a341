"""A technician's actions: each is taken once, in order, with its own time."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import delete
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.bookings.service import access
from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules import phones as rules
from fuel_app.dispatch.service import phones
from fuel_app.kit import clock
from fuel_app.kit import outbox as outbox_kit
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs.tables import StoredJob
from tests.helpers import dispatch, fills, outbox, phone
from tests.helpers.bookings import STAFF
from tests.helpers.outbox import run_worker
from tests.helpers.people import rows
from tests.helpers.phone import a_road, action, later, send

pytestmark = pytest.mark.usefixtures("_clock")
on_sqlite = pytest.mark.usefixtures("sqlite_database")


async def kinds() -> list[str]:
    return [each.kind for each in await rows(BookingEvent) if each.kind != "book"]


@pytest.mark.usefixtures("database")
async def test_whole_stop_is_driven_filled_and_billed_with_the_phones_times(monkeypatch):
    road = await a_road(monkeypatch)
    began = clock.now()
    steps = [
        action(kind, road.id, at=phone.ms(began + timedelta(minutes=n)))
        for n, kind in enumerate(("drive", "arrive", "fuel", "complete"))
    ]
    later(monkeypatch, hours=1)
    assert await send(road.technician, *steps) == [""] * 4
    minutes = [began + timedelta(minutes=n) for n in range(4)]
    stop, booking = await road.stop(), await road.now()
    assert [stop.driving_at, stop.arrived_at, stop.fueling_at, stop.ended_at] == minutes
    assert (booking.state, booking.completed_at) == ("completed", minutes[3])
    assert (booking.filled_milligallons, await kinds()) == (
        12_345,
        ["drive", "arrive", "fuel", "complete"],
    )
    assert [each.at for each in await access.list_steps(STAFF, road.id)][1:] == minutes
    [bill] = await fills.bills(booking)
    assert (bill.state, bill.details["filled_at"]) == ("draft", minutes[3].isoformat())


@pytest.mark.usefixtures("database")
async def test_same_batch_sent_again_after_a_lost_answer_is_taken_once(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive", "arrive")]
    first = await send(road.technician, *batch)
    assert first == ["", "", "Press 'Start driving' first."]
    assert await send(road.technician, *batch) == first
    assert await kinds() == ["drive", "arrive"]
    assert [(each.kind, each.refused) for each in await phone.actions()] == [
        ("drive", ""),
        ("arrive", ""),
        ("arrive", first[2]),
    ]


@pytest.mark.usefixtures("database")
async def test_same_batch_in_two_requests_at_once_is_taken_once(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive", "fuel", "complete")]
    both = await asyncio.gather(*(send(road.technician, *batch) for _ in range(2)))
    assert both == [[""] * 4] * 2
    assert await kinds() == ["drive", "arrive", "fuel", "complete"]
    assert len(await fills.bills(road.booking)) == 1


@pytest.mark.usefixtures("database")
async def test_unexpected_error_leaves_the_action_unheard_and_the_ones_before_taken(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive")]

    async def broken(*_: object) -> None:
        raise RuntimeError

    whole = phones._mark_step
    monkeypatch.setattr(phones, "_mark_step", broken)
    with pytest.raises(RuntimeError):
        await send(road.technician, *batch)
    assert (await phone.actions(), (await road.now()).state) == ([], "dispatched")
    monkeypatch.setattr(phones, "_mark_step", whole)
    assert await send(road.technician, *batch) == ["", ""]


@on_sqlite
async def test_queue_of_another_person_and_of_other_roles_is_refused(monkeypatch):
    road = await a_road(monkeypatch)
    for person in (road.customer.id, "", None, 7, [road.technician.person_id]):
        with pytest.raises(NotAllowed):
            await phones.receive_actions(road.technician, person, [action("drive", road.id)])
    for role in (Role.CUSTOMER, Role.DISPATCHER, Role.ADMIN):
        other = Actor(frozenset({role}), road.technician.person_id)
        with pytest.raises(NotAllowed):
            await phones.receive_actions(other, other.person_id, [action("drive", road.id)])
    assert await phone.actions() == []


@on_sqlite
@pytest.mark.parametrize(
    ("sent", "named"),
    [(None, ""), (7, ""), ("x", ""), ({}, ""), ([], ""), ({"id": 7}, ""), ({"id": "x"}, "x")],
)
async def test_unreadable_action_is_refused_and_does_not_hold_up_others(monkeypatch, sent, named):
    road = await a_road(monkeypatch)
    good = action("drive", road.id)
    [bad, heard] = await phones.receive_actions(
        road.technician, road.technician.person_id, [sent, good]
    )
    assert (bad.id, bad.refused, heard.refused) == (named, rules.OLD_APP, "")


@on_sqlite
async def test_strange_values_in_an_action_are_refused_in_words(monkeypatch):
    road = await a_road(monkeypatch)
    for differs in (
        {"kind": "dance"}, {"kind": 7}, {"kind": "drive" * 100}, {"stop": "x"}, {"stop": None},
    ):  # fmt: skip
        [why] = await send(road.technician, action("drive", road.id) | differs)
        assert why in (rules.OLD_APP, rules.NOT_YOURS)
    for data in ([], "x", 7, {"checked": 7}, {"checked": [{}, "engine_off"]}):
        assert await send(road.technician, action("drive", road.id, data)) == [""]
        await road.do("back")
    note = {"reason": "other", "note": "a\x00b\ud800" * 900}
    await road.do("drive", "arrive")
    assert await send(road.technician, action("fail", road.id, note)) == [""]
    assert await phones.receive_actions(road.technician, road.technician.person_id, {"a": 1}) == []


@on_sqlite
async def test_times_of_a_wrong_clock_are_kept_within_a_week(monkeypatch):
    road = await a_road(monkeypatch)
    now = clock.now()
    times = (
        phone.ms(now + timedelta(days=9)), -1, 10**30, None, True, "7", phone.ms(now), 0,
    )  # fmt: skip
    for at in times:
        await send(road.technician, action("drive", road.id, at=at))
    week = now - rules.ACTION_AGE_MAX
    assert [each.at for each in await phone.actions()] == [now, week, *[now] * 5, week]


@on_sqlite
async def test_only_so_many_actions_are_heard_at_once(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action("arrive", road.id) for _ in range(rules.ACTIONS_MOST + 3)]
    assert len(await send(road.technician, *batch)) == rules.ACTIONS_MOST


@on_sqlite
async def test_id_of_another_technicians_action_discloses_and_changes_nothing(monkeypatch):
    road = await a_road(monkeypatch)
    other = await dispatch.a_technician(2)
    first = action("arrive", road.id)
    await send(road.technician, first)
    assert await send(other, first) == [rules.OLD_APP]


@pytest.mark.usefixtures("database")
async def test_customers_are_told_of_the_trip_the_arrival_and_what_it_moves_once(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive")]
    for _ in range(2):
        await send(road.technician, *batch)
    later(monkeypatch, hours=4)
    await road.do("fuel", "complete")
    assert [len(await fills.said(each)) for each in ("on_the_way", "arrived")] == [1, 1]
    [moved] = await fills.said("arrival_moved")
    assert moved["booking"] == guest.id


async def send_messages() -> None:
    """Run the jobs of messages alone: no card is asked."""
    async with transaction() as session:
        await session.execute(delete(StoredJob).where(col(StoredJob.kind) != outbox_kit.JOB))
    await run_worker()


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("is_split", [False, True], ids=["one request", "several requests"])
async def test_queue_of_a_phone_is_told_once_it_is_applied(monkeypatch, is_split):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    began = clock.now() + timedelta(hours=4)
    steps = [*((each, road.id) for each in ("drive", "arrive", "fuel", "complete"))]
    queue = [
        action(kind, stop, at=phone.ms(began + timedelta(minutes=n)))
        for n, (kind, stop) in enumerate([*steps, ("drive", guest.id)])
    ]
    later(monkeypatch, hours=4, minutes=6)
    for batch in [[each] for each in queue] if is_split else [queue]:
        assert await send(road.technician, *batch) == [""] * len(batch)
        await send_messages()
    later(monkeypatch, minutes=1)
    await send_messages()
    sent = [
        (each.kind, each.payload["booking"])
        for each in await outbox.stored()
        if each.state == "sent" and each.kind in ("on_the_way", "arrived", "arrival_moved")
    ]
    assert sent == [("on_the_way", guest.id)]


@pytest.mark.slow
@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", id="two writers")])
async def test_shift_that_lost_the_stop_meanwhile_is_unlocked_before_the_next(monkeypatch):
    road = await a_road(monkeypatch)
    former, lock, free = road.shift, queries.lock_shifts, []

    async def lock_while_moved(session, shift_ids):
        if road.shift is former:
            await phone.reassign(road)
        else:
            async with transaction() as other:
                free.extend(await queries.lock_day(other, former.day, free_only=True))
        return await lock(session, shift_ids)

    monkeypatch.setattr(phones.queries, "lock_shifts", lock_while_moved)
    assert await send(road.technician, action("drive", road.id)) == [rules.ANOTHERS]
    assert former.id in free
