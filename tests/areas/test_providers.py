"""Suggestions by Google, played by a local server, and offline; the table of ZIPs."""

import logging
from typing import Any

import pytest
from pydantic import SecretStr

from fuel_app.areas import providers as places
from fuel_app.areas.providers import GooglePlaces, OfflinePlaces
from fuel_app.areas.rules.places import MOST, ZIP_CODES, Place
from tests import zip_table
from tests.helpers.maps_server import Maps

pytestmark = pytest.mark.slow

KEY = "AIza-very-secret"
NEARBY = [Place("34236", "FL", "Sarasota"), Place("34201", "FL", "Bradenton")]
OFFLINE = ["Sarasota, FL", "Sarasota, FL 34236"]


def google_places(address: str) -> GooglePlaces:
    offline = OfflinePlaces(lambda: NEARBY)
    return GooglePlaces(KEY, offline, f"{address}/v1/places:autocomplete")


@pytest.fixture
def google(maps: Maps, monkeypatch: pytest.MonkeyPatch) -> GooglePlaces:
    monkeypatch.setattr(places, "TIMEOUT_S", 60)  # a busy machine is no slow provider
    return google_places(maps.address)


def suggestions(*texts: object) -> dict[str, Any]:
    return {"suggestions": [{"placePrediction": {"text": {"text": text}}} for text in texts]}


async def test_google_gets_one_session_and_the_key_in_a_header(google, maps):
    maps.say(suggestions("1 Main Street, Sarasota, FL, USA"))
    assert await google.suggest("1 main", "token") == ["1 Main Street, Sarasota, FL"]
    [asked] = maps.asked
    assert (asked["input"], asked["sessionToken"]) == ("1 main", "token")
    assert asked["includedRegionCodes"] == ["us"]
    headers = {name.lower(): value for name, value in asked["headers"].items()}
    assert headers["x-goog-api-key"] == KEY
    assert headers["x-goog-fieldmask"] == "suggestions.placePrediction.text.text"


@pytest.mark.parametrize(
    ("answer", "count", "longest"),
    [({}, 0, 0), (suggestions(*(f"{number} {'x' * 400}" for number in range(20))), MOST, 300)],
    ids=["no place", "many long ones"],
)
async def test_google_answers_are_cut_to_six_of_300_characters(
    google, maps, answer, count, longest
):
    maps.say(answer)
    await google.prepare()
    found = await google.suggest("1 main", "token")
    assert (len(found), max(map(len, found), default=0)) == (count, longest)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"status": "RESOURCE_EXHAUSTED"}}, 429),
        ({"error": {"status": "PERMISSION_DENIED", "message": f"no: {KEY}"}}, 403),
        (b"<html>", 500),
        (b"<html>", 200),
        (None, 200),
        ("nonsense", 200),
        ({"suggestions": [{"placePrediction": {}}]}, 200),
        ({"suggestions": 7}, 200),
    ],
    ids=repr,
)
async def test_failed_google_falls_back_to_offline_places_and_is_paused(
    google, maps, body, status, caplog, logged
):
    maps.say(body, status=status)
    with caplog.at_level(logging.DEBUG):
        for _ in range(2):
            assert await google.suggest("saras", "token") == OFFLINE
    assert len(maps.asked) == 1
    assert "places.google_failed" in str(logged)
    assert KEY not in caplog.text + str(logged)
    assert "saras" not in caplog.text + str(logged)


async def test_slow_or_unreachable_google_is_retried_after_its_pause(monkeypatch, maps):
    monkeypatch.setattr(places, "REST_S", 0.0)
    google = google_places("http://127.0.0.1:9")
    assert await google.suggest("saras", "token") == OFFLINE
    google._address = f"{maps.address}/v1/places:autocomplete"
    assert await google.suggest("saras", "token") == ["1 Main Street, Saras, FL"]
    monkeypatch.setattr(places, "TIMEOUT_S", 0.05)
    maps.unresponsive.set()
    assert await google.suggest("saras", "token") == OFFLINE


async def test_table_is_read_once_and_unreadable_table_suggests_nothing():
    reads = []
    provider = OfflinePlaces(lambda: reads.append(1) or NEARBY)
    await provider.prepare()
    assert await provider.suggest("saras", "") == OFFLINE
    assert len(reads) == 1

    def unreadable() -> list[Place]:
        raise OSError("gone")

    assert await OfflinePlaces(unreadable).suggest("saras", "") == []


async def test_table_covers_the_whole_country():
    provider = OfflinePlaces()
    assert (await provider.suggest("sarasota", ""))[0] == "Sarasota, FL"
    assert await provider.suggest("90210", "") == ["Beverly Hills, CA 90210"]
    assert "Lakewood Ranch, FL" in await provider.suggest("lakewood r", "")


@pytest.mark.parametrize(("key", "kind"), [(None, OfflinePlaces), ("AIza-x", GooglePlaces)])
def test_key_chooses_the_provider(monkeypatch, key, kind):
    secret = SecretStr(key) if key else None
    monkeypatch.setattr(
        places, "settings", places.settings.model_copy(update={"google_maps_api_key": secret})
    )
    assert isinstance(places.places.__wrapped__(), kind)


def test_every_zip_of_the_service_area_has_a_position():
    positions = places.zip_positions()
    assert len(positions) > 40_000
    for code in (str(code) for codes in ZIP_CODES.values() for code in codes):
        latitude, longitude = positions[code]
        assert 27.1 < latitude < 27.7
        assert -82.8 < longitude < -82.1


@pytest.mark.slow
def test_table_equals_the_pinned_package():
    assert list(places._zip_rows()) == list(zip_table.rows()), "python -m tests.zip_table"
