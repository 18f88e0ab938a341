"""Steps of customers and guests: accounts, cards, plans, bookings, neighborhoods."""

from datetime import timedelta
from random import Random
from uuid import uuid4

from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.providers.stand_in import payments as hosted
from fuel_app.billing.providers.stand_in.objects import NEEDS_CONFIRMATION, TEST_CARDS, WORKS
from fuel_app.billing.service import cards
from fuel_app.billing.tables import Payer, StoredInvoice
from fuel_app.bookings.rules.bookings import Request
from fuel_app.bookings.rules.slots import SlotId
from fuel_app.bookings.service import access as booked
from fuel_app.bookings.service import bookings, changes
from fuel_app.bookings.tables import StoredFill
from fuel_app.customers.service import neighborhood as own
from fuel_app.customers.service import sign_up
from fuel_app.joining import service as joining
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.membership import service as membership
from fuel_app.outcomes.service import charges, checkouts, plans
from fuel_app.plans.rules.plans import PLANS
from tests.helpers import plan_money, sign_ups
from tests.helpers.bookings import CAR, CONTACT, PLACE, Customer, a_car, a_place
from tests.helpers.cards import visit_in
from tests.helpers.open_area import ZIP
from tests.helpers.people import rows
from tests.walk.company import Company, NothingToDo, action

BACK = "http://localhost:3000/billing"
WINDOWS = (8, 10, 12, 14)
OPEN = ("booked", "dispatched", "weather_hold")
DAYS = (0, 1, 1, 1, 1, 2, 3)  # ahead, so that slots fill up and days can be driven


def a_plan(chance: Random) -> str:
    return chance.choice(PLANS).id


def a_card(chance: Random) -> str:
    return chance.choice([WORKS] * 3 + [each for each in TEST_CARDS if each != NEEDS_CONFIRMATION])


def a_slot(company: Company, chance: Random) -> str:
    day = clock.day_of(clock.now()) + timedelta(days=chance.choice(DAYS))
    return str(SlotId(company.area, day, chance.choice(WINDOWS)))


@action(2)
async def sign_up_customer(company: Company, chance: Random) -> None:
    number = len(company.customers) + 1
    pending = await sign_ups.begun(email=f"person{number}@example.com", phone=f"941555{number:04}")
    made = await sign_up.complete(pending, a_plan(chance), sign_ups.HERE)
    assert made
    new = await sign_ups.opened(made)
    code = await sign_ups.code_of(new)
    person_id = (await sign_ups.opened(await membership.verify(new, code, sign_ups.HERE))).person_id
    car, place = a_car(person_id, number), a_place(person_id)
    async with transaction() as session:
        session.add_all((car, place))
    who = Actor(frozenset({Role.CUSTOMER}), person_id)
    company.customers.append(Customer(who, car.id, place.id))
    await _add_card(company, person_id, WORKS)


@action()
async def add_card(company: Company, chance: Random) -> None:
    await _add_card(company, company.customer(chance).id, a_card(chance))


async def _add_card(_company: Company, person_id: str, card: str) -> None:
    by = plan_money.by(person_id)
    page = await cards.begin_checkout(by.person_id, BACK)
    if await hosted.complete_page(visit_in(page), card):
        await checkouts.finish_checkout(by.person_id, visit_in(page))


@action(2)
async def start_or_switch(company: Company, chance: Random) -> None:
    by, plan = company.session(chance), a_plan(chance)
    offer = next(each for each in (await plans.read_plans(by)).offers if each.plan.id == plan)
    change = plans.start_plan if offer.way == "start" else plans.switch_plan
    key = str(uuid4())
    await change(by, plan, offer.button, key)
    if chance.random() < 0.2:
        await change(by, plan, offer.button, key)


@action()
async def cancel_plan(company: Company, chance: Random) -> None:
    await plans.cancel_plan(company.session(chance))


