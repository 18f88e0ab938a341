"""Cars that are booked when they are due: a seat is held, confirmed, skipped, or goes back."""

import asyncio
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from fuel_app.accounts.rules import NotAllowed
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.areas import PAUSED
from fuel_app.areas.tables import Area
from fuel_app.bookings.rules.bookings import AreaPaused, SeatNotHeld
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.bookings.service import bookings, changes, waiting
from fuel_app.bookings.tables import SlotSeat, SlotWait, StoredBooking
from fuel_app.customers.rules.vehicles import VehicleGone
from fuel_app.customers.service import vehicles
from fuel_app.customers.tables import StoredCustomer, StoredVehicle
from fuel_app.forecasts import jobs
from fuel_app.forecasts.rules import due_bookings as rules
from fuel_app.forecasts.rules.due_bookings import ConfirmedAlready, NeedsPlan, SeatGone
from fuel_app.forecasts.service import due_bookings as service
from fuel_app.forecasts.service import forecasts
from fuel_app.forecasts.tables import DueBooking, SeatProposal
from fuel_app.kit import outbox, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.membership import service as membership
from fuel_app.messages.rules.delivery import OUTDATED
from fuel_app.messages.rules.kinds import PROPOSED, BadLink
from fuel_app.plans.tables import Subscription
from fuel_app.repeats import service as repeats
from tests.factories import UNKNOWN_ID
from tests.forecasts.due import DAY, HOUR, a_due_car, filled, mails, proposed, the_proposal
from tests.helpers.bookings import (
    MILLS,
    NOW,
    STAFF,
    TODAY,
    Customer,
    a_car,
    a_customer,
    at,
    booked,
    set_price,
    slot,
    stored,
    taken,
)
from tests.helpers.outbox import run_worker
from tests.helpers.people import history, rows
from tests.helpers.signed_in import session_of
from tests.helpers.stored_bookings import a_fill

pytestmark = pytest.mark.usefixtures("database")
LATE = NOW + 3 * DAY  # beyond the answer


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def held() -> list[tuple[str, datetime | None]]:
    """Return the held seats with their ends."""
    return [(each.hold_id, each.held_until) for each in await rows(SlotSeat) if each.hold_id]


async def visits() -> list[StoredBooking]:
    """Return what was booked beside the fills that are done."""
    return [each for each in await stored() if each.state != "completed"]


async def open_visits() -> list[str]:
    return [each.slot_id for each in await visits() if each.state == "booked"]


async def terms_of(who: Customer) -> str:
    (offer,) = await service.list_offers(who.actor)
    return offer.terms


async def set_all(table: type, **values: Any) -> None:
    async with transaction() as session:
        await session.execute(update(table).values(values))


async def test_seat_is_held_near_the_day_and_its_customer_is_asked_once():
    area_id, who, proposal = await proposed()
    assert proposal.slot_id == slot(area_id, 3, 10)  # Thursday, at the hour of the last visit
    assert proposal.until == proposal.starts_at - DAY
    assert await held() == [(proposal.id, proposal.until)]
    (on,) = await rows(DueBooking)
    assert (on.wording, on.actor, on.started_at) == (rules.WORDING, who.id, NOW)
    started = {"what": f"2020 Toyota Camry: {rules.WORDING}"}
    assert ("due_booking_started", started) in await history(who.id)
    (mail,) = await mails(service.KIND)
    assert mail.state == "sent"
    assert mail.payload["when"] == "Thursday, November 26, 2026, 10 AM–12 PM"  # noqa: RUF001
    assert mail.payload["until"] == "Wednesday, November 25, 10:00 AM"
    assert mail.payload["due"] == "Thu, Nov 26"
    assert "Included in your plan" in mail.payload["price"]
    await service.switch_on(who.actor, who.car_id)
    for _ in range(2):
        await service.propose(on.id)
        assert await service.queue_proposals(NOW) == 0
        assert await service.settle_all(NOW) == 0
    assert len(await mails(service.KIND)) == len(await rows(SeatProposal)) == 1


