"""The saved addresses on Account Settings."""

from typing import Any

import pytest

from fuel_app.accounts.state.session import actor_of
from fuel_app.areas.rules.places import Located
from fuel_app.areas.service import places as geocoding
from fuel_app.customers.rules.locations import MOST_PLACES, NOT_INSIDE
from fuel_app.customers.service import locations
from fuel_app.customers.state.locations import ADD_BUTTON, PIN_BUTTON, LocationsState
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.errors import FAILED
from tests.factories import place, place_form
from tests.helpers.customers import at, cookie_of, said
from tests.helpers.open_area import ELSEWHERE_ZIP, open_area
from tests.helpers.tabs import answer, focused, problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

PIN = Located(27.34, -82.54, is_approximate=False)
LINE = "1 Main Street, Sarasota, FL 34236"


@pytest.fixture
async def state() -> LocationsState:
    await open_area()
    tab = await at("/account", await cookie_of())
    places = await tab.get_state(LocationsState)
    await run(places.arrive())
    return places


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every address be found."""

    class Geocoder:
        async def locate(self, address: str, zip_code: str) -> Located:
            return PIN

    monkeypatch.setattr(geocoding, "geocoder", Geocoder)


async def save(state: LocationsState, **differs: str) -> Any:
    if not state.opened:
        await run(state.add())
    return await answer(state.save(place_form(**differs)))


def labels(state: LocationsState) -> list[str]:
    return [row.label for row in state.rows]


async def test_an_approximate_address_asks_for_its_pin(state):
    await run(state.add())
    assert (state.place["zip_code"], state.place["state"]) == ("34236", "FL")
    assert focused(await save(state)) == PIN_BUTTON.replace("-", "_")
    assert (state.opened, state.pin_of, len(state.pin)) == (True, LINE, 2)
    assert state.tile_url
    [row] = state.rows
    assert (row.is_approximate, row.is_default) == (True, True)
    await run(state.save(place_form()))  # a second click
    await run(state.move_pin(0.0, 0.0))
    await run(state.save_pin())
    assert state.refusal == "The pin is too far from this ZIP code. Put it where the car is parked."
    await run(state.move_pin(PIN.lat, PIN.lng))
    assert focused(await answer(state.save_pin())) == ADD_BUTTON.replace("-", "_")
    assert (state.opened, state.rows[0].is_approximate) == (False, False)
    assert await said(state) == ["Saved"]


async def test_a_pin_moves_only_while_the_map_is_shown(state):
    for where in ((27.3, -82.5), ("x", None)):
        await run(state.move_pin(*where))
    await run(state.save_pin())
    assert (state.pin, state.refusal) == ([], "")


@pytest.mark.usefixtures("found")
async def test_an_address_is_added_edited_and_made_the_default(state):
    await run(state.save(place_form()))  # no dialog is open
    await save(state)
    await save(state, street="2 Main Street", gate_code="1815")
    assert [row.details for row in state.rows] == ["Driveway", "Driveway · Gate code 1815"]
    await run(state.change(state.rows[1].id))
    assert (state.place["gate_code"], state.place["street"]) == ("1815", "2 Main Street")
    await save(state, street="3 Main Street")
    await run(state.make_default(state.rows[1].id))
    assert labels(state)[0].startswith("3 Main Street")
    await run(state.locate(state.rows[0].id))
    assert state.pin == [PIN.lat, PIN.lng]
    await run(state.show(True))
    assert state.opened
    await run(state.show(False))
    assert (state.opened, state.pin) == (False, [])


async def test_a_covered_garage_is_refused_beside_its_field_and_typed_text_stays(state):
    assert focused(await save(state, spot="Garage or covered")) == "place_spot"
    assert problems(state.location_errors) == {"spot": NOT_INSIDE}
    assert (state.opened, state.place["street"], state.rows) == (True, "1 Main Street", [])


async def test_an_address_outside_the_area_leads_to_the_waitlist_prefilled(state):
    await save(state, zip_code=ELSEWHERE_ZIP)
    assert problems(state.location_errors) == {"zip_code": "We do not deliver to 33101 yet."}
    assert (state.outside, state.opened) == (ELSEWHERE_ZIP, True)
    assert redirected(await answer(state.join_waitlist())) == "/?waitlist=true"
    waitlist = await state.get_state(WaitlistState)
    assert (waitlist.form["zip_code"], waitlist.form["email"]) == (ELSEWHERE_ZIP, "ada@example.com")
    assert "33101" in waitlist.reason


async def test_a_failure_keeps_the_form(state, monkeypatch):
    async def away(*_: object) -> None:
        raise OSError("the database")

    monkeypatch.setattr(locations, "save", away)
    await save(state)
    assert (state.refusal, state.busy, state.place["street"]) == (FAILED, False, "1 Main Street")


@pytest.mark.usefixtures("found")
async def test_a_deleted_address_comes_back_unless_its_room_is_taken(state):
    await save(state)
    await run(state.undo())  # nothing to undo
    first = state.rows[0].id
    await run(state.remove(first))
    assert (state.removed, state.rows) == (LINE, [])
    await run(state.undo())
    assert labels(state) == [LINE]
    await run(state.remove(first))
    assert focused(await answer(state.remove(first))) == ADD_BUTTON.replace("-", "_")  # it is gone
    person_id = (await actor_of(state)).person_id
    for number in range(MOST_PLACES):  # in another tab
        await locations.save(person_id, place(street=f"{number} Main"), pin=PIN)
    await run(state.arrive())
    await run(state.remove(state.rows[0].id))
    await locations.save(person_id, place(), pin=PIN)
    await run(state.undo())
    assert f"You can save up to {MOST_PLACES} addresses." in await said(state)


async def test_a_preview_has_no_addresses():
    tab = tab_at("/account")
    state = await tab.get_state(LocationsState)
    await run(state.arrive())
    await run(state.add())
    assert (state.loaded, state.opened) == (False, False)
