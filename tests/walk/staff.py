"""Steps of the staff: bookings, money, prices, areas, and the day of the trucks."""

from contextlib import suppress
from datetime import timedelta
from random import Random
from uuid import uuid4

from fuel_app.areas import queries as stored_prices
from fuel_app.areas.rules.prices import NewPrice, PriceTerms
from fuel_app.areas.service import areas, prices
from fuel_app.areas.tables import Area
from fuel_app.billing.rules.corrections import TO_CARD, TO_CREDIT, WAIVED, Correction, Reason
from fuel_app.billing.tables import StoredInvoice
from fuel_app.bookings.rules.states import REASONS
from fuel_app.bookings.service import bookings, changes
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.rules.trucks import ShiftForm
from fuel_app.dispatch.service import day_plan, fill_records, interruptions, truck_routes, trucks
from fuel_app.dispatch.tables import StoredShift, StoredStop
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading
from fuel_app.kit.errors import Refusal
from fuel_app.outcomes.service import corrections as outcomes_corrections
from fuel_app.plans.rules.ledger import Adjustment
from fuel_app.plans.service import ledger
from tests.helpers.fills import FILLED, failed
from tests.helpers.people import rows
from tests.walk.company import ADMIN, Company, NothingToDo, action
from tests.walk.customers import a_slot

WHY = "Asked by telephone"
UNDONE = ("route", "weather")  # nouns of the audit log


async def revisions(shift: StoredShift) -> dict[str, int]:
    """Return the revisions of the routes of a day, as a board shows them."""
    return {each.id: each.revision for each in await rows(StoredShift, day=shift.day)}


async def an_invoice(chance: Random, *states: str) -> StoredInvoice:
    found = sorted(await rows(StoredInvoice), key=lambda each: each.created_at)
    if not (found := [each for each in found if not states or each.state in states]):
        raise NothingToDo
    return chance.choice(found)


@action()
async def book_for(company: Company, chance: Random) -> None:
    who = company.customer(chance)
    wanted = who.wants(a_slot(company, chance))
    seen = await bookings.estimate_fill(ADMIN, wanted, customer_id=who.id)
    booking = await bookings.book(
        ADMIN, wanted, key=str(uuid4()), seen=seen, customer_id=who.id, reason=WHY
    )
    company.bookings.append(booking.id)


@action()
async def move_for(company: Company, chance: Random) -> None:
    found = await company.booking(chance)
    slot = a_slot(company, chance)
    await changes.move(ADMIN, found.id, found.revision, slot, reason=WHY)


@action()
async def cancel_for(company: Company, chance: Random) -> None:
    found = await company.booking(chance)
    fee, waive = changes.allowed_changes(ADMIN, found).late_fee, chance.random() < 0.5
    more = {"seen_fee": fee, "reason": WHY, "waive": waive}
    await changes.cancel(ADMIN, found.id, found.revision, **more)


@action()
async def record_fill(company: Company, chance: Random) -> None:
    found = await company.booking(chance)
    form = FILLED | {"gallons": chance.choice(["0", "0.150", "9.500", "12.345", "16.900"])}
    await fill_records.complete_booking(ADMIN, found.id, found.revision, form, confirmed=True)


@action()
async def fail_fill(company: Company, chance: Random) -> None:
    found = await company.booking(chance, "arrived", "fueling")
    reason = chance.choice(list(REASONS))
    await failed(found, reason, "The gate was closed.")


@action(2)
async def correct_invoice(_company: Company, chance: Random) -> None:
    row, way = await an_invoice(chance), chance.choice([TO_CARD, TO_CREDIT, WAIVED])
    form = Correction.parse({"amount": f"{chance.randrange(1, 90)}.{50}", "reason": WHY})
    key = str(uuid4())
    for _ in range(chance.choice([1, 2])):
        await outcomes_corrections.correct_invoice(ADMIN, row.id, way, form, key)


@action()
async def give_credit(company: Company, chance: Random) -> None:
    form = Correction.parse({"amount": f"{chance.randrange(1, 30)}.00", "reason": WHY})
    await outcomes_corrections.give_credit(ADMIN, company.customer(chance).id, form, str(uuid4()))


@action()
async def charge_again(_company: Company, chance: Random) -> None:
    row = await an_invoice(chance, "open")
    await outcomes_corrections.charge_invoice(ADMIN, row.id, Reason.parse({"reason": WHY}))


@action()
async def write_off(_company: Company, chance: Random) -> None:
    row = await an_invoice(chance, "open")
    await outcomes_corrections.write_off_open(ADMIN, row.id, Reason.parse({"reason": WHY}))


@action()
async def adjust_fills(company: Company, chance: Random) -> None:
    form = Adjustment.parse({"fills": chance.choice(["1", "-1", "-2"]), "reason": WHY})
    await ledger.adjust_fills(ADMIN, company.customer(chance).id, form, str(uuid4()))


