"""What the office is asked about fills, and its answers: each is given once."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.billing.rules.payments import CardNeeded
from fuel_app.bookings.http import _row as booking_row
from fuel_app.bookings.rules.bookings import BookingGone
from fuel_app.bookings.rules.fills import (
    CHECKING,
    FilledAlready,
    MoreThanTank,
    MoreThanTwoTanks,
    QuestionAnswered,
)
from fuel_app.bookings.service import access, authorizations, changes
from fuel_app.bookings.state.cards import BookingCard
from fuel_app.bookings.tables import FillQuestion, FreeFill, StoredBooking
from fuel_app.dashboard import service as dashboard_fills
from fuel_app.dashboard.service import read_customer
from fuel_app.dashboard.state import NONE, MonthCard
from fuel_app.dispatch.rules import phones as rules
from fuel_app.dispatch.rules.arrivals import ServiceTimes, track
from fuel_app.dispatch.rules.day import StopGone
from fuel_app.dispatch.service import fill_records
from fuel_app.dispatch.service.fill_records import answer_question as answer
from fuel_app.dispatch.tables import FillPhoto
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money
from tests.helpers import dispatch, phone
from tests.helpers import fills as filled
from tests.helpers.bank import Bank, bank
from tests.helpers.bookings import STAFF, slot, taken
from tests.helpers.people import a_person, history, rows
from tests.helpers.phone import METER, Road, a_road, action, later, send
from tests.helpers.plans import all_fills_left

__all__ = ["bank", "dashboard_fills"]
pytestmark = pytest.mark.usefixtures("_clock")
on_sqlite = pytest.mark.usefixtures("sqlite_database")
on_both = pytest.mark.usefixtures("database")
ADMIN = Actor(frozenset({Role.ADMIN}), session_id="a" * 36)
WHY = {"reason": "As agreed by phone"}
TOO_MUCH = METER | {"meter_end": "210"}


async def pumped(road: Road, **differs: Any) -> str:
    """Record a fill. Return the id of the question that it raises."""
    await send(road.technician, action("complete", road.id, METER | {"confirmed": True} | differs))
    return (await rows(FillQuestion))[-1].id


async def a_kept_fill(monkeypatch: pytest.MonkeyPatch, state: str, **more: Any) -> tuple[Road, str]:
    road = await a_road(monkeypatch, **more)
    await filled.change(road.booking, state=state)
    return road, await pumped(road)


async def answers() -> list[str]:
    return [each.answer for each in await rows(FillQuestion)]


@on_sqlite
async def test_staff_read_what_was_pumped_beside_a_booking(monkeypatch):
    road = await a_road(monkeypatch)
    await filled.change(road.booking, state="cancelled")
    picture = action("photo", road.id)
    await send(road.technician, picture)
    await fill_records.store_photo(road.technician, picture["id"], phone.picture())
    await pumped(road)
    [asked], total = await fill_records.read_questions(STAFF)
    assert total == 1
    assert asked.most == Money(4270)
    assert (asked.question.kind, asked.question.why) == ("kept", "This stop was cancelled.")
    assert (asked.milligallons, asked.ticket["number"]) == (12_345, "T-1")
    assert (asked.recorded_by, asked.photos) == ("Tech1 Nician", (picture["id"],))
    assert not asked.is_filled
    assert not asked.needs_admin


@on_sqlite
async def test_photo_stays_while_the_office_is_asked_what_was_pumped_beside_it(monkeypatch):
    road = await a_road(monkeypatch)
    picture = action("photo", road.id)
    await send(road.technician, picture)
    other = await phone.reassign(road)
    question = await pumped(road)
    remove = [action("remove_photo", road.id, {"photo": picture["id"]}) for _ in range(2)]
    assert await send(road.technician, remove[0]) == [rules.PHOTOS_ASKED]
    assert await send(other, action("remove_photo", road.id, {"photo": picture["id"]})) == [""]
    await answer(STAFF, question, "waive", WHY)
    assert await send(road.technician, remove[1]) == [""]


@on_both
async def test_charge_completes_the_booking_and_bills_it_by_its_hold(bank: Bank, monkeypatch):
    road = await a_road(monkeypatch, held=True)
    other = await phone.reassign(road)
    beside = action("photo", road.id)
    await send(road.technician, beside)
    await fill_records.store_photo(road.technician, beside["id"], phone.picture())
    question = await pumped(road)
    await answer(STAFF, question, "charge", WHY)
    done = await road.now()
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 12_345, Money(4270))
    assert (await fill_records.photos_of_bookings(STAFF, [road.id]))[road.id] == [beside["id"]]
    later(monkeypatch, minutes=15)
    await filled.run(filled.OPEN_FILL, filled.RELEASE, filled.SETTLE)
    assert await filled.ends() == [("hold", "succeeded", 4270)]
    assert len(await filled.said("completed")) == 1
    assert await all_fills_left() == [3]
    kind, noted = (await history(road.customer.id))[-1]
    assert kind == "booking_charge"
    assert noted is not None
    assert noted["what"].endswith("12.345 gallons, ticket T-1, As agreed by phone")
    assert await answers() == ["charged"]
    assert await phone.do(other, road.id, "drive") == ["This stop is done already."]


@on_both
async def test_of_two_answers_at_once_one_counts(bank: Bank, monkeypatch):
    road, question = await a_kept_fill(monkeypatch, "weather_hold", held=True)
    pressed = (
        answer(STAFF, question, "charge", WHY),
        answer(ADMIN, question, "waive", WHY),
        answer(ADMIN, question, "charge", WHY),
    )
    ends = await asyncio.gather(*pressed, return_exceptions=True)
    assert [type(each) for each in ends if each is not None] == [QuestionAnswered] * 2
    [answered] = await answers()
    done, is_charged = await road.now(), answered == "charged"
    assert (done.state == "completed") == is_charged
    assert len(await filled.bills(done)) == is_charged


@on_sqlite
async def test_waive_keeps_the_state_and_the_gallons(monkeypatch):
    road, question = await a_kept_fill(monkeypatch, "cancelled")
    before = await road.now()
    with pytest.raises(InvalidForm):
        await answer(STAFF, question, "waive", {"reason": " "})
    await answer(STAFF, question, "waive", WHY)
    assert await road.now() == before
    assert await filled.bills(before) == []
    [row] = await rows(FillQuestion)
    assert (row.answer, row.milligallons, row.reason) == ("waived", 12_345, WHY["reason"])
    assert (row.answered_by, row.answered_at) == (str(STAFF), clock.now())
    kind, noted = (await history(road.customer.id))[-1]
    assert (kind, noted) == (
        "booking_waive",
        {"what": f"{before.when}, 12.345 gallons, ticket T-1, As agreed by phone"},
    )
    with pytest.raises(QuestionAnswered):
        await answer(STAFF, question, "charge", WHY)
    assert await fill_records.read_questions(STAFF) == ([], 0)


@on_sqlite
async def test_charge_of_a_moved_booking_frees_its_later_place(monkeypatch):
    road = await a_road(monkeypatch)
    there = slot(road.booking.area_id, 4, opens=8)
    await changes.move(STAFF, road.id, road.booking.revision, there, reason="Rain")
    assert await taken(there) == 1
    await answer(STAFF, await pumped(road), "charge", WHY)
    assert (await road.now()).state == "completed"
    assert await taken(there) == 0


@on_sqlite
async def test_charged_booking_says_no_more_why_it_had_ended(monkeypatch):
    ended = {"ended_by": "customer", "reason": "Changed my mind", "late_fee_cents": 1500}
    road = await a_road(monkeypatch)
    await filled.change(road.booking, state="cancelled", **ended)
    await answer(STAFF, await pumped(road), "charge", WHY)
    done = await road.now()
    assert (done.ended_by, done.reason, done.late_fee) == ("", "", Money(1500))


@on_sqlite
async def test_free_first_fill_that_came_back_is_not_spent_by_a_charge(monkeypatch):
    road = await a_road(monkeypatch)
    free = {"pays_by": "free_fill", "period": None, "free_cap_cents": None, "state": "cancelled"}
    await filled.change(road.booking, **free)
    question = await pumped(road)
    await answer(STAFF, question, "charge", WHY)
    done = await road.now()
    assert (done.fills[0].pays_by, done.total) == ("fee", Money(4270))
    assert await rows(FreeFill) == []


@on_sqlite
async def test_booking_that_another_fill_has_completed_can_only_be_waived(monkeypatch):
    road = await a_road(monkeypatch)
    other = await phone.reassign(road)
    question = await pumped(road)
    assert await send(other, action("complete", road.id, METER | {"ticket": "T-8"})) == [""]
    [asked], _ = await fill_records.read_questions(STAFF)
    assert asked.is_filled
    with pytest.raises(FilledAlready):
        await answer(STAFF, question, "charge", WHY)
    assert await answers() == [""]
    await answer(STAFF, question, "waive", WHY)
    assert len(await filled.bills(await road.now())) == 1


@on_both
async def test_admin_confirms_more_than_two_tanks_which_are_billed_then(bank: Bank, monkeypatch):
    road = await a_road(monkeypatch, held=True)
    question = await pumped(road, **TOO_MUCH)
    [asked], _ = await fill_records.read_questions(STAFF)
    assert (asked.question.kind, asked.milligallons) == ("gallons", 110_000)
    assert asked.needs_admin
    with pytest.raises(MoreThanTwoTanks):
        await answer(STAFF, question, "confirm", WHY)
    assert await filled.bills(await road.now()) == []
    await answer(ADMIN, question, "confirm", WHY)
    with pytest.raises(QuestionAnswered):
        await answer(ADMIN, question, "confirm", WHY)
    done = await road.now()
    assert (done.total, done.fills[0].gallons_asked_at) == (Money(38049), None)
    assert await answers() == ["confirmed"]
    later(monkeypatch, minutes=15)
    await filled.run(filled.OPEN_FILL, filled.RELEASE, filled.SETTLE)
    assert await filled.ends() == [("hold", "succeeded", 6100), ("charge", "succeeded", 31949)]


@on_sqlite
async def test_corrected_gallons_are_billed_as_usual(monkeypatch):
    road = await a_road(monkeypatch)
    question = await pumped(road, **TOO_MUCH)
    form = TOO_MUCH | {"gallons": "", "started": ""} | WHY
    for end in (TOO_MUCH["meter_end"], "111", "100"):
        with pytest.raises(MoreThanTwoTanks):
            await answer(STAFF, question, "correct", form | {"meter_end": end}, confirmed=True)
    revision = (await road.now()).revision
    with pytest.raises(MoreThanTwoTanks):
        await fill_records.complete_booking(STAFF, road.id, revision, filled.FILLED)
    with pytest.raises(MoreThanTank):
        await answer(ADMIN, question, "correct", form | {"meter_end": "120"})
    await answer(ADMIN, question, "correct", form | {"meter_end": "111"})
    done = await road.now()
    assert (done.filled_milligallons, done.total) == (11_000, Money(3805))
    [row] = await rows(FillQuestion)
    assert (row.answer, row.reason) == ("corrected", WHY["reason"])
    _, noted = (await history(road.customer.id))[-1]
    assert noted is not None
    assert noted["what"].endswith("11.000 gallons, ticket T-1, As agreed by phone")


@on_sqlite
async def test_corrected_fill_did_not_begin_before_its_visit(monkeypatch):
    road = await a_road(monkeypatch)
    question = await pumped(road, **TOO_MUCH)
    form = TOO_MUCH | {"gallons": "", "meter_end": "111", "started": "2026-11-01T08:00"} | WHY
    with pytest.raises(InvalidForm) as raised:
        await answer(STAFF, question, "correct", form)
    assert [*raised.value.messages] == ["started"]
    assert await answers() == [""]


@on_sqlite
@pytest.mark.parametrize(
    ("act", "answered", "total"), [("charge", "charged", Money(38049)), ("waive", "waived", None)]
)
async def test_more_than_two_tanks_beside_a_booking_are_an_admins(
    monkeypatch, act, answered, total
):
    road = await a_road(monkeypatch)
    await filled.change(road.booking, state="cancelled")
    question = await pumped(road, **TOO_MUCH)
    with pytest.raises(MoreThanTwoTanks):
        await answer(STAFF, question, act, WHY)
    assert await answers() == [""]
    await answer(ADMIN, question, act, WHY)
    assert (await answers(), (await road.now()).total) == ([answered], total)


@on_sqlite
async def test_dispatcher_confirms_up_to_two_tanks(monkeypatch):
    road = await a_road(monkeypatch)
    question = await pumped(road, meter_end="120", confirmed=False)
    [asked], _ = await fill_records.read_questions(STAFF)
    assert (asked.question.kind, asked.needs_admin) == ("gallons", False)
    with pytest.raises(NotAllowed):
        await answer(road.technician, question, "confirm", WHY)
    await answer(STAFF, question, "confirm", WHY)
    done = await road.now()
    assert (done.total, done.fills[0].gallons_asked_at) == (Money(6918), None)
    assert await answers() == ["confirmed"]


@on_sqlite
async def test_repeated_ticket_names_the_other_fill_until_it_is_seen(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    await pumped_at(road, road.id)
    await pumped_at(road, guest.id)
    [asked], _ = await fill_records.read_questions(STAFF)
    assert [(who, booking.id) for who, booking in asked.repeated] == [("Ada Lovelace", road.id)]
    assert not asked.needs_admin
    with pytest.raises(NotAllowed):
        await answer(road.technician, asked.question.id, "see")
    await answer(STAFF, asked.question.id, "see")
    assert await answers() == ["seen"]
    again = action("correct", guest.id, METER)
    assert await send(road.technician, again) == [rules.asked_text(["ticket"])]
    assert await answers() == ["seen"]


@on_sqlite
async def test_repeated_ticket_is_no_question_once_the_other_fill_is_corrected(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    await pumped_at(road, road.id)
    await pumped_at(road, guest.id)
    await send(road.technician, action("correct", road.id, METER | {"ticket": "T-2"}))
    assert await answers() == ["corrected"]
    await send(road.technician, action("correct", road.id, METER | {"ticket": "T-3"}))
    assert await answers() == ["corrected"]


@on_sqlite
async def test_repeated_ticket_stays_a_question_while_two_fills_have_it(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    await pumped_at(road, road.id)
    await pumped_at(road, guest.id)
    await send(road.technician, action("complete", road.id, METER | {"meter_end": "104"}))
    await send(road.technician, action("correct", road.id, METER | {"ticket": "T-2"}))
    assert [(e.kind, e.answer) for e in await rows(FillQuestion)] == [("ticket", ""), ("kept", "")]


@on_sqlite
async def test_phone_does_not_undo_what_the_office_has_decided(monkeypatch):
    road = await a_road(monkeypatch)
    question = await pumped(road, **TOO_MUCH)
    form = TOO_MUCH | {"gallons": "", "started": "", "meter_end": "111"} | WHY
    await answer(ADMIN, question, "correct", form)
    decided = await road.now()
    again = action("correct", road.id, METER | {"meter_end": "115"}, at=0)
    assert await send(road.technician, again) == [rules.DECIDED]
    assert await road.now() == decided
    assert await answers() == ["corrected", ""]


@on_sqlite
async def test_one_technician_does_not_fill_the_offices_list(monkeypatch):
    monkeypatch.setattr("fuel_app.bookings.service.fills.KEPT_MOST_IN_ALL", 2)
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    for each in (road.booking, guest):
        await filled.change(each, state="cancelled")
    for ticket, each in enumerate((road.id, road.id, guest.id)):
        await send(road.technician, action("complete", each, METER | {"ticket": f"T-{ticket}"}))
    assert [each.booking_id for each in await rows(FillQuestion)] == [road.id, road.id]


@on_sqlite
async def test_fill_beside_a_booking_is_not_dated_before_its_day(monkeypatch):
    road = await a_road(monkeypatch)
    await filled.change(road.booking, state="cancelled")
    sent = action("complete", road.id, at=phone.ms(clock.now() - timedelta(days=2)))
    await send(road.technician, sent)
    [asked] = await rows(FillQuestion)
    assert asked.at == clock.now()


async def pumped_at(road: Road, booking_id: str) -> None:
    await send(road.technician, action("complete", booking_id))


@on_sqlite
async def test_unknown_questions_and_other_kinds_are_not_answered(monkeypatch):
    road, question = await a_kept_fill(monkeypatch, "cancelled")
    for unknown in ("x", None, road.id):
        with pytest.raises(QuestionAnswered):
            await answer(STAFF, unknown, "waive", WHY)
    with pytest.raises(QuestionAnswered):
        await answer(ADMIN, question, "confirm", WHY)
    for act in ("charge", "waive", "confirm", "correct", "see"):
        with pytest.raises(NotAllowed):
            await answer(road.technician, question, act, WHY)


@on_sqlite
async def test_customer_reads_calm_words_and_no_amount_until_the_gallons_are_confirmed(
    monkeypatch,
):
    road = await a_road(monkeypatch)
    await pumped(road, **TOO_MUCH)
    done = await road.now()
    card = BookingCard.of(done)
    assert (card.total, card.lines) == (CHECKING, [])
    tracked_now = track(done, None, clock.now(), ServiceTimes())
    assert tracked_now is not None
    assert tracked_now.advice == "We are checking the gallons. Your receipt comes after that."
    customer, overview = await read_customer(STAFF, road.customer.id)
    [past] = overview.past_services
    assert (past.milligallons, past.note) == (0, CHECKING)
    [row] = MonthCard.of(customer, overview, clock.day_of(clock.now())).past_services
    assert (row.gallons, row.price, row.receipt) == (NONE, CHECKING, "")
    assert CHECKING + "." in [each.note for each in await access.list_steps(road.id)]
    assert "110.000" not in str(booking_row(done, done.fill()))
    async with transaction() as session:
        with pytest.raises(CardNeeded):
            await authorizations.check_card_removable(session, road.customer.id)


@on_sqlite
async def test_account_and_card_stay_until_a_kept_fill_is_answered(monkeypatch):
    road, question = await a_kept_fill(monkeypatch, "cancelled")
    async with transaction() as session:
        with pytest.raises(changes.FillIsChecked):
            await changes.cancel_all_open(session, road.customer.id)
        with pytest.raises(CardNeeded):
            await authorizations.check_card_removable(session, road.customer.id)
    await answer(STAFF, question, "waive", WHY)
    async with transaction() as session:
        await authorizations.check_card_removable(session, road.customer.id)
        await changes.cancel_all_open(session, road.customer.id)


@on_sqlite
async def test_person_reads_what_was_pumped_and_what_staff_wrote_is_erased(monkeypatch):
    road, question = await a_kept_fill(monkeypatch, "cancelled")
    await answer(STAFF, question, "waive", WHY)
    async with transaction() as session:
        [booking] = (await changes.export_person(session, road.customer.id))["bookings"]
        await changes.erase_person(session, road.customer.id)
    assert [(e["kind"], e["answer"]) for e in booking["questions"]] == [("kept", "waived")]
    assert [each.reason for each in await rows(FillQuestion)] == [""]


@on_sqlite
async def test_meter_is_that_of_the_route(monkeypatch):
    road = await a_road(monkeypatch)
    with pytest.raises(NotAllowed):
        await fill_records.complete_booking(
            road.technician, road.id, road.booking.revision, filled.FILLED
        )
    with pytest.raises(BookingGone):
        await fill_records.complete_booking(STAFF, "x", 1, filled.FILLED)
    await fill_records.complete_booking(STAFF, road.id, road.booking.revision, filled.FILLED)
    [stored] = await rows(StoredBooking)
    assert stored.fills[0].ticket["meter"].startswith("M-")
    assert stored.fills[0].ticket_key == f"{stored.fills[0].ticket['meter']}:T-1"
    assert (await access.find(STAFF, road.id)) is not None


@on_both
async def test_words_go_with_the_account_and_the_same_action_is_still_taken_once(monkeypatch):
    road = await a_road(monkeypatch)
    owner, other = await a_person(), await a_person(email="other@example.com")
    async with transaction() as session:
        theirs = update(StoredBooking).where(col(StoredBooking.id) == road.id)
        await session.execute(theirs.values(person_id=owner.id))
        taken = {"booking_id": road.id, "taken_at": clock.now(), "file": b"x"}
        session.add(FillPhoto(id="photo", **taken))
    drives = action("drive", road.id)
    early = action("fail", road.id, {"reason": "Other", "note": "The dog of Ada"})  # refused
    first = await send(road.technician, drives, early)
    assert first[0] == ""
    assert first[1]
    async with reading() as session:
        assert await fill_records.export_person(session, other.id) == {
            "recorded_at_fills": [],
            "photos_of_fills": [],
        }
        held = await fill_records.export_person(session, owner.id)
    [_, refused] = held["recorded_at_fills"]
    assert (refused["data"]["note"], refused["refused"]) == ("The dog of Ada", first[1])
    assert [each["booking_id"] for each in held["photos_of_fills"]] == [road.id]
    async with transaction() as session:
        await fill_records.erase_person(session, other.id)
    assert (await phone.actions())[1].data["note"] == "The dog of Ada"
    async with transaction() as session:
        await fill_records.erase_person(session, owner.id)
    assert [(each.data, each.refused) for each in await phone.actions()] == [
        ({}, ""),
        ({}, first[1]),
    ]
    assert await rows(FillPhoto) == []
    assert await send(road.technician, drives, early) == first
    assert [each.data for each in await phone.actions()] == [{}, {}]


@on_both
async def test_staff_record_what_a_refill_has_loaded_and_undo_it(monkeypatch):
    road = await a_road(monkeypatch)
    refill = await phone.a_refill(road)

    async def loaded() -> Any:
        return next(each.loaded for each in await dispatch.route(road.shift) if each.id == refill)

    first = await fill_records.record_load(STAFF, refill, {"regular": "1,20.25"})
    assert await loaded() == {"regular": 120_250, "diesel": 0}
    second = await fill_records.record_load(STAFF, refill, {"regular": "0", "diesel": "99"})
    assert await loaded() == {"regular": 0, "diesel": 99_000}
    await dispatch.undo(first)  # another one has changed it since
    assert await loaded() == {"regular": 0, "diesel": 99_000}
    await dispatch.undo(second)
    assert await loaded() == {"regular": 120_250, "diesel": 0}
    await dispatch.undo(first)
    assert await loaded() is None


@on_sqlite
async def test_what_no_refill_can_have_loaded_is_refused(monkeypatch):
    road = await a_road(monkeypatch)
    refill = await phone.a_refill(road)
    for typed, said in (
        ({}, {"regular": "Enter the gallons; 0 if none were loaded"}),
        ({"diesel": "100.1"}, {"diesel": "Diesel: the tank holds 100"}),
        ({"plus": "5"}, {"regular": "Enter the gallons; 0 if none were loaded"}),
        ({"plus": "5", "regular": "1"}, {"plus": "Plus: the tank holds 0"}),
    ):
        with pytest.raises(InvalidForm) as refused:
            await fill_records.record_load(STAFF, refill, typed)
        assert {k: v for k, v in refused.value.messages.items() if v} == said
    for gone in (road.id, "x", None, []):
        with pytest.raises(StopGone):
            await fill_records.record_load(STAFF, gone, {"regular": "1"})
    later(monkeypatch, days=-1)
    with pytest.raises(StopGone):
        await fill_records.record_load(STAFF, refill, {"regular": "1"})


@on_both
async def test_where_a_car_stood_goes_with_its_owners_account(monkeypatch):
    road = await a_road(monkeypatch)
    [stop] = await dispatch.route(road.shift)
    await dispatch.change_stop(stop, lat=27.3, lng=-82.5)
    async with transaction() as session:
        await fill_records.erase_person(session, road.customer.id)
    [stop] = await dispatch.route(road.shift)
    assert (stop.lat, stop.lng) == (None, None)
