"""Fills as technicians record them: charged once, corrected, and never lost."""

import pytest

from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.service import corrections
from fuel_app.billing.tables import CreditNote
from fuel_app.bookings.rules.filling import FILLED_AFTER_END
from fuel_app.bookings.service import changing, completing, reading
from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch.rules import technician as rules
from fuel_app.dispatch.tables import FillPhoto
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.plans.tables import LedgerBalance
from tests.helpers import dispatch, fills, phone
from tests.helpers.bank import Bank, bank, payments
from tests.helpers.bookings import STAFF, set_price
from tests.helpers.people import history, rows
from tests.helpers.phone import METER, Road, a_road, action, later, send

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")
KEPT = rules.KEPT


async def record(road: Road, kind: str = "complete", **differs: object) -> str:
    [why] = await send(road.technician, action(kind, road.id, METER | differs))
    return why


async def sent(road: Road, monkeypatch: pytest.MonkeyPatch) -> None:
    """Record the fill, and let its receipt go out."""
    assert await record(road) == ""
    later(monkeypatch, minutes=15)
    await fills.run(fills.OPEN_FILL, fills.RELEASE, fills.SETTLE)


async def asked(road: Road) -> list[str]:
    """Return what the office was asked."""
    kind = "booking_question"
    return [e[1]["what"] for e in await history(road.customer.id) if e[0] == kind and e[1]]


async def test_price_is_that_of_the_start_of_fueling(monkeypatch):
    road = await a_road(monkeypatch)
    await road.do("drive", "arrive", "fuel")
    later(monkeypatch, minutes=1)
    await set_price(road.booking.area_id, 2000, clock.now())
    assert await record(road) == ""
    assert (await road.now()).total == Money(4270)


async def test_meter_end_below_its_start_and_other_nonsense_are_refused(monkeypatch):
    road = await a_road(monkeypatch)
    assert await record(road, meter_end="99") == "This is less than at the start"
    assert await record(road, meter_end="") == "Enter the gallons, or both readings of the meter"
    assert await record(road, ticket=" ") == "Ticket number is required"
    assert "such as 11.382" in await record(road, meter_start="lots")
    assert (await road.now()).state == "dispatched"


async def test_more_than_the_tank_holds_has_to_be_confirmed(monkeypatch):
    road = await a_road(monkeypatch)
    assert (await record(road, meter_end="117.601")).startswith("The tank holds 17.600 gallons")
    assert await record(road, meter_end="117.601", confirmed="yes") != ""
    assert await record(road, meter_end="117.601", confirmed=True) == ""


async def test_fill_is_recorded_though_steps_before_it_are_missing_or_the_day_closed(monkeypatch):
    road = await a_road(monkeypatch)
    await phone.close_day(road.shift)
    assert await record(road) == ""
    assert (await road.now()).total == Money(4270)
    assert (await road.stop()).ended_at == clock.now()


async def test_fill_of_a_booking_cancelled_meanwhile_is_kept_and_charges_nothing(monkeypatch):
    road = await a_road(monkeypatch)
    fee = changing.changes(road.customer.actor, road.booking).late_fee
    await changing.cancel(road.customer.actor, road.id, road.booking.revision, seen_fee=fee)
    assert await record(road) == f"This stop was cancelled. {KEPT}"
    done = await road.now()
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 12_345, None)
    assert (await reading.events(STAFF, road.id))[-1].note == FILLED_AFTER_END
    assert [each.kind for each in await fills.bills(done)] == ["late_fee"]
    assert (await phone.actions())[-1].refused == f"This stop was cancelled. {KEPT}"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"slot_id": "another", "state": "booked"}, "This stop was moved to another time."),
        ({"state": "failed"}, "This stop has ended already."),
        ({"state": "weather_hold"}, "This stop is on hold."),
    ],
)
async def test_fill_of_a_booking_moved_failed_or_held_meanwhile_is_kept(monkeypatch, values, why):
    road = await a_road(monkeypatch)
    await fills.change(road.booking, **values)
    assert await record(road) == f"{why} {KEPT}"
    done = await road.now()
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 12_345, None)
    assert await fills.bills(done) == []


async def test_fill_of_another_technicians_stop_is_kept_and_releases_hold_and_allowance(
    bank: Bank, monkeypatch
):
    road = await a_road(monkeypatch, held=True)
    other = await phone.reassign(road)
    await phone.do(other, road.id, "drive")
    assert await road.do("drive") == [rules.ANOTHERS]
    assert await record(road) == f"{rules.ANOTHERS} {KEPT}"
    done = await road.now()
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 12_345, None)
    await fills.run(fills.RELEASE)
    assert [each.state for each in await payments()] == ["cancelled"]
    assert [each.balance for each in await rows(LedgerBalance)] == [4]
    assert (await road.stop()).ended_at == clock.now()  # on the other's route
    assert await phone.do(other, road.id, "arrive") == ["This stop is done already."]


async def test_both_technicians_filled_it_and_the_office_is_asked(monkeypatch):
    road = await a_road(monkeypatch)
    other = await phone.reassign(road)
    assert await record(road) == f"{rules.ANOTHERS} {KEPT}"
    more = action("complete", road.id, METER | {"meter_end": "105", "ticket": "T-9"})
    assert await send(other, more) == [rules.RECORDED]
    assert (await road.now()).filled_milligallons == 12_345
    [question] = await asked(road)
    assert question.endswith("the technician has recorded 5.000 gallons, ticket T-9")


