"""Positions of addresses by Google, played by a local server, and offline."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from fuel_app.areas import providers
from fuel_app.areas.providers import GoogleGeocoder, OfflineGeocoder
from fuel_app.areas.rules.places import Located
from tests.helpers.maps_server import Maps

KEY = "AIza-very-secret"
ADDRESS = "1 Main Street, Sarasota, FL 34236"
CENTRE = OfflineGeocoder().locate


def answer(lat: Any = 27.3364, lng: Any = -82.5307, kind: str = "ROOFTOP", **more: Any) -> Any:
    geometry = {"location": {"lat": lat, "lng": lng}, "location_type": kind}
    return {"status": "OK", "results": [{"geometry": geometry} | more]}


@pytest.fixture
def google(maps: Maps, monkeypatch: pytest.MonkeyPatch) -> GoogleGeocoder:
    monkeypatch.setattr(providers, "GEOCODING_TIMEOUT_S", 60)  # a busy machine is no slow provider
    geocoder = GoogleGeocoder(KEY, OfflineGeocoder(), maps.address)
    geocoder._client.retry_timeout = timedelta(milliseconds=100)
    return geocoder


async def test_google_finds_an_address_in_the_country(google, maps):
    maps.say(answer())
    assert await google.locate(ADDRESS, "34236") == Located(27.3364, -82.5307, False)
    [asked] = maps.asked
    assert (asked["path"], asked["address"]) == ("/maps/api/geocode/json", [ADDRESS])
    assert asked["components"] == ["country:US"]


@pytest.mark.parametrize(
    ("said", "is_approximate"),
    [
        (answer(kind="RANGE_INTERPOLATED"), False),
        (answer(kind="GEOMETRIC_CENTER"), True),
        (answer(partial_match=True), True),
    ],
)
async def test_what_is_not_exact_waits_for_a_pin(google, maps, said, is_approximate):
    maps.say(said)
    assert await google.locate(ADDRESS, "34236") == Located(27.3364, -82.5307, is_approximate)


@pytest.mark.parametrize(
    "said",
    [
        {"status": "ZERO_RESULTS", "results": []},
        answer(lat=27.9),
        answer(lat=40.7, lng=-74.0),
        answer(lat="x"),
        answer(lat=10**400),
    ],
    ids=["none", "far", "another state", "no number", "huge"],
)
async def test_a_place_that_is_not_found_near_its_zip_is_its_centre(google, maps, said):
    maps.say(said)
    centre = await CENTRE("", "34236")
    assert centre
    assert await google.locate(ADDRESS, "34236") == centre
    assert await google.locate(ADDRESS, "34236") == centre
    assert len(maps.asked) == 2  # it answers well: no pause


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"status": "OVER_QUERY_LIMIT", "results": []}, 200),
        ({"status": "REQUEST_DENIED", "error_message": f"no: {KEY}"}, 200),
        ({"status": "OK", "results": [{}]}, 200),
        ({"status": "OK", "results": 7}, 200),
        (b"<html>", 200),
        (None, 200),
        (b"<html>", 500),
        (b"<html>", 403),
    ],
    ids=repr,
)
async def test_failed_google_gives_the_centre_and_is_paused(
    google, maps, body, status, caplog, logged
):
    maps.say(body, status=status)
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            assert await google.locate(ADDRESS, "34236") == await CENTRE("", "34236")
    assert len(maps.asked) == (2 if status == 500 else 1)  # the library tries again at once
    assert "geocoding.google_failed" in str(logged)
    assert KEY not in caplog.text + str(logged)
    assert "Main Street" not in caplog.text + str(logged)


async def test_slow_or_unreachable_google_is_retried_after_its_pause(monkeypatch, maps):
    monkeypatch.setattr(providers, "REST_S", 0.0)
    google = GoogleGeocoder(KEY, OfflineGeocoder(), "http://127.0.0.1:9")
    centre = await CENTRE("", "34236")
    assert await google.locate(ADDRESS, "34236") == centre
    google._client.base_url = maps.address
    maps.say(answer())
    assert await google.locate(ADDRESS, "34236") != centre
    monkeypatch.setattr(providers, "GEOCODING_TIMEOUT_S", 0.05)
    maps.unresponsive.set()
    assert await google.locate(ADDRESS, "34236") == centre
    maps.heard_out.set()


async def test_an_unknown_zip_is_nowhere_and_asks_nobody(google, maps, monkeypatch, logged):
    assert await google.locate(ADDRESS, "00000") is None

    def unreadable() -> None:
        raise OSError("gone")

    monkeypatch.setattr(providers, "zip_positions", unreadable)
    assert await google.locate(ADDRESS, "34236") is None
    assert maps.asked == []
    assert logged[0]["event"] == "zip_positions.unreadable"


@pytest.mark.parametrize(("key", "kind"), [(None, OfflineGeocoder), ("AIza-x", GoogleGeocoder)])
def test_key_chooses_the_geocoder(monkeypatch, key, kind):
    known = {"google_maps_api_key": SecretStr(key) if key else None}
    monkeypatch.setattr(providers, "settings", providers.settings.model_copy(update=known))
    assert isinstance(providers.geocoder.__wrapped__(), kind)
