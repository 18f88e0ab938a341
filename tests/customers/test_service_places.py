"""Saved addresses: areas, geocoding, pins, the default, undoing."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import update

from fuel_app.areas.rules.places import Located
from fuel_app.areas.service import places as geocoding
from fuel_app.areas.tables import Area
from fuel_app.customers.rules.locations import (
    MOST_PLACES,
    NOT_IN_STREETS,
    AddressGone,
    NotDelivered,
    OwnLocation,
    PinTooFar,
    TooManyLocations,
    UnknownZip,
)
from fuel_app.customers.service import locations
from fuel_app.customers.tables import StoredAddress
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests
from fuel_app.kit.throttle import GEOCODINGS, PINS
from tests.customers.test_service_vehicles import a_customer
from tests.factories import UNKNOWN_ID, place
from tests.helpers.open_area import ELSEWHERE_ZIP, open_area

pytestmark = pytest.mark.usefixtures("database")

PIN = Located(27.34, -82.54, is_approximate=False)


class Fixed:
    """A geocoder that knows one answer."""

    def __init__(self, answer: Located | None) -> None:
        self.answer, self.asked = answer, []

    async def locate(self, address: str, zip_code: str) -> Located | None:
        self.asked.append(address)
        return self.answer


@pytest.fixture
def geocoder(monkeypatch: pytest.MonkeyPatch) -> Fixed:
    fixed = Fixed(PIN)
    monkeypatch.setattr(geocoding, "geocoder", lambda: fixed)
    return fixed


@pytest.fixture
async def ada(database: Any) -> str:
    await open_area()
    return await a_customer()


async def shown(person_id: str) -> list[tuple[str, bool]]:
    return [(each.street, each.is_default) for each in await locations.list_own(person_id)]


async def test_an_address_is_located_once_and_again_when_it_changes(ada, geocoder):
    saved = await locations.save(ada, place(unit="4b", notes="Blue door"))
    assert (saved.located, saved.is_default) == (PIN, True)
    assert saved.label == "1 Main Street, 4b, Sarasota, FL 34236"
    await locations.save(ada, place(notes="Red door"), saved.id)
    assert geocoder.asked == ["1 Main Street, Sarasota, FL 34236"]
    await locations.save(ada, place(street="2 Main Street"), saved.id)
    assert len(geocoder.asked) == 2
    assert await shown(ada) == [("2 Main Street", True)]


async def test_without_a_geocoder_an_address_waits_for_its_pin(ada):
    saved = await locations.save(ada, place())
    assert saved.is_approximate
    assert saved.lat == pytest.approx(27.33, abs=0.05)
    await locations.set_pin(ada, saved.id, PIN.lat, PIN.lng)
    async with reading() as session:
        found = await locations.find_own(session, ada, saved.id)
    assert found
    assert found.located == PIN


@pytest.mark.parametrize(
    ("lat", "lng"),
    [
        (27.9, -82.5),
        (0, 0),
        (float("nan"), -82.5),
        (10**400, 0),
        ("27.3", "-82.5"),
        (None, []),
        (True, 1),
    ],
)
async def test_a_pin_far_from_its_zip_is_refused(ada, lat, lng):
    saved = await locations.save(ada, place())
    with pytest.raises(PinTooFar):
        await locations.set_pin(ada, saved.id, lat, lng)
    [kept] = await locations.list_own(ada)
    assert kept.is_approximate


async def test_so_many_pins_are_set_in_an_hour(ada):
    saved = await locations.save(ada, place())
    for _ in range(PINS.times):
        await locations.set_pin(ada, saved.id, PIN.lat, PIN.lng)
    with pytest.raises(TooManyRequests):
        await locations.set_pin(ada, saved.id, PIN.lat, PIN.lng)


async def test_a_place_outside_every_open_area_is_refused(ada, geocoder):
    with pytest.raises(NotDelivered, match="We do not deliver to 33101 yet"):
        await locations.save(ada, place(zip_code=ELSEWHERE_ZIP))
    assert geocoder.asked == []
    assert await shown(ada) == []


async def test_a_street_is_refused_unless_the_area_allows_it(ada, geocoder):
    with pytest.raises(InvalidForm) as refused:
        await locations.save(ada, place(spot="Street"))
    assert refused.value.messages == {"spot": NOT_IN_STREETS}
    async with transaction() as session:
        await session.execute(update(Area).values(streets_allowed=True))
    assert (await locations.save(ada, place(spot="Street"))).spot == "Street"


async def test_an_unknown_zip_is_refused(ada, geocoder, monkeypatch):
    geocoder.answer = None
    with pytest.raises(UnknownZip):
        await locations.save(ada, place())
    with pytest.raises(UnknownZip):
        await locations.check_pin("00000", 27.3, -82.5)


async def test_too_many_questions_get_the_centre(ada, geocoder):
    for _ in range(GEOCODINGS.times):
        await locations.locate(place(), by=ada)
    assert (await locations.locate(place(), by=ada)).is_approximate
    assert not (await locations.locate(place(), by="someone else")).is_approximate


async def test_another_customers_address_is_out_of_reach(ada, geocoder):
    eve, saved = await a_customer(), await locations.save(ada, place())
    for step in (
        locations.save(eve, place(), saved.id),
        locations.set_pin(eve, saved.id, 27.3, -82.5),
    ):
        with pytest.raises(AddressGone):
            await step
    await locations.make_default(eve, saved.id)
    assert await locations.remove(eve, saved.id) is None
    assert await locations.remove(ada, UNKNOWN_ID) is None
    assert await shown(ada) == [("1 Main Street", True)]


async def test_the_default_moves_and_comes_back_with_an_undo(ada, geocoder):
    first, second = [await locations.save(ada, place(street=f"{n} Main Street")) for n in (1, 2)]
    await locations.make_default(ada, second.id)
    assert await shown(ada) == [("2 Main Street", True), ("1 Main Street", False)]
    removed = await locations.remove(ada, second.id)
    assert removed
    assert await shown(ada) == [("1 Main Street", True)]
    for _ in range(2):
        await locations.restore(ada, removed)
    assert await shown(ada) == [("2 Main Street", True), ("1 Main Street", False)]
    other = await locations.remove(ada, first.id)
    assert other
    await locations.restore(ada, other)
    assert await shown(ada) == [("2 Main Street", True), ("1 Main Street", False)]


async def test_tabs_that_choose_a_default_at_once_leave_one(ada, geocoder):
    saved = [await locations.save(ada, place(street=f"{n} Main Street")) for n in range(4)]
    await asyncio.gather(*(locations.make_default(ada, each.id) for each in saved))
    assert sum(is_default for _, is_default in await shown(ada)) == 1


async def test_there_is_an_end_to_addresses(ada, geocoder):
    saved = [await locations.save(ada, place(street=f"{n} Main")) for n in range(MOST_PLACES)]
    with pytest.raises(TooManyLocations):
        await locations.save(ada, place())
    await locations.save(ada, place(street="Another"), saved[3].id)


async def meanwhile(ada: str, saved: OwnLocation, **values: Any) -> None:
    async with transaction() as session:
        if values:
            await session.execute(update(StoredAddress).values(**values))
        else:
            await session.delete(await session.get_one(StoredAddress, saved.id))


async def test_an_address_deleted_while_it_is_located_is_not_saved(ada, geocoder, monkeypatch):
    saved = await locations.save(ada, place())

    async def slow(form: Any, *, by: str) -> Located:
        await meanwhile(ada, saved)
        return PIN

    monkeypatch.setattr(locations, "locate", slow)
    with pytest.raises(AddressGone):
        await locations.save(ada, place(street="2 Main Street"), saved.id)


async def test_a_pin_for_another_zip_is_not_stored(ada, geocoder, monkeypatch):
    saved = await locations.save(ada, place())

    async def slow(zip_code: str, lat: object, lng: object) -> Located:
        await meanwhile(ada, saved, zip_code="34237")
        return PIN

    monkeypatch.setattr(locations, "check_pin", slow)
    with pytest.raises(AddressGone):
        await locations.set_pin(ada, saved.id, 27.3, -82.5)
