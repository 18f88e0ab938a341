"""Change what a caller says: places, vehicles and the phone, with what is booked."""

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, OfStaff, Role
from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.places import Located
from fuel_app.bookings.rules.desk import (
    CodesToPhone,
    DeskLimitReached,
    DeskPlace,
    DeskVehicle,
    NewPhone,
)
from fuel_app.bookings.service import desk
from fuel_app.bookings.tables import BookingEvent, StoredBooking
from fuel_app.customers.rules.customers import CustomerGone
from fuel_app.customers.rules.locations import AddressGone, OwnLocation
from fuel_app.customers.rules.vehicles import VehicleGone
from fuel_app.customers.service import locations, vehicles
from fuel_app.customers.tables import StoredAddress, StoredVehicle
from fuel_app.kit import clock, policies
from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import BOOKINGS, listening
from tests.customers.test_service_directory import a_customer
from tests.factories import UNKNOWN_ID, own_vehicle, own_vehicle_form, place, place_form
from tests.helpers.members import actor_of, an_admin
from tests.helpers.open_area import open_area
from tests.helpers.outbox import run_worker
from tests.helpers.people import a_person, history, rows
from tests.helpers.stored_bookings import a_booking

PIN = Located(27.33, -82.53, is_approximate=False)
WHY = "said on the phone"


@pytest.fixture
async def area(database) -> str:
    return await open_area()


async def a_dispatcher(email: str = "dis@example.com") -> Actor:
    return await actor_of(await a_person(Role.DISPATCHER, email=email))


def desk_place(**differs: str) -> DeskPlace:
    return DeskPlace.parse(place_form(**differs) | {"reason": WHY})


def desk_vehicle(vehicle_id: str = "", **differs: str) -> DeskVehicle:
    return DeskVehicle.parse(own_vehicle_form(**differs) | {"reason": WHY}, id=vehicle_id)


def new_phone(phone: str = "(941) 555-0177") -> NewPhone:
    return NewPhone.parse({"phone": phone, "reason": WHY})


async def a_place_with_booking(area: str, ada: str) -> tuple[OwnLocation, StoredBooking]:
    saved = await locations.save(ada, place(gate_code="1"), pin=PIN)
    copy = saved.model_dump(exclude={"id", "is_default"})
    return saved, await a_booking(area, ada, place=copy)


async def test_a_gate_code_goes_into_the_bookings_at_that_address(area):
    ada, actor = await a_customer(), await a_dispatcher()
    saved, booking = await a_place_with_booking(area, ada)
    elsewhere = booking.place | {"street": "9 Palm Ave"}
    other = await a_booking(area, ada, days=4, place=elsewhere)
    flat = await a_booking(area, ada, days=5, place=booking.place | {"unit": "7"})
    changed, said = await desk.save_place(actor, ada, desk_place(gate_code="4455"), saved.id)
    assert (changed.gate_code, changed.located) == ("4455", PIN)
    assert said == "Saved. Changed in 1 booked fill-up, too."
    codes = {row.id: row.place["gate_code"] for row in await rows(StoredBooking)}
    assert codes == {booking.id: "4455", other.id: "1", flat.id: "1"}
    steps = await rows(BookingEvent, booking_id=booking.id, kind="details")
    assert [(each.actor, each.revision) for each in steps] == [(str(actor), booking.revision)]
    assert await history(ada) == [("desk_place", {"what": WHY, "fields": ["gate_code"]})]


async def test_a_note_for_one_visit_stays_as_the_gate_code_follows(area):
    ada, actor = await a_customer(), await a_dispatcher()
    saved, booking = await a_place_with_booking(area, ada)
    own = await a_booking(area, ada, days=4, place=booking.place | {"notes": "Dog in the yard"})
    asked = desk_place(gate_code="4455", notes="Second driveway")
    _, said = await desk.save_place(actor, ada, asked, saved.id)
    assert said == "Saved. Changed in 2 booked fill-ups, too."
    found = {
        row.id: (row.place["gate_code"], row.place["notes"]) for row in await rows(StoredBooking)
    }
    assert found == {
        booking.id: ("4455", "Second driveway"),
        own.id: ("4455", "Dog in the yard"),
    }


async def test_moving_a_pin_that_was_found_counts_as_a_change(area):
    ada, actor = await a_customer(), await a_dispatcher()
    saved, _ = await a_place_with_booking(area, ada)
    for _ in range(5):
        await desk.set_pin(actor, ada, saved.id, 27.3361, -82.5306)
    with pytest.raises(desk.DeskLimitReached):
        await desk.set_pin(actor, ada, saved.id, 27.3365, -82.5306)
    [stored] = await rows(StoredAddress)
    assert stored.lat == 27.3361
    assert [kind for kind, _ in await history(ada)] == ["desk_place"] * 5


