"""The phone desk: staff change what a caller says, each time with a reason, which is logged.

What finds the car goes into the bookings that have not ended as well, which hold copies. Without
the admin role there is a limit for each of the staff in 24 hours.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, OfStaff, Role
from fuel_app.accounts.service import directory
from fuel_app.bookings import queries
from fuel_app.bookings.rules.desk import (
    FOLLOWS,
    NOT_BEGUN,
    CodesToPhone,
    DeskLimitReached,
    DeskPlace,
    DeskVehicle,
    NewPhone,
    car_values,
    carried,
    moved_pin,
    place_step,
    told,
    vehicle_step,
)
from fuel_app.bookings.rules.states import OPEN_STATES
from fuel_app.bookings.service import access
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.rules.customers import CustomerGone
from fuel_app.customers.rules.locations import AddressGone, OwnLocation
from fuel_app.customers.rules.vehicles import OwnVehicle, VehicleGone
from fuel_app.customers.service import locations, vehicles
from fuel_app.kit import audit, clock, policies
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.limits import WITHIN, Given, Room
from fuel_app.kit.policies import policy
from fuel_app.kit.signals import BOOKINGS, signals

DESK_LIMIT = policy(
    "desk_limit",
    "Changes for callers by one of the staff in 24 hours without an admin, at most",
    unit="changes",
    default=5,
    least=0,
    most=1000,
)
PLACE, VEHICLE, PHONE, EMAIL = KINDS = ("desk_place", "desk_vehicle", "desk_phone", "desk_email")
PIN = "desk_pin"  # of a place that was not found: it belongs to a change that was counted


async def save_place(
    actor: Actor, customer_id: object, form: DeskPlace, place_id: str = ""
) -> tuple[OwnLocation, str]:
    """Save a place of a customer: a new one, or in place of the one with this id.

    Return it, and what became of the bookings in words. What says nothing new changes nothing.

    Raises:
        DeskLimitReached, CustomerGone
        Refusal: As `locations.save` does.
    """
    whose = caller_id(actor, customer_id)
    await locations.check(form)
    located = await locations.locate_own(whose, form, place_id, by=str(actor))
    async with transaction() as session:
        former = await locations.find_own(session, whose, place_id) if place_id else None
        changed = _differing(former, form, [*DeskPlace.names()])
        if former and not changed:
            return former, told([], "")
        await check_limit(session, actor)
        saved = await locations.store(session, whose, form, located, place_id)
        rows = await _open_bookings(session, whose) if former else []
        steps = {row.id: place_step(row.place, former, saved) for row in rows if former}
        following = {
            row.id: {"place": row.place | carried(row.place, former, saved)}
            for row in rows
            if former and steps[row.id] == FOLLOWS
        }
        await _carry(session, actor, following)
        await log(session, actor, PLACE, whose, changed, form.reason)
    return saved, told([*steps.values()], "the former address")


async def set_pin(
    actor: Actor, customer_id: object, place_id: str, lat: object, lng: object
) -> int:
    """Put a saved place of a customer where the car stands, as the caller describes it.

    It makes a place bookable that was not found, which belongs to a change that was counted; to
    move another pin is a change of its own. Return how many bookings follow.

    Raises:
        DeskLimitReached, CustomerGone
        Refusal: As `locations.set_pin` does.
    """
    whose = caller_id(actor, customer_id)
    pin = await locations.check_own_pin(whose, place_id, lat, lng)
    async with transaction() as session:
        known = await locations.find_own(session, whose, place_id)
        kind = PIN if known and known.is_approximate else PLACE
        if kind == PLACE:
            await check_limit(session, actor)
        await locations.store_pin(session, whose, place_id, pin)
        await log(session, actor, kind, whose, ["pin"], "")
        count = await carry_pin(session, actor, whose, place_id)
    await signals().publish(BOOKINGS)
    return count


async def carry_pin(session: AsyncSession, actor: Actor, person_id: str, place_id: object) -> int:
    """Have a person's bookings at an address whose pin has moved follow it, as a step of each.

    Those on whose way a technician is stay as they are. Return how many follow.
    """
    place = await locations.find_own(session, person_id, place_id)
    if place is None:
        return 0
    rows = await _open_bookings(session, person_id)
    pins = {row.id: moved_pin(row.place, place) for row in rows if row.state in NOT_BEGUN}
    following = {row.id: {"place": row.place | pins[row.id]} for row in rows if pins.get(row.id)}
    await _carry(session, actor, following)
    return len(following)


async def remove_place(actor: Actor, customer_id: object, place_id: object, reason: str) -> None:
    """Remove a place of a customer; bookings keep theirs.

    Raises:
        DeskLimitReached, AddressGone, CustomerGone
    """
    whose = caller_id(actor, customer_id)
    async with transaction() as session:
        await check_limit(session, actor)
        if await locations.remove_in(session, whose, place_id) is None:
            raise AddressGone
        await log(session, actor, PLACE, whose, ["removed"], reason)


async def save_vehicle(actor: Actor, customer_id: object, vehicle: DeskVehicle) -> str:
    """Save a vehicle of a customer, a new one or in place of the one with its id; photos stay.

    Return what became of the bookings in words. What says nothing new changes nothing.

    Raises:
        DeskLimitReached, CustomerGone
        Refusal: As `vehicles.save` does.
    """
    whose = caller_id(actor, customer_id)
    async with transaction() as session:
        former = await vehicles.find(session, whose, vehicle.id) if vehicle.id else None
        changed = _differing(former, vehicle, [*DeskVehicle.names()])
        if former and not changed:
            return told([], "")
        await check_limit(session, actor)
        image = former.image if former else ""
        await vehicles.store(session, whose, vehicle.model_copy(update={"image": image}))
        rows = await _open_bookings(session, whose) if former else []
        booked = [fill for row in rows for fill in row.fills if fill.vehicle_id == vehicle.id]
        steps = {fill.id: vehicle_step(fill.vehicle, vehicle) for fill in booked}
        following = [fill for fill in booked if steps[fill.id] == FOLLOWS]
        for fill in following:
            values = car_values(fill.vehicle, fill.estimated_milligallons, vehicle)
            await queries.change_fill(session, fill, values)
        await _carry(session, actor, {fill.booking_id: {} for fill in following})
        await log(session, actor, VEHICLE, whose, changed, vehicle.reason)
    return told([*steps.values()], "the former car and fuel grade")


async def remove_vehicle(
    actor: Actor, customer_id: object, vehicle_id: object, reason: str
) -> None:
    """Remove a vehicle of a customer; bookings keep theirs.

    Raises:
        DeskLimitReached, VehicleGone, CustomerGone
    """
    whose = caller_id(actor, customer_id)
    async with transaction() as session:
        await check_limit(session, actor)
        if await vehicles.remove_in(session, whose, vehicle_id) is None:
            raise VehicleGone
        await log(session, actor, VEHICLE, whose, ["removed"], reason)


async def change_phone(actor: Actor, customer_id: object, form: NewPhone) -> None:
    """Change a customer's phone. It is not verified, and nothing that signs in changes.

    Raises:
        OfStaff: If the person is one of the staff, too.
        CodesToPhone: If the present one gets the codes of the second factor.
        DeskLimitReached, AccountGone, CustomerGone
    """
    whose = caller_id(actor, customer_id)
    async with transaction() as session:
        if await directory.is_staff(session, whose):
            raise OfStaff
        if (await directory.read_details(session, whose)).phone == form.phone:
            return
        await check_limit(session, actor)
        try:
            await directory.change_details(session, whose, {"phone": form.phone})
        except InvalidForm:
            raise CodesToPhone from None
        await log(session, actor, PHONE, whose, ["phone"], form.reason)


def caller_id(actor: Actor, customer_id: object) -> str:
    """Return the id of the customer whom staff change something for.

    Raises:
        NotAllowed, CustomerGone
    """
    actor.require(Role.DISPATCHER)
    if known := well_formed_id(customer_id):
        return known
    raise CustomerGone


async def check_limit(session: AsyncSession, actor: Actor) -> None:
    """Refuse one more change than the actor may make; two at once are counted one by one."""
    if actor.may(Role.ADMIN):
        return
    await directory.lock(session, actor.person_id)
    made = await audit.made_by(session, str(actor), KINDS, clock.now() - WITHIN)
    most = await policies.value(session, DESK_LIMIT)
    counted = [Given(str(actor), 1, at) for at in made]
    room = Room.of(DESK_LIMIT, most, counted, "for you to make")
    if not room.left:
        raise DeskLimitReached(room.refusal)


def _differing(
    former: OwnLocation | OwnVehicle | None, now: OwnVehicle | DeskPlace, names: Iterable[str]
) -> list[str]:
    """Return the fields that have changed; of a new one that it is so."""
    if former is None:
        return ["added"]
    stored = {*type(former).model_fields} - {"other_make", "other_model"}
    compared = [name for name in names if name in stored]
    return [name for name in compared if getattr(former, name) != getattr(now, name)]


async def _open_bookings(session: AsyncSession, person_id: str) -> list[StoredBooking]:
    """Lock and return a person's bookings that have not ended."""
    ids = [row.id for row in await queries.upcoming(session, person_id)]
    locked = await queries.of_ids(session, ids, lock=True)
    return [row for row in locked if row.state in OPEN_STATES]


async def _carry(
    session: AsyncSession, actor: Actor, copies: Mapping[str, Mapping[str, Any]]
) -> None:
    """Renew what bookings have copied, as a step of each; of their fills it is renewed already."""
    for booking_id, values in copies.items():
        if values:
            await queries.set_values(session, [booking_id], dict(values))
        row = await queries.locked(session, booking_id)
        await queries.add_event(session, access.event_of(row, "details", actor))


async def log(
    session: AsyncSession, actor: Actor, kind: str, person_id: str, fields: list[str], reason: str
) -> None:
    """Write to the customer's audit log which fields were changed, and why: not their values."""
    after = {"what": reason, "fields": fields}
    action = Action("person", kind, str(actor))
    await audit.record(session, action, [Change(person_id, None, after)])
