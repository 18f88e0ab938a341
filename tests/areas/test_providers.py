"""Suggestions and positions by Google, played by a local server, and offline; the ZIP table."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from fuel_app.areas import providers
from fuel_app.areas.providers import GoogleGeocoder, GooglePlaces, OfflineGeocoder, OfflinePlaces
from fuel_app.areas.rules.places import MOST, ZIP_CODES, Located, Place
from tests import zip_table
from tests.helpers.maps_server import Maps

pytestmark = pytest.mark.slow

KEY = "AIza-very-secret"
ADDRESS = "1 Main Street, Sarasota, FL 34236"
NEARBY = [Place("34236", "FL", "Sarasota"), Place("34201", "FL", "Bradenton")]
OFFLINE = ["Sarasota, FL", "Sarasota, FL 34236"]
NOBODY = "http://127.0.0.1:9"


async def centre() -> Located | None:
    return await OfflineGeocoder().locate("", "34236")


def google_places(address: str) -> GooglePlaces:
    offline = OfflinePlaces(lambda: NEARBY)
    return GooglePlaces(KEY, offline, f"{address}/v1/places:autocomplete")


def suggestions(*texts: object) -> dict[str, Any]:
    return {"suggestions": [{"placePrediction": {"text": {"text": text}}} for text in texts]}


def position(lat: Any = 27.3364, lng: Any = -82.5307, kind: str = "ROOFTOP", **more: Any) -> Any:
    geometry = {"location": {"lat": lat, "lng": lng}, "location_type": kind}
    return {"status": "OK", "results": [{"geometry": geometry} | more]}


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a busy machine for no slow provider."""
    monkeypatch.setattr(providers, "TIMEOUT_S", 60)
    monkeypatch.setattr(providers, "GEOCODING_TIMEOUT_S", 60)


@pytest.fixture
def google(maps: Maps, patient: None) -> GooglePlaces:
    return google_places(maps.address)


@pytest.fixture
def geocoder(maps: Maps, patient: None) -> GoogleGeocoder:
    geocoder = GoogleGeocoder(KEY, OfflineGeocoder(), maps.address)
    geocoder._client.retry_timeout = timedelta(milliseconds=100)
    return geocoder


async def test_google_gets_one_session_and_the_key_in_a_header(google, maps):
    maps.say(suggestions("1 Main Street, Sarasota, FL, USA"))
    assert await google.suggest("1 main", "token") == ["1 Main Street, Sarasota, FL"]
    [asked] = maps.asked
    assert (asked["input"], asked["sessionToken"]) == ("1 main", "token")
    assert asked["includedRegionCodes"] == ["us"]
    headers = {name.lower(): value for name, value in asked["headers"].items()}
    assert headers["x-goog-api-key"] == KEY
    assert headers["x-goog-fieldmask"] == "suggestions.placePrediction.text.text"


