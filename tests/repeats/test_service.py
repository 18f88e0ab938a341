"""Series of visits: started, booked once for each date, skipped, paused, ended."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from fuel_app.accounts.rules import NotAllowed
from fuel_app.accounts.rules.security import Visitor
from fuel_app.areas.service import hours
from fuel_app.areas.tables import StoredPrice
from fuel_app.bookings.rules.authorizations import CARD_DECLINED, CARD_MISSING
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.service import bookings, changes
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.tables import StoredAddress, StoredVehicle
from fuel_app.kit import secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from fuel_app.membership import service as membership
from fuel_app.messages.rules.kinds import REPEATED, BadLink
from fuel_app.plans.tables import Subscription
from fuel_app.repeats import jobs, queries, rules, service
from fuel_app.repeats.rules import CarRepeats, NeedsPlan, NotRepeatable, RepeatGone, TooLateToSkip
from fuel_app.repeats.tables import SeriesCar, SeriesVisit, StoredSeries
from tests.helpers.bookings import (
    MILLS,
    NOW,
    STAFF,
    TODAY,
    Customer,
    a_car,
    a_customer,
    an_area,
    another_car,
    at,
    booked,
    set_price,
    slot,
    stored,
)
from tests.helpers.outbox import run_worker
from tests.helpers.people import history, messages, rows
from tests.helpers.signed_in import session_of

DAY = timedelta(days=1)
pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def repeated(weeks: int = 1, **customer: Any) -> tuple[str, Customer, str]:
    """Book tomorrow at 8 and repeat it. Return the area, the customer and the series."""
    area_id, who = await an_area(), await a_customer(**customer)
    await service.start(who.actor, (await booked(who, slot(area_id))).id, weeks)
    return area_id, who, (await rows(StoredSeries))[0].id


async def the_series() -> StoredSeries:
    (row,) = await rows(StoredSeries)
    return row


async def days() -> list[int]:
    """Return how many days from today the visits are that have not been cancelled."""
    kept = [each for each in await stored() if each.state != "cancelled"]
    return sorted((each.starts_at.date() - TODAY).days for each in kept)


async def mails(kind: str) -> list[Message]:
    return [each for each in await messages(kind) if each.channel == "mail"]


async def set_all(table: type, **values: object) -> None:
    async with transaction() as session:
        await session.execute(update(table).values(values))


async def test_dates_are_booked_once_as_their_days_come_within_the_horizon(monkeypatch):
    area_id, who, series = await repeated()
    for _ in range(2):
        await service.book_due(series)
    assert await days() == [1, 8]  # the plan's horizon is 14 days
    morning = NOW + timedelta(hours=20)
    at(monkeypatch, morning)
    await set_price(area_id, MILLS + 200, NOW + DAY / 2)
    for _ in range(2):
        assert await service.queue_all(morning) == 1
    await run_worker()
    assert await days() == [1, 8, 15]
    last = max(await stored(), key=lambda row: row.starts_at)
    assert last.fills[0].price_mills == MILLS + 200  # of the day on which it is booked
    assert (last.slot_id, last.fills[0].vehicle_id) == (slot(area_id, 15), who.car_id)
    assert len(await rows(SeriesVisit)) == 3
    row = await the_series()
    assert (row.wording, row.actor) == (f"Every week. {rules.TERMS}", who.id)
    assert (row.started_at, row.next_day) == (NOW, TODAY + 22 * DAY)
    assert ("repeat_started", {"what": row.wording}) in await history(who.id)


async def test_run_that_dies_before_its_visit_is_noted_has_booked_nothing(monkeypatch):
    _, _, series = await repeated(2, plan="big-family")
    add_visit = queries.add_visit

    async def die(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(queries, "add_visit", die)
    with pytest.raises(RuntimeError):
        await service.book_due(series)
    assert await days() == [1]
    monkeypatch.setattr(queries, "add_visit", add_visit)
    for _ in range(2):
        await service.book_due(series)
    assert await days() == [1, 15]
    assert len(await rows(SeriesVisit)) == 2
    assert len(await mails("booking_confirmed")) == 2


def once_before_booking(
    monkeypatch: pytest.MonkeyPatch, act: Callable[..., Awaitable[None]], *args: object
) -> None:
    """Do something once a run has read its series and is about to book."""
    bookable = hours.bookable

    async def after_that(*asked: Any) -> object:
        monkeypatch.setattr(hours, "bookable", bookable)
        await act(*args)
        return await bookable(*asked)

    monkeypatch.setattr(hours, "bookable", after_that)


async def test_another_run_that_has_noted_the_date_is_no_second_one(monkeypatch):
    _, _, series = await repeated()
    once_before_booking(monkeypatch, service.book_due, series)
    await service.book_due(series)
    assert await days() == [1, 8]
    assert len(await rows(SeriesVisit)) == 2


@pytest.mark.parametrize("stop", [service.pause, service.end])
async def test_series_that_is_stopped_as_it_is_being_booked_books_and_tells_nothing(
    stop, monkeypatch
):
    _, who, series = await repeated()
    once_before_booking(monkeypatch, stop, who.actor, series)
    await service.book_due(series)
    assert (await days(), len(await mails("booking_confirmed"))) == ([1], 1)
    assert (await mails("repeat_missed"), (await the_series()).next_day) == ([], TODAY + 8 * DAY)


async def test_clocks_change_and_the_window_stays(monkeypatch):
    area_id, who = await an_area(), await a_customer()
    moment = datetime(2027, 3, 9, 15, tzinfo=UTC)
    at(monkeypatch, moment)
    await set_price(area_id, MILLS, moment - DAY)
    await service.start(who.actor, (await booked(who, f"{area_id}-2027-03-10-08")).id, 1)
    await service.book_due((await the_series()).id)
    before, after = sorted(await stored(), key=lambda row: row.starts_at)
    assert after.starts_at - before.starts_at == 7 * DAY - timedelta(hours=1)
    assert after.starts_at == on_clock(date(2027, 3, 17), 8)


async def test_full_window_is_told_with_the_nearest_open_ones_and_the_series_goes_on():
    area_id, who = await an_area(capacity=1), await a_customer()
    first, other = await booked(who, slot(area_id)), await a_customer(2)
    await booked(other, slot(area_id, 8))
    await service.start(who.actor, first.id, 1)
    series = (await the_series()).id
    for _ in range(2):
        await service.book_due(series)
    (told,) = await mails("repeat_missed")
    assert told.payload["when"] == "Tuesday, December 1, 2026, 8–10 AM"  # noqa: RUF001
    assert told.payload["vehicle"] == "2020 Toyota Camry"
    assert "just taken" in told.payload["reason"]
    assert told.payload["windows"].startswith("Mon, Nov 30, ")
    assert "Tue, Dec 1, 10 AM–12 PM" in told.payload["windows"]  # noqa: RUF001
    assert len([each for each in await stored() if each.person_id == who.id]) == 1
    assert (await the_series()).next_day == TODAY + 15 * DAY


async def test_place_that_we_do_not_serve_any_more_is_told_without_windows():
    _, _, series = await repeated()
    await set_all(StoredSeries, place={**(await the_series()).place, "zip_code": "99999"})
    await service.book_due(series)
    (told,) = await mails("repeat_missed")
    assert (told.payload["reason"], told.payload["windows"]) == ("We do not serve 99999 yet.", "")


async def test_what_may_be_over_by_tomorrow_waits_until_it_is_too_late(monkeypatch):
    area_id, _, series = await repeated()
    async with transaction() as session:
        await session.execute(delete(StoredPrice))
    await service.book_due(series)
    assert await mails("repeat_missed") == []
    assert (await the_series()).next_day == TODAY + 8 * DAY
    at(monkeypatch, NOW + 8 * DAY)
    await service.book_due(series)
    (told,) = await mails("repeat_missed")
    assert told.payload["reason"] == rules.LATE
    await set_price(area_id, MILLS, NOW + 7 * DAY)
    await service.book_due(series)
    assert await days() == [1, 15, 22]


async def test_date_that_the_customer_has_booked_by_hand_is_not_told():
    area_id, who, series = await repeated()
    await booked(who, slot(area_id, 8))
    await service.book_due(series)
    assert (await days(), await mails("repeat_missed")) == ([1, 8], [])
    assert (await the_series()).next_day == TODAY + 15 * DAY


@pytest.mark.parametrize("is_full", [False, True])
async def test_car_that_is_booked_by_hand_leaves_the_others_booked_or_told(is_full):
    area_id, who = await an_area(capacity=1 if is_full else 2), await a_customer()
    second = a_car(who.id, 2)
    second.year = "2021"
    async with transaction() as session:
        session.add(second)
    visit = await booked(who, slot(area_id), cars=(who.car_id, second.id))
    await service.start(who.actor, visit.id, 1)
    await booked(who, slot(area_id, 8))
    await service.book_due((await the_series()).id)
    alone = [
        row for row in await stored() if [each.vehicle_id for each in row.fills] == [second.id]
    ]
    told = [each.payload["vehicle"] for each in await mails("repeat_missed")]
    assert (len(alone), told) == ((0, ["2021 Toyota Camry"]) if is_full else (1, []))
    assert (await the_series()).next_day == TODAY + 15 * DAY


async def test_price_that_changes_while_it_is_booked_waits(monkeypatch):
    area_id, _, series = await repeated()
    estimate_fill = bookings.estimate_fill

    async def before_a_change(*asked: Any) -> object:
        seen = await estimate_fill(*asked)
        await set_price(area_id, MILLS + 200, NOW)
        return seen

    monkeypatch.setattr(bookings, "estimate_fill", before_a_change)
    await service.book_due(series)
    assert (await days(), (await the_series()).next_day) == ([1], TODAY + 8 * DAY)


async def test_saved_address_gives_its_gate_code_of_now_and_a_removed_one_that_of_then():
    _, _, series = await repeated(plan="big-family")
    await set_all(StoredAddress, gate_code="4711")
    await service.book_due(series)
    first, *later = sorted(await stored(), key=lambda row: row.starts_at)
    assert (first.place["gate_code"], {each.place["gate_code"] for each in later}) == ("", {"4711"})
    async with transaction() as session:
        await session.execute(delete(StoredAddress))
    await set_all(StoredSeries, next_day=TODAY + 2 * DAY)
    await service.book_due(series)
    assert "" in [each.place["gate_code"] for each in await stored() if each.id != first.id]


async def test_one_series_for_each_car_and_the_second_is_refused_with_the_first_ones_visit(
    monkeypatch,
):
    area_id, who, series = await repeated()
    second = await booked(who, slot(area_id, 3))
    with pytest.raises(CarRepeats, match="Your 2020 Toyota Camry has a repeat already") as refused:
        await service.start(who.actor, second.id, 2)
    (visit,) = await rows(SeriesVisit)
    assert refused.value.booking_id == visit.booking_id
    seen: list[object] = []
    series_with = queries.series_with

    async def unseen_once(*args: object) -> object:
        seen.append(args)
        return await series_with(*args) if len(seen) > 1 else None  # type: ignore[arg-type]

    monkeypatch.setattr(queries, "series_with", unseen_once)
    with pytest.raises(CarRepeats):  # another tab was faster
        await service.start(who.actor, second.id, 2)

    async def unseen(*_: object) -> None:
        return None

    monkeypatch.setattr(queries, "series_with", unseen)
    with pytest.raises(IntegrityError):  # it has ended by now: not this refusal
        await service.start(who.actor, second.id, 2)
    assert [each.id for each in await rows(StoredSeries)] == [series]


async def test_only_ones_own_booked_visit_with_saved_cars_and_a_plan_is_repeated():
    area_id, who, other = await an_area(), await a_customer(), await a_customer(2)
    booking = await booked(who, slot(area_id))
    start = partial(service.start, who.actor)
    for weeks in (3, "1", 1.0, None):
        with pytest.raises(NotRepeatable):
            await start(booking.id, weeks)
    typed = await booked(who, slot(area_id, 2), car=another_car(7))
    for asked in (typed.id, "x", None):
        with pytest.raises(NotRepeatable):
            await start(asked, 1)
    with pytest.raises(NotRepeatable):
        await service.start(other.actor, booking.id, 1)
    with pytest.raises(NotAllowed):
        await service.start(STAFF, booking.id, 1)
    await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=booking.late_fee)
    with pytest.raises(NotRepeatable):
        await start(booking.id, 1)
    none = await a_customer(3, state="incomplete")
    with pytest.raises(NeedsPlan):
        await service.start(none.actor, (await booked(none, slot(area_id))).id, 1)
    assert await rows(StoredSeries) == []


async def test_removed_car_leaves_the_others_and_the_last_one_ends_the_series():
    area_id, who = await an_area(), await a_customer()
    second = a_car(who.id, 2)
    async with transaction() as session:
        session.add(second)
    visit = await booked(who, slot(area_id), cars=(who.car_id, second.id))
    await service.start(who.actor, visit.id, 1)
    series = (await the_series()).id
    async with transaction() as session:
        await session.execute(delete(StoredVehicle).where(col(StoredVehicle.id) == who.car_id))
    await service.book_due(series)
    last = max(await stored(), key=lambda row: row.starts_at)
    assert [each.vehicle_id for each in last.fills] == [second.id]
    await set_all(StoredVehicle, is_active=False)
    await service.book_due(series)
    row = await the_series()
    assert (row.state, row.ended) == ("ended", rules.CARS)
    assert await rows(SeriesCar) == await rows(SeriesVisit) == []
    (told,) = await mails("repeat_ended")
    assert told.payload["reason"] == rules.END_TEXTS[rules.CARS]
    assert await service.list_own(who.actor) == []
    await service.book_due(series)  # a job that has waited
    assert await days() == [1, 8]


async def test_series_ends_with_the_plan_and_books_nothing_from_its_last_day():
    _, _, series = await repeated()
    ends = {"cancel_at_period_end": True, "period_ends": TODAY + 8 * DAY}
    await set_all(Subscription, **ends)
    await service.book_due(series)
    assert (await days(), (await the_series()).state) == ([1], "active")
    await set_all(Subscription, state="cancelled")
    await service.book_due(series)
    assert (await the_series()).ended == rules.PLAN


@pytest.mark.parametrize(
    ("reasons", "ended"),
    [
        ((CARD_DECLINED, CARD_MISSING), rules.CARD),
        ((CARD_DECLINED, None), ""),
        ((CARD_DECLINED, "The area is closed"), ""),
    ],
)
async def test_two_declined_visits_in_a_row_end_the_series(reasons, ended):
    _, _, series = await repeated(plan="family")
    await service.book_due(series)
    visits = sorted(await stored(), key=lambda row: row.starts_at)
    for visit, reason in zip(visits, reasons, strict=True):
        values = {"state": "cancelled", "ended_by": "system", "reason": reason}
        if reason is None:
            values = {"state": "completed"}
        async with transaction() as session:
            own = update(StoredBooking).where(col(StoredBooking.id) == visit.id)
            await session.execute(own.values(values))
    await service.book_due(series)
    assert (await the_series()).ended == ended


async def test_paused_series_books_nothing_until_it_is_resumed_from_then_on(monkeypatch):
    _, who, series = await repeated()
    for _ in range(2):
        await service.pause(who.actor, series)
    await service.book_due(series)
    assert await service.queue_all(NOW) == 0
    assert await days() == [1]
    (own,) = await service.list_own(who.actor)
    assert (own.is_paused, own.window) == (True, "Tuesdays, 8–10 AM")  # noqa: RUF001
    at(monkeypatch, NOW + 10 * DAY)
    await set_price((await stored())[0].area_id, MILLS, NOW + 9 * DAY)
    for _ in range(2):
        await service.resume(who.actor, series)
    await run_worker()
    assert await days() == [15, 22]  # nobody came to the first one
    await service.end(who.actor, series)
    assert (await the_series()).ended == rules.BY_CUSTOMER
    assert await mails("repeat_ended") == []
    kinds = [kind for kind, _ in await history(who.id)]
    assert kinds == ["repeat_started", "repeat_paused", "repeat_resumed", "repeat_ended"]
    for change in (service.pause, service.resume, service.end):
        with pytest.raises(RepeatGone):
            await change(who.actor, series)


async def test_another_ones_series_is_gone():
    _, _, series = await repeated()
    other = await a_customer(2)
    for change in (service.pause, service.resume, service.end):
        for asked in (series, "x", None):
            with pytest.raises(RepeatGone):
                await change(other.actor, asked)
        with pytest.raises(NotAllowed):
            await change(STAFF, series)


async def test_skip_cancels_one_visit_free_of_charge_and_the_series_goes_on(monkeypatch):
    _, who, series = await repeated()
    await service.book_due(series)
    last = max(await stored(), key=lambda row: row.starts_at)
    token = secrets.token(REPEATED, last.id)
    for _ in range(2):
        assert (await service.skip(token)).startswith("Tuesday, December 1, 2026")
    assert await days() == [1]
    (cancelled,) = await mails("booking_cancelled")
    assert cancelled.payload["charge"] == "None"
    await service.book_due(series)
    assert await days() == [1]  # that date is not booked again
    assert (await the_series()).state == "active"
    first = min(await stored(), key=lambda row: row.starts_at)
    at(monkeypatch, first.starts_at - timedelta(hours=1))
    token = secrets.token(REPEATED, first.id)
    with pytest.raises(TooLateToSkip):
        await service.skip(token)
    for state in ("en_route", "completed"):
        async with transaction() as session:
            own = update(StoredBooking).where(col(StoredBooking.id) == first.id)
            await session.execute(own.values(state=state))
        with pytest.raises(TooLateToSkip):
            await service.skip(token)
    await service.pause_by_link(token)
    assert (await the_series()).state == "paused"
    await service.end(who.actor, series)
    with pytest.raises(RepeatGone):
        await service.pause_by_link(token)


async def test_forged_link_reaches_nothing():
    _, _, series = await repeated()
    (booking,) = await stored()
    for token in (None, "", "x", f"{booking.id}.x", secrets.token(REPEATED, series)):
        for act in (service.find_linked, service.skip, service.pause_by_link):
            with pytest.raises(BadLink):
                await act(token)
    assert await days() == [1]


async def test_closed_account_ends_its_series_without_a_mail():
    _, who, _ = await repeated()
    session = await session_of(who.id)
    await membership.close(session, Visitor("203.0.113.7", "Chrome on Mac"))
    assert (await the_series()).ended == rules.ACCOUNT
    assert await mails("repeat_ended") == []


async def test_series_of_a_booking_are_those_of_its_cars():
    area_id, who, _ = await repeated()
    own = await service.list_own(who.actor)
    (visit,) = await stored()
    same_car = await booked(who, slot(area_id, 3))
    typed = await booked(who, slot(area_id, 4), car=another_car(7))
    of_booking = partial(service.of_booking, who.actor)
    assert await of_booking(visit.id) == await of_booking(same_car.id) == (own, False)
    assert await of_booking(typed.id) == await of_booking("x") == ([], False)
    await service.end(who.actor, own[0].id)
    assert await of_booking(same_car.id) == ([], True)


async def test_schedule_queues_one_job_for_each_active_series():
    await repeated()
    assert await jobs.queue(NOW) == 1
