"""Suggestions for a typed place: rate limited, cached, and shown in a location field."""

from collections.abc import Iterator

import pytest

from fuel_app.areas.service import places
from fuel_app.areas.state import LocationSearch
from fuel_app.kit.throttle import SUGGESTIONS
from tests.helpers.tabs import tab_at

HERE = "203.0.113.1"
ELSEWHERE = "203.0.113.2"


class Echo:
    """A provider that echoes and records the texts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def prepare(self) -> None:
        return None

    async def suggest(self, text: str, session: str) -> list[str]:
        self.asked.append(text)
        return [f"{text}, FL"] if text != "zz" else []


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Echo]:
    echo = Echo()
    monkeypatch.setattr(places, "places", lambda: echo)
    places._recent.clear()
    yield echo
    places._recent.clear()


async def suggest(text: object, address: str = HERE) -> list[str]:
    return await places.suggest(text, session="s", address=address)


@pytest.mark.parametrize("text", [None, 7, ["Sarasota"], "", " s ", "x" * 101, "x" * 1_000_000])
async def test_invalid_text_sends_no_request(provider, text):
    assert await suggest(text) == []
    assert provider.asked == []


async def test_equal_cleaned_texts_share_one_request(provider):
    assert await suggest("  Sara\u200bsota ") == ["Sarasota, FL"]
    assert await suggest("SARASOTA ", ELSEWHERE) == ["Sarasota, FL"]
    assert provider.asked == ["Sarasota"]


async def test_rate_limit_is_per_address(provider):
    for number in range(SUGGESTIONS.times):
        assert await suggest(f"place {number}")
    assert await suggest("one more") == []
    assert await suggest("one more", ELSEWHERE) == ["one more, FL"]


async def test_unreadable_zip_table_has_no_positions(monkeypatch, logged):
    assert len(await places.zip_places()) > 40_000

    def unreadable() -> None:
        raise OSError("gone")

    monkeypatch.setattr(places, "zip_positions", unreadable)
    assert await places.zip_places() == {}
    assert logged[0]["event"] == "zip_places.unreadable"


async def test_a_field_shows_the_suggestions_of_its_latest_text(provider):
    field = await tab_at("/fleet").get_state(LocationSearch)
    events = LocationSearch.event_handlers  # background events, run to their end
    await events["prepare"].fn(field)
    assert field.ready
    for text in ("zz", None):
        await events["suggest"].fn(field, "saras")
        assert (field.asked, field.suggestions) == ("saras", ["saras, FL"])
        await events["suggest"].fn(field, text)
        assert (field.asked, field.suggestions) == ("", [])
    before = field._session
    field.pick()
    assert field._session not in ("", before)
