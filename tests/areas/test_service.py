"""Suggestions for a half-typed place: fair, cached, and never in the way."""

from collections.abc import Iterator

import pytest

from fuel_app.areas import service as places
from fuel_app.kit.throttle import SUGGESTIONS

HERE = "203.0.113.1"
ELSEWHERE = "203.0.113.2"


class Echo:
    """Suggests what it was asked, and remembers that."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.prepared = False

    async def prepare(self) -> None:
        self.prepared = True

    async def suggest(self, text: str, session: str) -> list[str]:
        self.asked.append(text)
        return [f"{text}, FL"]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Echo]:
    echo = Echo()
    monkeypatch.setattr(places, "places", lambda: echo)
    places._recent.clear()
    yield echo
    places._recent.clear()


async def suggest(text: object, address: str = HERE) -> list[str]:
    return await places.suggest(text, session="s", address=address)


async def test_the_provider_is_asked_for_the_clean_text(provider):
    assert await suggest("  Sara\u200bsota ") == ["Sarasota, FL"]


async def test_the_provider_is_made_ready_beforehand(provider):
    await places.prepare()
    assert provider.prepared


@pytest.mark.parametrize("text", [None, 7, ["Sarasota"], "", " s ", "x" * 101, "x" * 1_000_000])
async def test_what_cannot_be_a_place_is_not_asked_for(provider, text):
    assert await suggest(text) == []
    assert provider.asked == []


async def test_the_same_question_is_asked_once(provider):
    assert await suggest("Sarasota") == await suggest("SARASOTA ", ELSEWHERE)
    assert provider.asked == ["Sarasota"]


async def test_who_asks_too_often_gets_nothing_for_a_while(provider):
    for number in range(SUGGESTIONS.times):
        assert await suggest(f"place {number}")
    assert await suggest("one more") == []
    assert await suggest("one more", ELSEWHERE) == ["one more, FL"]