async def test_day_that_comes_within_reach_is_proposed_by_the_daily_job_once(monkeypatch):
    area_id, who = await a_due_car(days_ago=0)
    await filled(area_id, await a_customer(2), 4)  # its switch is off
    other = await a_customer(3)
    await filled(area_id, other, 0, fills=2)  # too few
    for each in (who, other):
        await service.switch_on(each.actor, each.car_id)
    monkeypatch.setattr(service, "_AT_ONCE", 1)
    await run_worker()
    assert await jobs.queue_proposals(NOW) == 0
    tomorrow = NOW + 2 * DAY
    at(monkeypatch, tomorrow)
    for _ in range(2):
        await jobs.queue_proposals(tomorrow)
    await run_worker()
    assert (await the_proposal()).due_day == TODAY + 7 * DAY


async def test_held_seat_is_nobody_elses_and_goes_to_who_waits_once_it_is_skipped():
    _, who = await a_due_car(capacity=1)
    await service.switch_on(who.actor, who.car_id)
    await run_worker()
    proposal, other = await the_proposal(), await a_customer(2)
    with pytest.raises(Exception, match="just taken"):
        await booked(other, proposal.slot_id)
    await waiting.wait_for(other.actor, proposal.slot_id)
    for _ in range(2):
        await service.skip(who.actor, proposal.id)
    assert (await the_proposal()).state == rules.SKIPPED
    assert await held() == []
    (told,) = await mails(service.RETURNED_KIND)
    assert told.payload["reason"] == "you skipped it"
    await run_worker()
    (wait,) = await rows(SlotWait)
    assert wait.offered_until
    assert await service.queue_proposals(NOW) == 0  # not again for this tank
    with pytest.raises(SeatGone, match="you skipped it"):
        await service.confirm(who.actor, proposal.id, "")
    assert await open_visits() == []


async def test_next_window_is_held_where_the_best_one_was_just_taken(monkeypatch):
    area_id, who = await a_due_car(capacity=1)
    offered = service.slots.offered

    async def before_another(*args: Any, **more: Any) -> object:
        days = await offered(*args, **more)
        await booked(await a_customer(2), slot(area_id, 3, 10))
        return days

    monkeypatch.setattr(service.slots, "offered", before_another)
    await service.switch_on(who.actor, who.car_id)
    await run_worker()
    assert (await the_proposal()).slot_id == slot(area_id, 3, 8)


async def test_cheapest_day_is_one_whose_period_has_a_fill_left():
    area_id, who = await a_due_car()
    ends = {"period_ends": TODAY + 4 * DAY, "anchor": TODAY - 27 * DAY}
    await set_all(Subscription, **ends, period_starts=ends["anchor"], plan_id="solo")
    car = a_car(who.id, 2)
    async with transaction() as session:
        session.add(car)
    await booked(who, slot(area_id, 1), car=car.id)
    await booked(who, slot(area_id, 2), car=car.id)
    await service.switch_on(who.actor, who.car_id)
    await run_worker()
    assert (await the_proposal()).slot_id == slot(area_id, 4, 10)  # Friday


async def test_what_refuses_a_booking_holds_no_seat_until_it_is_over(monkeypatch):
    _, who = await a_due_car()
    await set_all(StoredCustomer, has_card=False)
    await service.switch_on(who.actor, who.car_id)
    await run_worker()
    await set_all(StoredCustomer, has_card=True)
    on = (await rows(DueBooking))[0].id
    await set_all(Area, status=PAUSED)
    await service.propose(on)
    assert await rows(SeatProposal) == []
    await set_all(Area, status="open")
    await service.propose(on)
    assert (await the_proposal()).state == rules.OPEN