@pytest.mark.parametrize("by_staff", [False, True])
async def test_a_moved_pin_reaches_what_is_booked_there_and_has_not_begun(area, by_staff):
    ada, actor = await a_customer(), await a_dispatcher()
    saved, booking = await a_place_with_booking(area, ada)
    elsewhere = booking.place | {"street": "9 Palm Ave"}
    other = await a_booking(area, ada, days=4, place=elsewhere)
    sent, held, begun, done = [
        await a_booking(area, ada, days=5, place=booking.place, state=state)
        for state in ("dispatched", "weather_hold", "en_route", "cancelled")
    ]
    async with listening(BOOKINGS) as heard:
        if by_staff:
            assert await desk.set_pin(actor, ada, saved.id, 27.3361, -82.5306) == 3
        else:
            await locations.set_pin(ada, saved.id, 27.3361, -82.5306)
            await run_worker()
        assert await heard.next(0) == {BOOKINGS}
    pins = {row.id: (row.place["lat"], row.place["lng"]) for row in await rows(StoredBooking)}
    moved, former = (27.3361, -82.5306), (PIN.lat, PIN.lng)
    assert pins == {
        **dict.fromkeys((booking.id, sent.id, held.id), moved),
        **dict.fromkeys((other.id, begun.id, done.id), former),
    }
    steps = await rows(BookingEvent, kind="details")
    assert len(steps) == 3
    assert {each.actor for each in steps} == {str(actor) if by_staff else "system"}
    if by_staff:
        assert await desk.set_pin(actor, ada, saved.id, 27.3361, -82.5306) == 0


async def test_pin_of_an_address_that_is_gone_by_then_moves_nothing(area):
    ada = await a_customer()
    saved, booking = await a_place_with_booking(area, ada)
    await locations.set_pin(ada, saved.id, 27.3361, -82.5306)
    await locations.remove(ada, saved.id)
    await run_worker()
    [row] = await rows(StoredBooking)
    assert (row.id, row.place["lat"]) == (booking.id, PIN.lat)


async def test_tank_of_another_size_follows_and_what_it_is_expected_to_take(area):
    ada, actor = await a_customer(), await a_dispatcher()
    vehicle_id = await vehicles.save(ada, own_vehicle())
    guessed = await a_booking(area, ada, vehicle_id=vehicle_id, estimated_milligallons=9_600)
    known = await a_booking(area, ada, days=4, vehicle_id=vehicle_id, estimated_milligallons=7_000)
    assert guessed.fills[0].vehicle["tank_tenths"] == 160
    truck = {"make": "Ford", "model": "F-150"}
    said = await desk.save_vehicle(actor, ada, desk_vehicle(vehicle_id, **truck))
    assert said == "Saved. Changed in 2 booked fill-ups, too."
    [stored] = await rows(StoredVehicle)
    assert stored.tank_tenths > 160
    found = {
        row.id: (row.fills[0].vehicle["tank_tenths"], row.fills[0].estimated_milligallons)
        for row in await rows(StoredBooking)
    }
    tenths = stored.tank_tenths
    assert found == {guessed.id: (tenths, 60 * tenths), known.id: (tenths, 7_000)}


async def test_nothing_new_is_no_change(area):
    ada, actor = await a_customer(), await a_dispatcher()
    saved, booking = await a_place_with_booking(area, ada)
    same, said = await desk.save_place(actor, ada, desk_place(gate_code="1"), saved.id)
    assert (same.id, said) == (saved.id, "Saved.")
    vehicle_id = await vehicles.save(ada, own_vehicle())
    assert await desk.save_vehicle(actor, ada, desk_vehicle(vehicle_id)) == "Saved."
    await desk.change_phone(actor, ada, new_phone())
    await desk.change_phone(actor, ada, new_phone())
    assert [kind for kind, _ in await history(ada)] == ["desk_phone"]
    # A place that is put as its booking has it already.
    await locations.save(ada, place(gate_code="2"), saved.id, PIN)
    assert await desk.save_place(actor, ada, desk_place(gate_code="1"), saved.id) == (
        saved,
        "Saved.",
    )
    assert not await rows(BookingEvent, booking_id=booking.id, kind="details")


async def test_a_booking_stays_at_the_former_address(area):
    ada, actor = await a_customer(), await a_dispatcher()
    saved, _ = await a_place_with_booking(area, ada)
    moved, said = await desk.save_place(actor, ada, desk_place(street="5 Oak St"), saved.id)
    assert said == "Saved. 1 booked fill-up keeps the former address."
    assert moved.is_approximate  # the offline geocoder knows the ZIP alone
    [row] = await rows(StoredBooking)
    assert row.place["street"] == "1 Main Street"
    await desk.set_pin(actor, ada, moved.id, 27.3361, -82.5306)
    [stored] = await rows(StoredAddress)
    assert (stored.lat, stored.is_approximate) == (27.3361, False)
    kinds = [kind for kind, _ in await history(ada)]
    assert kinds == ["desk_place", "desk_pin"]


