"""Fills as technicians record them: charged once, corrected, and never lost."""

import pytest

from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.service import corrections
from fuel_app.billing.tables import CreditNote
from fuel_app.bookings import queries
from fuel_app.bookings.rules.fills import UNCONFIRMED
from fuel_app.bookings.service import changes
from fuel_app.bookings.tables import BookingEvent, FillQuestion
from fuel_app.dispatch import jobs as dispatch_jobs
from fuel_app.dispatch.rules import phones as rules
from fuel_app.dispatch.service import fill_records, phones
from fuel_app.dispatch.tables import FillPhoto
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from tests.helpers import dispatch, fills, phone
from tests.helpers.bank import Bank, bank, stored_payments
from tests.helpers.bookings import STAFF, set_price
from tests.helpers.fills import billing_jobs
from tests.helpers.people import history, rows
from tests.helpers.phone import METER, Road, a_road, action, later, send
from tests.helpers.plans import all_fills_left

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")
KEPT = rules.OFFICE_HAS_IT


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


async def test_more_than_the_tank_holds_is_recorded_and_waits_until_it_is_confirmed(monkeypatch):
    road = await a_road(monkeypatch)
    assert await record(road, meter_end="117.601") == rules.asked_text(["gallons"])
    done = await road.now()
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 17_601, None)
    assert await fills.bills(done) == []
    assert [(each.kind, each.answer) for each in await rows(FillQuestion)] == [("gallons", "")]
    kind, noted = (await history(road.customer.id))[-1]
    assert kind == "booking_complete"
    assert noted is not None
    assert noted["what"].endswith(UNCONFIRMED)
    again = await record(road, "correct", meter_end="117.601", confirmed="yes")
    assert again == rules.asked_text(["gallons"])
    assert await record(road, "correct", meter_end="117.601", confirmed=True) == ""
    assert (await road.now()).total == Money(6088)
    assert [each.answer for each in await rows(FillQuestion)] == ["corrected"]


async def test_unconfirmed_correction_of_a_billed_fill_is_the_offices(monkeypatch):
    road = await a_road(monkeypatch)
    await record(road)
    told = await record(road, "correct", meter_end="117.601")
    assert told == f"{rules.TOO_MUCH} {KEPT}"
    assert (await road.now()).total == Money(4270)
    assert await kept(road) == [(rules.TOO_MUCH, 17_601, "")]


async def test_fill_is_recorded_though_steps_before_it_are_missing_or_the_day_closed(monkeypatch):
    road = await a_road(monkeypatch)
    await phone.close_day(road.shift)
    assert await record(road) == ""
    assert (await road.now()).total == Money(4270)
    assert (await road.stop()).ended_at == clock.now()


async def kept(road: Road) -> list[tuple[str, int | None, str]]:
    """Return why fuel was kept beside the booking, its gallons, and the answer of the office."""
    return [(e.why, e.milligallons, e.answer) for e in await rows(FillQuestion) if e.kind == "kept"]


async def test_fill_of_a_booking_cancelled_meanwhile_is_kept_beside_it(monkeypatch):
    road = await a_road(monkeypatch)
    fee = changes.allowed_changes(road.customer.actor, road.booking).late_fee
    await changes.cancel(road.customer.actor, road.id, road.booking.revision, seen_fee=fee)
    before = await road.now()
    assert await record(road) == f"This stop was cancelled. {KEPT}"
    assert await road.now() == before
    assert await kept(road) == [("This stop was cancelled.", 12_345, "")]
    assert (await road.stop()).ended_at is None
    assert [each.kind for each in await fills.bills(before)] == ["late_fee"]
    assert (await phone.actions())[-1].refused == f"This stop was cancelled. {KEPT}"
    [question] = await asked(road)
    assert question.endswith("the technician has recorded 12.345 gallons, ticket T-1")
    shown = await road.told()
    assert (shown["gone"], shown["gallons"]) == (f"This stop was cancelled. {KEPT}", "12.345")
    assert shown["fill"] == METER | {"meter_start": "100.000"}


async def test_fill_of_another_technicians_stop_changes_nothing_there(bank: Bank, monkeypatch):
    road = await a_road(monkeypatch, held=True)
    other = await phone.reassign(road)
    await phone.do(other, road.id, "drive")
    stop, before = await road.stop(), await road.now()
    assert await road.do("drive") == [rules.ANOTHERS]
    assert await record(road) == f"{rules.ANOTHERS} {KEPT}"
    assert (await road.now(), await road.stop()) == (before, stop)
    assert await fills.run(fills.RELEASE, fills.OPEN_FILL) == 0
    assert [each.state for each in await stored_payments()] == ["authorized"]
    assert await all_fills_left() == [3]
    assert await phone.do(other, road.id, "arrive") == [""]
    more = {"meter_start": "50", "meter_end": "62", "ticket": "U-7"}
    assert await send(other, action("complete", road.id, more)) == [""]
    done = await road.now()
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 12_000, Money(4151))
    assert await kept(road) == [(rules.ANOTHERS, 12_345, "")]


async def test_kept_fill_asks_once_and_is_corrected_until_the_office_answers(monkeypatch):
    road = await a_road(monkeypatch)
    await fills.change(road.booking, state="cancelled")
    assert await record(road) == await record(road) == f"This stop was cancelled. {KEPT}"
    assert await record(road, "correct", meter_end="105", ticket="T-2") == KEPT
    assert await kept(road) == [("This stop was cancelled.", 5_000, "")]
    other = await dispatch.a_technician(2)
    assert await send(other, action("correct", road.id, METER)) == [rules.ANOTHERS]
    assert await kept(road) == [("This stop was cancelled.", 5_000, "")]


