"""The state of a location field."""

from collections.abc import Iterator

import pytest

from fuel_app.areas.providers import OfflinePlaces
from fuel_app.areas.rules.places import Place
from fuel_app.areas.service import places
from fuel_app.areas.state import LocationSearch
from tests.helpers.tabs import tab_at


@pytest.fixture(autouse=True)
def small_country(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    provider = OfflinePlaces(lambda: [Place("34236", "FL", "Sarasota")])
    monkeypatch.setattr(places, "places", lambda: provider)
    places._recent.clear()
    yield
    places._recent.clear()


async def opened() -> LocationSearch:
    return await tab_at("/fleet").get_state(LocationSearch)


async def background(state: LocationSearch, event: str, *args: object) -> None:
    """Run a background event to its end."""
    await LocationSearch.event_handlers[event].fn(state, *args)


@pytest.mark.parametrize("text", ["zz", "", None, 7, ["saras"]])
async def test_suggestions_name_the_text_they_belong_to(text):
    state = await opened()
    await background(state, "suggest", "saras")
    assert (state.asked, state.suggestions[0]) == ("saras", "Sarasota, FL")
    await background(state, "suggest", text)
    assert (state.asked, state.suggestions) == ("", [])


async def test_pick_ends_the_session_that_prepare_began():
    state = await opened()
    assert not state.ready
    await background(state, "prepare")
    assert state.ready
    before = state._session
    state.pick()
    assert state._session not in ("", before)
    assert state.suggestions == []