async def test_places_and_vehicles_are_added_and_removed(area):
    ada, actor = await a_customer(), await a_dispatcher()
    added, said = await desk.save_place(actor, ada, desk_place())
    assert (added.is_default, said) == (True, "Saved.")
    assert await desk.save_vehicle(actor, ada, desk_vehicle()) == "Saved."
    [vehicle] = await rows(StoredVehicle)
    await desk.remove_vehicle(actor, ada, vehicle.id, WHY)
    await desk.remove_place(actor, ada, added.id, WHY)
    assert not await rows(StoredVehicle) + await rows(StoredAddress)
    with pytest.raises(VehicleGone):
        await desk.remove_vehicle(actor, ada, vehicle.id, WHY)
    with pytest.raises(AddressGone):
        await desk.remove_place(actor, ada, added.id, WHY)
    with pytest.raises(AddressGone):
        await desk.save_place(actor, ada, desk_place(), added.id)
    with pytest.raises(VehicleGone):
        await desk.save_vehicle(actor, ada, desk_vehicle(vehicle.id))
    what = [after["fields"] for _, after in await history(ada) if after]
    assert what == [["added"], ["added"], ["removed"], ["removed"]]


async def test_a_plate_goes_into_the_bookings_of_that_vehicle_and_the_photo_stays(area):
    ada, actor = await a_customer(), await a_dispatcher()
    vehicle_id = await vehicles.save(ada, own_vehicle(image="data:x"))
    booking = await a_booking(area, ada, vehicle_id=vehicle_id)
    other = await a_booking(area, ada, days=4)
    as_booked = {
        name: booking.fills[0].vehicle[name] for name in ("make", "model", "year", "color")
    }
    asked = desk_vehicle(vehicle_id, **as_booked, license_plate="HZY E82")
    assert await desk.save_vehicle(actor, ada, asked) == "Saved. Changed in 1 booked fill-up, too."
    plates = {row.id: row.fills[0].vehicle["license_plate"] for row in await rows(StoredBooking)}
    assert plates == {booking.id: "HZY E82", other.id: "ABC 123"}
    [stored] = await rows(StoredVehicle)
    assert (stored.license_plate, stored.image) == ("HZY E82", "data:x")
    asked = desk_vehicle(vehicle_id, **as_booked, license_plate="HZY E82", grade="premium")
    said = await desk.save_vehicle(actor, ada, asked)
    assert said == "Saved. 1 booked fill-up keeps the former car and fuel grade."
    other_car = desk_vehicle(vehicle_id, license_plate="RAM 1", grade="diesel")
    await desk.save_vehicle(actor, ada, other_car)  # nobody fills the new car by the old grade
    assert "RAM 1" not in {
        row.fills[0].vehicle["license_plate"] for row in await rows(StoredBooking)
    }
    assert {row.fills[0].vehicle["grade"] for row in await rows(StoredBooking)} == {"regular"}


async def test_a_new_phone_is_not_verified(area):
    ada = await a_customer(phone="9415550100", phone_verified_at=clock.now())
    actor = await a_dispatcher()
    await desk.change_phone(actor, ada, new_phone())
    [person] = await rows(Person, id=ada)
    assert (person.phone, person.phone_verified_at) == ("9415550177", None)
    assert await history(ada) == [("desk_phone", {"what": WHY, "fields": ["phone"]})]


async def test_a_phone_that_signs_in_and_those_of_the_staff_stay(area):
    ada = await a_customer(phone="9415550100", phone_verified_at=clock.now(), sms_codes=True)
    admin, actor = await an_admin()
    with pytest.raises(CodesToPhone):
        await desk.change_phone(actor, ada, new_phone())
    with pytest.raises(OfStaff):
        await desk.change_phone(actor, admin.id, new_phone())


async def test_dispatchers_may_make_as_many_changes_as_the_setting_says(area):
    ada, actor = await a_customer(), await a_dispatcher()
    async with transaction() as session:
        action = Action("figure", "change", "test")
        await policies.change(session, action, {"desk_limit": 5}, {"desk_limit": 1})
    await desk.change_phone(actor, ada, new_phone())
    with pytest.raises(DeskLimitReached, match=r"^Nothing of 1 changes is left for you to make"):
        await desk.save_place(actor, ada, desk_place())
    _, admin = await an_admin()
    await desk.save_place(admin, ada, desk_place())


async def test_only_staff_change_something_for_others(area):
    ada = await a_customer()
    with pytest.raises(NotAllowed):
        await desk.change_phone(Actor(frozenset({Role.CUSTOMER}), ada), ada, new_phone())
    with pytest.raises(CustomerGone):
        await desk.change_phone(await a_dispatcher(), "nobody", new_phone())
    with pytest.raises(VehicleGone):
        await desk.remove_vehicle(
            await a_dispatcher("two@example.com"), UNKNOWN_ID, UNKNOWN_ID, WHY
        )