async def test_google_answers_are_cut_to_six_of_300_characters(google, maps):
    maps.say({})
    maps.say(suggestions(*(f"{number} {'x' * 400}" for number in range(20))))
    await google.prepare()
    assert await google.suggest("1 main", "token") == []
    assert list(map(len, await google.suggest("1 main", "token"))) == [300] * MOST


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"status": "PERMISSION_DENIED", "message": f"no: {KEY}"}}, 403),
        (b"<html>", 500),
        (b"<html>", 200),
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
    monkeypatch.setattr(providers, "REST_S", 0.0)
    google, geocoder = google_places(NOBODY), GoogleGeocoder(KEY, OfflineGeocoder(), NOBODY)
    assert await google.suggest("saras", "token") == OFFLINE
    assert await geocoder.locate(ADDRESS, "34236") == await centre()
    google._address = f"{maps.address}/v1/places:autocomplete"
    geocoder._client.base_url = maps.address
    assert await google.suggest("saras", "token") == ["1 Main Street, Saras, FL"]
    maps.say(position())
    assert await geocoder.locate(ADDRESS, "34236") != await centre()
    monkeypatch.setattr(providers, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(providers, "GEOCODING_TIMEOUT_S", 0.05)
    maps.unresponsive.set()
    assert await google.suggest("saras", "token") == OFFLINE
    assert await geocoder.locate(ADDRESS, "34236") == await centre()
    maps.heard_out.set()


async def test_table_is_read_once_and_unreadable_table_suggests_nothing():
    reads = []
    provider = OfflinePlaces(lambda: reads.append(1) or NEARBY)
    await provider.prepare()
    assert await provider.suggest("saras", "") == OFFLINE
    assert len(reads) == 1

    def unreadable() -> list[Place]:
        raise OSError("gone")

    assert await OfflinePlaces(unreadable).suggest("saras", "") == []


async def test_google_finds_an_address_in_the_country(geocoder, maps):
    maps.say(position())
    assert await geocoder.locate(ADDRESS, "34236") == Located(27.3364, -82.5307, False)
    [asked] = maps.asked
    assert (asked["path"], asked["address"]) == ("/maps/api/geocode/json", [ADDRESS])
    assert asked["components"] == ["country:US"]


@pytest.mark.parametrize(
    ("said", "is_approximate"),
    [
        (position(kind="RANGE_INTERPOLATED"), False),
        (position(kind="GEOMETRIC_CENTER"), True),
        (position(partial_match=True), True),
    ],
)
async def test_what_is_not_exact_waits_for_a_pin(geocoder, maps, said, is_approximate):
    maps.say(said)
    assert await geocoder.locate(ADDRESS, "34236") == Located(27.3364, -82.5307, is_approximate)


@pytest.mark.parametrize(
    "said",
    [
        {"status": "ZERO_RESULTS", "results": []},
        position(lat=27.9),
        position(lat="x"),
        position(lat=10**400),
    ],
    ids=["none", "far", "no number", "huge"],
)
async def test_a_location_that_is_not_found_near_its_zip_is_its_centre(geocoder, maps, said):
    maps.say(said)
    for _ in range(2):
        assert await geocoder.locate(ADDRESS, "34236") == await centre() is not None
    assert len(maps.asked) == 2  # it answers well: no pause


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"status": "REQUEST_DENIED", "error_message": f"no: {KEY}"}, 200),
        ({"status": "OK", "results": [{}]}, 200),
        ({"status": "OK", "results": 7}, 200),
        (b"<html>", 200),
        (b"<html>", 500),
    ],
    ids=repr,
)
async def test_failed_google_gives_the_centre_and_is_paused(
    geocoder, maps, body, status, caplog, logged
):
    maps.say(body, status=status)
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            assert await geocoder.locate(ADDRESS, "34236") == await centre()
    assert len(maps.asked) == (2 if status == 500 else 1)  # the library tries again at once
    assert "geocoding.google_failed" in str(logged)
    assert KEY not in caplog.text + str(logged)
    assert "Main Street" not in caplog.text + str(logged)


async def test_an_unknown_zip_is_nowhere_and_asks_nobody(geocoder, maps, monkeypatch, logged):
    assert await geocoder.locate(ADDRESS, "00000") is None

    def unreadable() -> None:
        raise OSError("gone")

    monkeypatch.setattr(providers, "zip_positions", unreadable)
    assert await geocoder.locate(ADDRESS, "34236") is None
    assert maps.asked == []
    assert logged[0]["event"] == "zip_positions.unreadable"


@pytest.mark.parametrize(
    ("key", "kinds"),
    [(None, (OfflinePlaces, OfflineGeocoder)), ("AIza-x", (GooglePlaces, GoogleGeocoder))],
)
def test_key_chooses_the_providers(configure, key, kinds):
    configure(providers, google_maps_api_key=SecretStr(key) if key else None)
    made = (providers.places.__wrapped__(), providers.geocoder.__wrapped__())
    assert tuple(map(type, made)) == kinds


async def test_the_table_covers_the_whole_country():
    assert list(providers._zip_rows()) == list(zip_table.rows()), "python -m tests.zip_table"
    provider = OfflinePlaces()
    assert (await provider.suggest("sarasota", ""))[0] == "Sarasota, FL"
    assert await provider.suggest("90210", "") == ["Beverly Hills, CA 90210"]
    positions = providers.zip_positions()
    for code in (str(code) for codes in ZIP_CODES.values() for code in codes):
        latitude, longitude = positions[code]
        assert 27.1 < latitude < 27.7
        assert -82.8 < longitude < -82.1
