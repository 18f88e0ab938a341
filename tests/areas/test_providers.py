"""Google's suggestions and what stands in for them. Google is played by a local stand-in."""

import threading
from typing import Any

import pytest
from googlemaps.exceptions import ApiError, Timeout
from pydantic import SecretStr

from fuel_app.areas import providers as places
from fuel_app.areas.providers import GooglePlaces, OfflinePlaces
from fuel_app.areas.rules import MOST, Place

NEARBY = [Place("34236", "FL", "Sarasota"), Place("34201", "FL", "Bradenton")]
OFFLINE = ["Sarasota, FL", "Sarasota, FL 34236"]


class Google:
    """A client whose answer, or failure, is given."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []

    def places_autocomplete(self, text: str, **wanted: Any) -> Any:
        self.asked.append({"text": text, **wanted})
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class SlowGoogle(Google):
    def __init__(self) -> None:
        super().__init__([])
        self.let_go = threading.Event()

    def places_autocomplete(self, text: str, **wanted: Any) -> Any:
        self.let_go.wait(5)
        return super().places_autocomplete(text, **wanted)


def google_places(client: Any) -> GooglePlaces:
    return GooglePlaces(client, OfflinePlaces(lambda: NEARBY))


async def test_google_is_asked_for_places_in_the_us_within_one_session():
    client = Google([{"description": "1 Main Street, Sarasota, FL, USA"}])
    assert await google_places(client).suggest("1 main", "token") == ["1 Main Street, Sarasota, FL"]
    asked = client.asked[0]
    assert (asked["text"], asked["session_token"]) == ("1 main", "token")
    assert asked["components"] == {"country": "us"}


async def test_google_is_ready_at_once_and_its_answers_are_kept_short():
    client = Google([{"description": f"{number} {'x' * 400}"} for number in range(20)])
    provider = google_places(client)
    await provider.prepare()
    found = await provider.suggest("1 main", "token")
    assert len(found) == MOST
    assert max(map(len, found)) == 300


@pytest.mark.parametrize(
    "answer",
    [
        Timeout(),
        ApiError("OVER_QUERY_LIMIT"),
        ApiError("REQUEST_DENIED", "wrong key"),
        ConnectionError(),
        None,
        "nonsense",
        [{"title": "no description"}],
        [None],
        {"status": "OK"},
    ],
    ids=repr,
)
async def test_when_google_fails_the_country_stands_in_and_google_rests(answer):
    client = Google(answer)
    provider = google_places(client)
    assert await provider.suggest("saras", "token") == OFFLINE
    assert await provider.suggest("saras", "token") == OFFLINE
    assert len(client.asked) == 1


async def test_google_is_asked_again_after_its_rest(monkeypatch):
    monkeypatch.setattr(places, "REST_S", 0.0)
    client = Google(ConnectionError())
    provider = google_places(client)
    await provider.suggest("saras", "token")
    client.answer = []
    assert await provider.suggest("saras", "token") == []


async def test_nobody_waits_for_a_slow_google(monkeypatch):
    monkeypatch.setattr(places, "PATIENCE_S", 0.05)
    client = SlowGoogle()
    assert await google_places(client).suggest("saras", "token") == OFFLINE
    client.let_go.set()


async def test_the_country_is_read_once():
    reads = []
    provider = OfflinePlaces(lambda: reads.append(1) or NEARBY)
    await provider.prepare()
    assert await provider.suggest("saras", "") == OFFLINE
    assert len(reads) == 1


async def test_an_unreadable_country_leaves_typing_alone():
    def unreadable() -> list[Place]:
        raise OSError("gone")

    provider = OfflinePlaces(unreadable)
    await provider.prepare()
    assert await provider.suggest("saras", "") == []


async def test_the_whole_country_is_there():
    provider = OfflinePlaces()
    assert (await provider.suggest("sarasota", ""))[0] == "Sarasota, FL"
    assert await provider.suggest("90210", "") == ["Beverly Hills, CA 90210"]
    assert "Lakewood Ranch, FL" in await provider.suggest("lakewood r", "")
    assert await provider.suggest("lakewood rch", "") == []


@pytest.mark.parametrize(
    ("key", "kind"), [(None, OfflinePlaces), ("nonsense", OfflinePlaces), ("AIza-x", GooglePlaces)]
)
def test_the_key_decides_who_is_asked(monkeypatch, key, kind):
    secret = SecretStr(key) if key else None
    monkeypatch.setattr(
        places, "settings", places.settings.model_copy(update={"google_maps_api_key": secret})
    )
    places.places.cache_clear()
    assert isinstance(places.places(), kind)
    places.places.cache_clear()