async def test_run_that_dies_before_its_message_has_held_nothing(monkeypatch):
    _, who = await a_due_car()
    add_all = outbox.add_all

    async def die(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(outbox, "add_all", die)
    with pytest.raises(RuntimeError):
        await service.switch_on(who.actor, who.car_id)
    on = (await rows(DueBooking))[0].id  # with its job
    assert (await held(), await rows(SeatProposal)) == ([], [])
    monkeypatch.setattr(outbox, "add_all", add_all)
    await asyncio.gather(service.propose(on), service.propose(on))
    assert len(await held()) == len(await mails(service.KIND)) == 1


async def test_two_proposals_for_a_car_break_a_constraint():
    _, _, proposal = await proposed()
    with pytest.raises(IntegrityError):
        async with transaction() as session:
            session.add(SeatProposal(**proposal.model_dump(exclude={"id"})))


async def test_two_tabs_that_confirm_make_one_ordinary_booking():
    _, who, proposal = await proposed()
    terms = await terms_of(who)
    await asyncio.gather(*[service.confirm(who.actor, proposal.id, terms) for _ in range(2)])
    (visit,) = await visits()
    assert (visit.slot_id, visit.key, visit.state) == (proposal.slot_id, proposal.id, "booked")
    assert (visit.fills[0].vehicle_id, visit.fills[0].price_mills) == (who.car_id, MILLS)
    assert (await the_proposal()).state == rules.CONFIRMED
    assert (await held(), await taken(proposal.slot_id)) == ([], 1)
    assert len(await mails("booking_confirmed")) == 1
    assert await mails(service.RETURNED_KIND) == []
    with pytest.raises(ConfirmedAlready):
        await service.skip(who.actor, proposal.id)
    await changes.cancel(who.actor, visit.id, visit.revision, seen_fee=Money(0))
    assert await service.queue_proposals(NOW) == 0  # the customer does not want it


async def test_confirm_and_skip_at_one_moment_are_one_of_them():
    _, who, proposal = await proposed()
    terms = await terms_of(who)
    await asyncio.gather(
        service.confirm(who.actor, proposal.id, terms),
        service.skip(who.actor, proposal.id),
        return_exceptions=True,
    )
    state, visits = (await the_proposal()).state, await open_visits()
    assert (state, len(visits)) in ((rules.CONFIRMED, 1), (rules.SKIPPED, 0))


async def test_seat_that_was_skipped_as_it_was_being_confirmed_is_not_booked(monkeypatch):
    _, who, proposal = await proposed()
    terms, estimate_fill = await terms_of(who), bookings.estimate_fill

    async def after_skip(*args: Any) -> object:
        monkeypatch.setattr(bookings, "estimate_fill", estimate_fill)
        await service.skip(who.actor, proposal.id)
        return await estimate_fill(*args)

    monkeypatch.setattr(bookings, "estimate_fill", after_skip)
    with pytest.raises(SeatNotHeld):
        await service.confirm(who.actor, proposal.id, terms)
    assert await open_visits() == []


async def test_confirm_that_dies_has_booked_nothing_and_the_seat_goes_back_as_is_told(monkeypatch):
    _, who, proposal = await proposed()
    terms, find_own = await terms_of(who), service._find_own

    async def die_in_the_second(*args: Any) -> object:
        patched.setattr(service, "_settle", die)
        patched.setattr(service, "_find_own", die)
        return await find_own(*args)

    async def die(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(service, "_find_own", die_in_the_second)
        with pytest.raises(RuntimeError):
            await service.confirm(who.actor, proposal.id, terms)
    assert ((await the_proposal()).state, len(await held())) == (rules.OPEN, 1)
    await service.switch_off(who.actor, who.car_id)
    assert (await open_visits(), await held()) == ([], [])
    assert len(await mails(service.RETURNED_KIND)) == 1


async def test_other_terms_than_those_seen_are_asked_about_again():
    area_id, who, proposal = await proposed()
    terms = await terms_of(who)
    await set_price(area_id, MILLS + 200, NOW)
    with pytest.raises(PriceChanged):
        await service.confirm(who.actor, proposal.id, terms)
    await service.confirm(who.actor, proposal.id, await terms_of(who))
    assert (await visits())[0].fills[0].price_mills == MILLS + 200


async def test_silence_gives_the_seat_back_and_says_so_once(monkeypatch):
    _, who, proposal = await proposed()
    terms = await terms_of(who)
    at(monkeypatch, proposal.until)
    assert await service.list_offers(who.actor) == []
    with pytest.raises(SeatGone, match="not confirmed in time"):
        await service.confirm(who.actor, proposal.id, terms)
    monkeypatch.setattr(service, "_AT_ONCE", 1)
    assert [await jobs.settle(proposal.until) for _ in range(2)] == [1, 0]
    assert (await the_proposal()).state == rules.LAPSED
    assert (await held(), await open_visits()) == ([], [])
    (told,) = await mails(service.RETURNED_KIND)
    assert told.payload["reason"] == "it was not confirmed in time"
    assert await forecasts.queue_reminders(proposal.until) == 0  # it was asked about
    assert (await rows(DueBooking))[0].ended == ""


async def test_seat_that_still_waits_is_left_alone():
    _, who, proposal = await proposed()
    on = (await rows(DueBooking))[0]
    assert not await service._settle(on.id, who.id)
    assert (await the_proposal()).state == proposal.state


async def test_seat_that_another_run_has_settled_is_told_once(monkeypatch):
    _, who, proposal = await proposed()
    at(monkeypatch, proposal.until)
    outcome = service._outcome
    monkeypatch.setattr(service, "_outcome", lambda *_: "lapsed")
    on = (await rows(DueBooking))[0]
    await service.switch_off(who.actor, who.car_id)
    monkeypatch.setattr(service, "_outcome", outcome)
    assert not await service._settle(on.id, who.id)


@pytest.mark.parametrize("why", [rules.BOOKED, rules.REPEATS, rules.FILLED])
async def test_seat_goes_back_once_the_car_needs_it_no_more(why, monkeypatch):
    area_id, who, _ = await proposed()
    if why == rules.FILLED:
        await a_fill(area_id, who.id, NOW, 9000, 3000, vehicle_id=who.car_id)
    else:
        visit = await booked(who, slot(area_id))
        if why == rules.REPEATS:
            await repeats.start(who.actor, visit.id, 4)
            await changes.cancel(who.actor, visit.id, visit.revision, seen_fee=visit.late_fee)
    assert await service.settle_all(NOW) == 1
    assert (await the_proposal()).state == why
    assert await held() == []
    assert len(await mails(service.RETURNED_KIND)) == 1
    assert await service.queue_proposals(NOW) == 0
    assert await service.settle_all(NOW) == 0


async def test_fill_elsewhere_gives_the_seat_back_and_the_next_tank_is_proposed(monkeypatch):
    _, who, proposal = await proposed()
    await forecasts.tell_elsewhere(who.actor, who.car_id)
    assert (await the_proposal()).state == rules.FILLED
    assert await held() == []
    await forecasts.tell_elsewhere(who.actor, who.car_id)
    assert len(await mails(service.RETURNED_KIND)) == 1
    assert await service.queue_proposals(NOW) == 0
    later = NOW + 4 * DAY
    at(monkeypatch, later)
    assert await service.queue_proposals(later) == 1
    await run_worker()
    first, second = sorted(await rows(SeatProposal), key=lambda each: each.due_day)
    assert first.id == proposal.id
    assert second.since > first.since


@pytest.mark.parametrize(("end", "why"), [("plan", rules.PLAN), ("car", rules.CAR)])
async def test_due_booking_ends_with_its_plan_or_car_and_says_so(end, why):
    _, who, _ = await proposed()
    if end == "plan":
        await set_all(Subscription, state="cancelled")
    else:
        await vehicles.remove(who.id, who.car_id)
    on = (await rows(DueBooking))[0].id
    await service.propose(on)
    assert await service.queue_proposals(NOW) == 0
    assert [await service.settle_all(NOW) for _ in range(2)] == [1, 0]
    assert (await rows(DueBooking))[0].ended == why
    assert (await the_proposal()).state == why
    (told,) = await mails(service.RETURNED_KIND)
    assert told.payload == {
        "vehicle": "2020 Toyota Camry",
        "when": "Thursday, November 26, 2026, 10 AM–12 PM",  # noqa: RUF001
        "reason": rules.RETURNED[why],
    }
    assert ("due_booking_ended", {"what": rules.RETURNED[why]}) in await history(who.id)
    await service.propose(on)
    assert await held() == []


async def test_plan_that_ends_without_a_proposal_ends_it_silently():
    _, who = await a_due_car(days_ago=0)
    await service.switch_on(who.actor, who.car_id)
    assert await service.settle_all(NOW) == 0
    await set_all(StoredVehicle, is_active=False)
    assert await service.settle_all(NOW) == 1
    assert await mails(service.RETURNED_KIND) == []


async def test_no_seat_is_held_from_the_day_on_which_the_plan_ends():
    _, who = await a_due_car()
    ends = {"cancel_at_period_end": True, "period_ends": TODAY + 2 * DAY}
    await set_all(Subscription, **ends)
    await service.switch_on(who.actor, who.car_id)
    await run_worker()
    assert await rows(SeatProposal) == []


async def test_switched_off_it_gives_the_seat_back_and_on_again_it_asks_anew():
    _, who, _ = await proposed()
    for _ in range(2):
        await service.switch_off(who.actor, who.car_id)
    assert await held() == []
    (told,) = await mails(service.RETURNED_KIND)
    assert told.payload["reason"] == "you turned 'Book when it is due' off"
    await service.switch_on(who.actor, who.car_id)
    await run_worker()
    assert len(await held()) == 1
    assert {each.ended for each in await rows(DueBooking)} == {"", "customer"}


async def test_nobody_reaches_another_ones_seat_or_switch():
    _, who, proposal = await proposed()
    other, new = await a_customer(2), await a_customer(3, state="incomplete")
    for change in (service.confirm, service.skip):
        for asked in (proposal.id, UNKNOWN_ID, "x", None):
            with pytest.raises(SeatGone):
                await change(other.actor, asked, *([""] if change is service.confirm else []))
        with pytest.raises(NotAllowed):
            await change(STAFF, proposal.id, *([""] if change is service.confirm else []))
    await service.switch_off(other.actor, who.car_id)
    for asked in (who.car_id, "x", None):
        with pytest.raises(VehicleGone):
            await service.switch_on(other.actor, asked)
    with pytest.raises(NeedsPlan):
        await service.switch_on(new.actor, new.car_id)
    await set_all(StoredVehicle, is_active=False)
    with pytest.raises(VehicleGone):
        await service.switch_on(other.actor, other.car_id)
    for refused in (
        service.switch_on(STAFF, who.car_id),
        service.switch_off(STAFF, who.car_id),
        service.list_offers(STAFF),
    ):
        with pytest.raises(NotAllowed):
            await refused
    assert await service.list_offers(other.actor) == []
    assert len(await held()) == 1


async def test_who_is_deactivated_or_has_to_pay_first_gets_no_seat_and_their_links_are_dead():
    _, who, proposal = await proposed()
    token = secrets.token(PROPOSED, proposal.id)
    await service.skip(who.actor, proposal.id)
    await set_all(SeatProposal, since=NOW - 30 * DAY, due_day=TODAY - 20 * DAY)
    on = (await rows(DueBooking))[0].id
    for table, column, value in (
        (Subscription, "state", "past_due"),
        (Person, "deactivated_at", NOW),
    ):
        await set_all(Subscription, state="active")
        await set_all(table, **{column: value})
        await service.propose(on)
    for act in (service.find_linked, service.skip_linked):
        with pytest.raises(BadLink):
            await act(token)
    assert await held() == []


async def test_offer_that_cannot_be_booked_just_now_says_why():
    _, who, _ = await proposed()
    await set_all(Area, status=PAUSED)
    (offer,) = await service.list_offers(who.actor)
    assert (offer.terms, offer.price) == ("", AreaPaused.message)


async def test_message_about_a_seat_that_was_answered_is_not_sent():
    _, who = await a_due_car()
    await service.switch_on(who.actor, who.car_id)
    await service.propose((await rows(DueBooking))[0].id)
    await service.skip(who.actor, (await the_proposal()).id)
    await run_worker()
    (mail,) = await mails(service.KIND)
    assert (mail.state, mail.error) == ("skipped", OUTDATED)


async def test_car_that_is_booked_when_due_is_reminded_of_on_its_day_if_no_seat_was_held(
    monkeypatch,
):
    _, who = await a_due_car()
    monkeypatch.setattr(rules, "NEAR", -1)  # no window suits
    await service.switch_on(who.actor, who.car_id)
    assert await forecasts.queue_reminders(NOW) == 0
    day = NOW + 3 * DAY + HOUR
    assert await forecasts.queue_reminders(day) == 1


async def test_closed_account_gives_the_seat_back_in_silence():
    _, who, _ = await proposed()
    await service.switch_off(who.actor, who.car_id)
    await service.switch_on(who.actor, who.car_id)
    await run_worker()
    told = len(await mails(service.RETURNED_KIND))
    await membership.close(await session_of(who.id), Visitor("203.0.113.7", "Chrome"))
    assert await held() == []
    assert {each.ended for each in await rows(DueBooking)} == {"customer", "account"}
    assert len(await mails(service.RETURNED_KIND)) == told