@action(2)
async def set_price(company: Company, chance: Random) -> None:
    async with reading() as session:
        seen = await stored_prices.price_revision(session, company.area, "regular")
    new = NewPrice(company.area, "regular", 3000 + chance.randrange(100, 999), None, seen)
    terms = PriceTerms.parse({"source": "Office"})
    await prices.set_prices([new], terms, actor=ADMIN)


@action()
async def pause_or_resume(company: Company, chance: Random) -> None:
    [area] = await rows(Area)
    if area.status == "paused":
        await areas.step("resume", company.area, actor=ADMIN)
    elif chance.random() < 0.3:
        await areas.step("pause", company.area, actor=ADMIN)


@action(2)
async def add_shift(company: Company, chance: Random) -> None:
    day = clock.day_of(clock.now()) + timedelta(days=chance.randrange(2))
    truck, technician = chance.choice(company.trucks), chance.choice(company.technicians)
    who = {"truck": truck.id, "technician": technician.person_id}
    form = ShiftForm.parse(who | {"starts": "07:00", "ends": "17:00"})
    await trucks.save_shift(ADMIN, day, "", None, form)


@action(6)
async def prepare_tomorrow(company: Company, _chance: Random) -> None:
    """Put all trucks on shift, plan the day and publish it, as each evening."""
    day = clock.day_of(clock.now()) + timedelta(1)
    for truck, technician in zip(company.trucks, company.technicians, strict=True):
        who = {"truck": truck.id, "technician": technician.person_id}
        form = ShiftForm.parse(who | {"starts": "07:00", "ends": "17:00"})
        with suppress(Refusal):
            await trucks.save_shift(ADMIN, day, "", None, form)
    for step in (day_plan.plan, day_plan.publish):
        seen = {each.id: each.revision for each in await rows(StoredShift, day=day)}
        await step(ADMIN, day, seen)


@action(2)
async def plan_day(company: Company, chance: Random) -> None:
    shift = await company.shift(chance)
    await day_plan.plan(ADMIN, shift.day, await revisions(shift), keep=chance.random() < 0.3)


@action(2)
async def publish_day(company: Company, chance: Random) -> None:
    shift = await company.shift(chance)
    await day_plan.publish(ADMIN, shift.day, await revisions(shift))


@action(2)
async def move_stop(company: Company, chance: Random) -> None:
    shift = await company.shift(chance)
    of_day = [each.id for each in await rows(StoredBooking) if day_of(each.starts_at) == shift.day]
    found = await company.booking(chance, "booked", "dispatched", among=of_day)
    place = chance.randrange(1, 4)
    await truck_routes.move(ADMIN, found.id, shift.id, place, await revisions(shift))


@action()
async def unassign_stop(company: Company, chance: Random) -> None:
    shift = await company.shift(chance)
    stops = [each for each in await rows(StoredStop, shift_id=shift.id) if each.booking_id]
    if not stops:
        raise NothingToDo
    stop = chance.choice(sorted(stops, key=lambda each: each.place))
    await truck_routes.unassign(ADMIN, stop.booking_id, await revisions(shift))


@action()
async def add_refill(company: Company, chance: Random) -> None:
    shift = await company.shift(chance)
    await truck_routes.add_refill(ADMIN, shift.id, 0, await revisions(shift))


@action()
async def hold_for_weather(_company: Company, chance: Random) -> None:
    day = clock.day_of(clock.now()) + timedelta(days=chance.randrange(2))
    until = chance.choice(["12:00", "18:00"])
    when = {"day": str(day), "area_id": "", "starts": "07:00", "ends": until}
    await interruptions.begin_weather_hold(ADMIN, when | {"reason": "Thunderstorm"})


@action(2)
async def resume_after_weather(company: Company, chance: Random) -> None:
    found = await company.booking(chance, "weather_hold")
    await interruptions.resume_held(ADMIN, found.day, company.bookings)


@action()
async def break_down(company: Company, chance: Random) -> None:
    shift = await company.shift(chance)
    if shift.broken_at:
        await interruptions.mark_repaired(ADMIN, shift.id, await revisions(shift))
    else:
        shown = await interruptions.preview_breakdown(ADMIN, shift.id, await revisions(shift))
        ids = [each.booking.id for each in shown.unserved]
        await interruptions.confirm_breakdown(ADMIN, shift.id, await revisions(shift), ids)


@action()
async def undo_last(_company: Company, chance: Random) -> None:
    """Undo one of the last changes of routes, or a weather hold."""
    known = sorted(await rows(AuditEntry), key=lambda each: each.number)
    of_routes = [each.action_id for each in known if each.noun in UNDONE][-4:]
    if not of_routes:
        raise NothingToDo
    async for _ in audit.undo(chance.choice(of_routes), actor=str(ADMIN)):
        pass