async def test_office_is_asked_about_ten_fills_beside_a_booking_at_a_time(monkeypatch):
    road = await a_road(monkeypatch)
    await fills.change(road.booking, state="cancelled")
    tickets = [f"T-{number}" for number in range(12)]
    said = [await record(road, ticket=each) for each in tickets]
    assert {*said} == {f"This stop was cancelled. {KEPT}"}
    assert len(await kept(road)) == len(await asked(road)) == 10
    assert [each.data["ticket"] for each in await phone.actions()] == tickets
    async with transaction() as session:
        [*_, last] = await rows(FillQuestion)
        await queries.answer_question(session, last.id, "waived", "staff", clock.now(), "")
    await record(road, ticket="T-12")
    assert len(await kept(road)) == 11


async def test_more_than_two_tanks_are_recorded_and_billed_by_nothing(bank: Bank, monkeypatch):
    road = await a_road(monkeypatch, held=True)
    told = await record(road, meter_end="210", confirmed=True)
    assert told == rules.asked_text(["gallons"])
    done = await road.now()
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 110_000, None)
    assert done.fills[0].gallons_asked_at == clock.now()
    assert (await road.stop()).ended_at == clock.now()
    later(monkeypatch, hours=30)
    await fills.run(fills.OPEN_FILL, fills.RELEASE, fills.SETTLE, fills.AUTHORIZE)
    await billing_jobs.reconcile(clock.now())
    await dispatch_jobs.close(clock.now())
    await dispatch_jobs.follow(clock.now())
    assert await fills.bills(done) == []
    assert await fills.ends() == [("hold", "authorized", 0)]
    assert [each.kind for each in await rows(FillQuestion)] == ["gallons"]
    assert await fills.said("completed") == []


async def test_correction_to_more_than_two_tanks_is_the_offices(monkeypatch):
    road = await a_road(monkeypatch)
    await record(road)
    told = await record(road, "correct", meter_end="210", confirmed=True)
    assert told == "This is more than two tanks. Only an admin decides about it."
    assert (await road.now()).total == Money(4270)
    assert await kept(road) == [(told, 110_000, "")]


async def second_stop(road: Road, monkeypatch: pytest.MonkeyPatch) -> str:
    return (await phone.a_guest(road, monkeypatch)).id


async def test_repeated_ticket_of_a_meter_is_stored_and_asked_about(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await second_stop(road, monkeypatch)
    assert await record(road) == ""
    more = METER | {"meter_start": "112.345", "meter_end": "120", "ticket": "t - 1"}
    assert await send(road.technician, action("complete", guest, more)) == [
        rules.asked_text(["ticket"])
    ]
    assert await send(road.technician, action("correct", guest, more)) == [
        rules.asked_text(["ticket"])
    ]
    [question] = await rows(FillQuestion)
    assert (question.kind, question.booking_id, question.answer) == ("ticket", guest, "")
    fixed = more | {"ticket": "T-2"}
    assert await send(road.technician, action("correct", guest, fixed)) == [""]
    assert [each.answer for each in await rows(FillQuestion)] == ["corrected"]
    await send(road.technician, action("correct", guest, more))
    assert [each.answer for each in await rows(FillQuestion)] == ["corrected", ""]


async def test_ticket_of_a_kept_fill_is_used(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await second_stop(road, monkeypatch)
    await fills.change(road.booking, state="cancelled")
    await record(road)
    assert await send(road.technician, action("complete", guest)) == [rules.asked_text(["ticket"])]


async def test_fill_that_left_the_route_is_kept_if_it_was_ever_published(monkeypatch):
    road = await a_road(monkeypatch)
    await phone.remove(road.shift)
    assert await record(road) == rules.NOT_YOURS
    await phone.publish_once(road)
    assert await record(road) == f"{rules.NOT_YOURS} {KEPT}"
    assert (await road.now()).state == "dispatched"


async def test_stop_that_is_no_booking_cannot_be_filled(monkeypatch):
    road = await a_road(monkeypatch)
    assert await phone.do(road.technician, road.customer.id, "complete") == [rules.NOT_YOURS]


async def test_fill_of_a_later_day_is_kept(monkeypatch):
    road = await a_road(monkeypatch)
    later(monkeypatch, days=-1)
    assert await record(road) == f"{rules.NOT_TODAY} {KEPT}"


async def test_fill_that_the_office_has_recorded_is_not_recorded_twice(monkeypatch):
    road = await a_road(monkeypatch)
    form = METER | {"gallons": "", "started": ""}
    await fill_records.complete_booking(STAFF, road.id, road.booking.revision, form)
    assert await record(road) == ""
    assert await record(road, ticket="T-2") == rules.RECORDED
    assert [e.kind for e in await rows(BookingEvent)].count("complete") == 1


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


async def test_photo_of_another_technicians_stop_is_kept_beside_it(monkeypatch):
    road = await a_road(monkeypatch)
    other = await phone.reassign(road)
    beside = action("photo", road.id)
    assert await send(road.technician, beside) == [""]
    await fill_records.store_photo(road.technician, beside["id"], phone.picture())
    assert (await fill_records.photos_of_bookings(STAFF, [road.id]))[road.id] == []
    [stop] = (await phones.read_day(other))["stops"]
    assert stop["photos"] == 0


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