@action()
async def undo_plan(company: Company, chance: Random) -> None:
    await plans.undo_plan_change(company.session(chance))


@action()
async def pay_debt(company: Company, chance: Random) -> None:
    open_ones = await rows(StoredInvoice, state="open")
    payers = {each.id: each.person_id for each in await rows(Payer)}
    due = [each for each in open_ones if payers[each.payer_id]]
    if not due:
        raise NothingToDo
    row = chance.choice(sorted(due, key=lambda each: each.created_at))
    await charges.pay_now(plan_money.by(payers[row.payer_id] or ""), row.id)


@action(16)
async def book(company: Company, chance: Random) -> None:
    who = company.customer(chance)
    wanted = who.wants(a_slot(company, chance))
    key, seen = str(uuid4()), await bookings.estimate_fill(who.actor, wanted)
    made = await bookings.book(who.actor, wanted, key=key, seen=seen)
    company.bookings.append(made.id)
    if chance.random() < 0.3:  # a double click
        again = await bookings.book(who.actor, wanted, key=key, seen=seen)
        assert again.id == made.id


@action(3)
async def book_as_guest(company: Company, chance: Random) -> None:
    tab = str(uuid4())
    who = {"name": "Gus Guest", "email": "gus@example.com", "address": "198.51.100.7"}
    page = await cards.begin_guest_checkout(tab, **who, back=BACK)
    if await hosted.complete_page(visit_in(page), a_card(chance)):
        await checkouts.finish_guest_checkout(tab, visit_in(page))
    wanted = Request(a_slot(company, chance), (CAR,), PLACE)
    seen = await bookings.estimate_fill(None, wanted)
    more = {"hold_id": "", "address": who["address"], "payer_key": tab}
    made = await bookings.book_guest(CONTACT, wanted, key=str(uuid4()), seen=seen, **more)
    guest = booked.guest_of(booked.manage_token(made))
    assert guest
    company.bookings.append(made.id)
    company.by_link[made.id] = guest


@action(3)
async def move(company: Company, chance: Random) -> None:
    found = await company.booking(chance, *OPEN)
    slot = a_slot(company, chance)
    await changes.move(company.owner(found), found.id, found.revision, slot)


@action(2)
async def cancel(company: Company, chance: Random) -> None:
    found = await company.booking(chance, *OPEN)
    by = company.owner(found)
    fee = changes.allowed_changes(by, found).late_fee
    await changes.cancel(by, found.id, found.revision, seen_fee=fee)


@action()
async def change_of_another(company: Company, chance: Random) -> None:
    """Try to cancel and to move what is not one's own: never possible."""
    found = await company.booking(chance)
    others = [each for each in company.customers if each.id != found.person_id]
    if not others:
        raise NothingToDo
    by = chance.choice(others).actor
    for attempt in (
        changes.cancel(by, found.id, found.revision, seen_fee=Money(0)),
        changes.move(by, found.id, found.revision, a_slot(company, chance)),
    ):
        try:
            await attempt
        except Refusal:
            continue
        raise AssertionError("a customer has changed another's booking")


@action(2)
async def pay_asked_fee(company: Company, chance: Random) -> None:
    asked = [each.booking_id for each in await rows(StoredFill) if each.fee_asked_at]
    found = await company.booking(chance, *OPEN, among=asked)
    fee = found.asked_fee
    await changes.choose_fee(company.owner(found), found.id, found.revision, fee)


@action()
async def join_neighborhood(company: Company, chance: Random) -> None:
    entry = await own.claim_entry(company.customer(chance).id)
    if company.neighborhoods and chance.random() < 0.8:
        await joining.join(entry, chance.choice(company.neighborhoods))
    else:
        name = f"Bay {len(company.neighborhoods) + 1}"
        company.neighborhoods.append((await joining.create(entry, name, ZIP)).id)


@action()
async def leave_neighborhood(company: Company, chance: Random) -> None:
    await own.leave(company.customer(chance).id)