async def test_fill_that_left_the_route_is_kept_if_it_was_ever_published(monkeypatch):
    road = await a_road(monkeypatch)
    await phone.remove(road.shift)
    assert await record(road) == rules.NOT_YOURS
    await phone.publish_once(road)
    assert await record(road) == f"{rules.NOT_YOURS} {KEPT}"
    assert (await road.now()).total is None


async def test_fill_of_a_later_day_is_kept(monkeypatch):
    road = await a_road(monkeypatch)
    later(monkeypatch, days=-1)
    assert await record(road) == f"{rules.NOT_TODAY} {KEPT}"


async def test_strangers_bookings_cannot_be_filled(monkeypatch):
    road = await a_road(monkeypatch)
    other = await dispatch.a_technician(2)
    for stop in (road.id, road.customer.id, "x"):
        [why] = await send(other, action("complete", stop))
        assert why == rules.NOT_YOURS
    assert (await road.now()).state == "dispatched"


async def test_fill_that_the_office_has_recorded_is_not_recorded_twice(monkeypatch):
    road = await a_road(monkeypatch)
    form = METER | {"gallons": "", "started": ""}
    await completing.complete(STAFF, road.id, road.booking.revision, form)
    assert await record(road) == ""
    assert await record(road, ticket="T-2") == rules.RECORDED
    assert [e.kind for e in await rows(BookingEvent)].count("complete") == 1


async def test_fill_of_a_guest_is_recorded_and_asks_no_customer(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    [bill] = await send(road.technician, action("complete", guest.id, METER | {"meter_end": "1"}))
    assert bill == "This is less than at the start"
    assert await send(road.technician, action("complete", guest.id)) == [""]
    again = action("complete", guest.id, METER | {"ticket": "T-2"})
    assert await send(road.technician, again) == [rules.RECORDED]


async def test_typos_are_corrected_while_the_bill_is_a_draft(monkeypatch):
    road = await a_road(monkeypatch)
    assert await record(road, "correct") == rules.NOT_DONE
    await record(road)
    assert await record(road, "correct", meter_end="110") == ""
    done = await road.now()
    assert (done.filled_milligallons, done.total) == (10_000, Money(3459))
    assert [bill.total_cents for bill in await fills.bills(done)] == [3459]
    await phone.close_day(road.shift)
    assert await record(road, "correct") == "This day is closed."


async def test_ticket_is_corrected_after_the_receipt(bank: Bank, monkeypatch):
    road = await a_road(monkeypatch, held=True)
    await sent(road, monkeypatch)
    assert await record(road, "correct", ticket="T-7") == ""
    assert (await road.told())["fill"]["ticket"] == "T-7"
    assert await rows(CreditNote) == []


async def test_little_too_much_on_a_sent_receipt_goes_back_to_the_card_once(
    bank: Bank, monkeypatch
):
    road = await a_road(monkeypatch, held=True)
    await sent(road, monkeypatch)
    fix = action("correct", road.id, METER | {"meter_end": "112"})
    assert await send(road.technician, fix, fix) == ["", ""]
    [note] = await rows(CreditNote)
    assert (note.amount_cents, note.way, note.actor) == (119, "card", road.technician.person_id)
    done = await road.now()
    assert (done.filled_milligallons, done.total) == (12_000, Money(4151))
    kinds = [kind for kind, _ in await history(road.customer.id)]
    assert kinds[-2:] == ["booking_correct", "invoice_refunded"]


async def test_what_is_still_due_is_waived(bank: Bank, monkeypatch):
    road = await a_road(monkeypatch)
    bank.answers = ["card_declined"] * 3
    await sent(road, monkeypatch)
    assert await record(road, "correct", meter_end="112") == ""
    assert [each.way for each in await rows(CreditNote)] == ["waived"]


@pytest.mark.parametrize(
    ("differs", "limit", "why"),
    [
        ({"meter_end": "113"}, None, "$44.97 instead of $42.70."),
        ({"meter_end": "100"}, None, "$0.00 instead of $42.70."),
        ({"meter_end": "101"}, 500, "$3.46 instead of $42.70."),
    ],
)
async def test_other_corrections_of_a_sent_receipt_are_the_offices(
    bank: Bank, monkeypatch, differs, limit, why
):
    road = await a_road(monkeypatch, held=True)
    if limit:
        await phone.set_figure("refund_limit", limit)
    await sent(road, monkeypatch)
    told = await record(road, "correct", **differs)
    assert told == f"The receipt has been sent. The office can correct it: {why}"
    assert (await road.now()).filled_milligallons == 12_345
    [question] = await asked(road)
    assert "gallons, ticket T-1" in question


async def test_photo_is_announced_once_and_for_stops_that_were_ones_own(monkeypatch):
    road = await a_road(monkeypatch)
    one = action("photo", road.id)
    assert await send(road.technician, one, one) == ["", ""]
    assert [each.id for each in await rows(FillPhoto)] == [one["id"]]
    refill = await phone.a_refill(road)
    assert await phone.do(road.technician, refill, "photo") == [rules.OLD_APP]
    other = await dispatch.a_technician(2)
    assert await phone.do(other, road.id, "photo") == [rules.NOT_YOURS]
    many = [action("photo", road.id) for _ in range(rules.PHOTOS_MOST)]
    assert (await send(road.technician, *many))[-1] == rules.NO_MORE_PHOTOS
    await fills.change(road.booking, state="cancelled")
    assert (await road.told())["photos"] == rules.PHOTOS_MOST


async def test_fill_without_a_bill_cannot_be_lowered():
    async with transaction() as session:
        with pytest.raises(InvoiceGone):
            await corrections.lower_fill(session, STAFF, "x", Money(1), "key")
