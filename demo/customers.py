"""Customers of the demo: they wait, sign up, add a card, start a plan, and book fills."""

from datetime import date, timedelta
from typing import Any
from uuid import UUID

from demo.company import OPENINGS
from demo.people import Customer
from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import Actor, Applicant, PendingSignUp, Role, Session
from fuel_app.accounts.tables import Person
from fuel_app.billing.providers.stand_in import objects as stand_in
from fuel_app.billing.providers.stripe import Card
from fuel_app.billing.service import cards, invoices
from fuel_app.bookings.rules.bookings import Booking, Request, SlotClosed, SlotFull, SlotPast
from fuel_app.bookings.service import bookings, changes
from fuel_app.customers import queries
from fuel_app.customers.rules.locations import LocationForm
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import neighborhood
from fuel_app.customers.tables import StoredAddress, StoredVehicle
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.legal import PRIVACY_VERSION, TERMS_VERSION
from fuel_app.messages import service as messages
from fuel_app.outcomes.service import plans
from fuel_app.plans.service import subscriptions

_CAR = {"make", "model", "year", "color", "license_plate", "tank_tenths", "plate_state", "grade"}
_CAR |= {"fuel_door"}


def session_of(who: Customer) -> Session:
    """Return a session of a customer, as their browser's cookie would find it."""
    now = clock.now()
    roles = frozenset({Role.CUSTOMER})
    return Session(new_id(), now, now + timedelta(days=1), person_id=who.person_id, roles=roles)


def actor_of(who: Customer) -> Actor:
    return Actor(frozenset({Role.CUSTOMER}), who.person_id)


async def sign_up(who: Customer, password_hash: str) -> None:
    """Store a customer who has verified their e-mail, with vehicles and an address."""
    now = clock.now()
    person = Person(
        first_name=who.first_name,
        last_name=who.last_name,
        email=who.email,
        phone=who.phone,
        password_hash=password_hash,
        terms_version=TERMS_VERSION,
        privacy_version=PRIVACY_VERSION,
        terms_accepted_at=now,
        password_changed_at=now,
        email_verified_at=now,
    )
    wants_texts = who.number % 3 != 2
    person.phone_verified_at = now if wants_texts else None
    applicant = Applicant(who.first_name, who.last_name, who.email, who.phone, who.zip_code)
    comes_from = {"neighborhood": who.neighborhood} if who.neighborhood else {}
    async with transaction() as session:
        session.add(person)
        await session.flush()
        who.person_id = person.id
        await people.add_roles(session, person.id, {Role.CUSTOMER})
        row = await queries.add(session, person.id, zip_code=who.zip_code)
        row.address, row.city, row.state = who.place["street"], who.place["city"], "FL"
        pending = PendingSignUp(new_id(), applicant, who.plan, comes_from)
        await neighborhood.link_customer(session, row, pending)
        await subscriptions.choose_plan(session, person.id, who.plan)
        if wants_texts:
            await messages.agree_to_texts(session, who.phone, person.id)
        for typed in who.cars:
            known = OwnVehicle.parse(typed).model_dump(include=_CAR)
            car = StoredVehicle(person_id=person.id, **known)
            who.car_ids.append(car.id)
            session.add(car)
        form = LocationForm.parse(who.place).model_dump()
        place = StoredAddress(person_id=person.id, is_default=True, **form, **who.located._asdict())
        who.place_id = place.id
        session.add(place)


async def add_card(who: Customer, kind: str = stand_in.WORKS) -> None:
    """Give a customer a card of the stand-in, as a visit to its page does."""
    async with transaction() as session:
        payer = await cards.lock_payer(
            session, (await invoices.payer_of_person(session, who.person_id)).id
        )
        if not payer.provider_id:
            name = f"{who.first_name} {who.last_name}"
            given = {"name": name, "email": who.email}
            payer.provider_id = (await stand_in.create_customer(session, given, "")).id
            await session.flush()
        made = await stand_in.attach(session, payer.provider_id, kind)
        about: dict[str, Any] = made.body["card"]
        card = Card(
            id=made.id,
            customer_id=payer.provider_id,
            brand=about["brand"],
            last4=about["last4"],
            month=about["exp_month"],
            year=about["exp_year"],
            fingerprint=about["fingerprint"],
        )
        await cards.keep_card(session, payer, card)


async def start_plan(who: Customer) -> None:
    """Press the button that starts the chosen plan."""
    by = session_of(who)
    offer = next(each for each in (await plans.read_plans(by)).offers if each.plan.id == who.plan)
    await plans.start_plan(by, who.plan, offer.button, new_id())


async def switch_plan(who: Customer, plan: str) -> None:
    by = session_of(who)
    offer = next(each for each in (await plans.read_plans(by)).offers if each.plan.id == plan)
    await plans.switch_plan(by, plan, offer.button, new_id())
    who.plan = plan


async def book(
    who: Customer,
    area_id: str,
    day: date,
    first: int,
    *,
    car: int = 0,
    cars: int = 1,
    by: Actor | None = None,
) -> Booking | None:
    """Book a visit in the first free window of a day. Return None if there is none.

    Args:
        first: The number of the window that suits best.
        car: The number of its first car; `cars` are filled, if the customer has as many.
        by: A dispatcher who books for them; else themselves.
    """
    for turn in range(len(OPENINGS)):
        opens = OPENINGS[(first + turn) % len(OPENINGS)]
        slot_id = f"{area_id}-{day.isoformat()}-{opens:02}"
        count = len(who.car_ids)
        chosen = dict.fromkeys(who.car_ids[(car + n) % count] for n in range(cars))
        request = Request(slot_id, tuple(chosen), who.place_id)
        customer_id = who.person_id if by else ""
        asks = by or actor_of(who)
        try:
            seen = await bookings.estimate_fill(asks, request, customer_id=customer_id)
            return await bookings.book(
                asks,
                request,
                key=str(UUID(new_id())),
                seen=seen,
                customer_id=customer_id,
                reason="Asked by phone" if by else "",
            )
        except (SlotFull, SlotPast, SlotClosed):
            continue
    return None


async def cancel(who: Customer, made: Booking) -> None:
    """Cancel a booking, for whatever fee that costs now."""
    by = actor_of(who)
    fee = changes.allowed_changes(by, made).late_fee
    await changes.cancel(by, made.id, made.revision, seen_fee=fee)
