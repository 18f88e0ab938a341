"""Suggestions for the location field of one tab."""

from collections.abc import Iterator

import pytest

from fuel_app.areas import service as places
from fuel_app.areas.providers import OfflinePlaces
from fuel_app.areas.rules import Place
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
    """Run a background event here and now."""
    await LocationSearch.event_handlers[event].fn(state, *args)


async def test_the_search_says_when_it_is_ready():
    state = await opened()
    assert not state.ready
    await background(state, "prepare")
    assert state.ready


async def test_suggestions_come_with_the_text_that_they_are_for():
    state = await opened()
    await background(state, "suggest", "saras")
    assert (state.asked, state.suggestions[0]) == ("saras", "Sarasota, FL")


@pytest.mark.parametrize("text", ["zz", "", None, 7, ["saras"]])
async def test_where_there_is_nothing_to_suggest_the_list_is_empty(text):
    state = await opened()
    await background(state, "suggest", "saras")
    await background(state, "suggest", text)
    assert (state.asked, state.suggestions) == ("", [])


async def test_a_pick_ends_the_session_of_typing():
    state = await opened()
    await background(state, "prepare")
    before = state._session
    state.pick()
    assert state._session not in ("", before)
    assert state.suggestions == []
