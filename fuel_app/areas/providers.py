"""Suggestions for a half-typed place, positions of addresses, and weekly fuel prices."""

import asyncio
import csv
import gzip
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import googlemaps
import httpx
import structlog

from fuel_app.areas.rules.places import (
    LOCATION_MAX,
    MOST,
    NEARBY_M,
    Coordinates,
    Gazetteer,
    Located,
    Place,
    great_circle_meters,
    parse_position,
)
from fuel_app.areas.rules.prices import EIA_SERIES, Proposal, read_proposals
from fuel_app.kit.metrics import provider_call
from fuel_app.settings import settings

log = structlog.get_logger()

ZIP_TABLE = Path(__file__).with_name("zips.csv.gz")  # written by `python -m tests.zip_table`
TIMEOUT_S = 1.5
GEOCODING_TIMEOUT_S = 2
REST_S = 30.0  # after a failure, before Google is tried again
GEOCODING = "https://maps.googleapis.com"
GOOGLE = "https://places.googleapis.com/v1/places:autocomplete"
FIELDS = "suggestions.placePrediction.text.text"
EIA = "https://api.eia.gov/v2/petroleum/pri/gnd/data/"
EIA_TIMEOUT_S = 15.0
EIA_ROWS = 4 * len(EIA_SERIES)  # some weeks of each
NEARBY = {  # 50 km is the largest radius that Google takes
    "circle": {"center": {"latitude": 27.3364, "longitude": -82.5307}, "radius": 50_000.0}
}


class Places(Protocol):
    async def prepare(self) -> None:
        """Load what the first answer needs."""
        ...

    async def suggest(self, text: str, session: str) -> list[str]:
        """Return completions of the text, at most `MOST`. Never fails, never takes long.

        Args:
            session: A token that groups one visitor's keystrokes, for billing.
        """
        ...


def read_places() -> Iterator[Place]:
    """Yield every ZIP in use with its names."""
    for code, state, _, _, city, *others in _zip_rows():
        yield Place(code, state, city, tuple(others))


def _zip_rows() -> Iterator[list[str]]:
    with gzip.open(ZIP_TABLE, "rt", encoding="utf-8", newline="") as table:
        yield from csv.reader(table)


class OfflinePlaces:
    """Cities and ZIP codes of the whole country, read once in a thread when first needed."""

    def __init__(self, read: Callable[[], Iterable[Place]] = read_places) -> None:
        self._read = read
        self._reading: asyncio.Task[Gazetteer] | None = None

    async def prepare(self) -> None:
        await self._gazetteer()

    async def suggest(self, text: str, session: str) -> list[str]:
        return (await self._gazetteer()).complete(text)

    async def _gazetteer(self) -> Gazetteer:
        if self._reading is None:
            self._reading = asyncio.create_task(asyncio.to_thread(self._load))
        return await asyncio.shield(self._reading)  # a newer keystroke does not stop it

    def _load(self) -> Gazetteer:
        try:
            return Gazetteer(self._read())
        except Exception:  # typing goes on without suggestions
            log.exception("places.unreadable")
            return Gazetteer(())


class GooglePlaces:
    """Google's Places API (New); the fallback answers while Google is slow or down.

    https://developers.google.com/maps/documentation/places/web-service/place-autocomplete
    """

    def __init__(self, key: str, fallback: Places, address: str = GOOGLE) -> None:
        headers = {"X-Goog-Api-Key": key, "X-Goog-FieldMask": FIELDS}
        self._client = httpx.AsyncClient(headers=headers, timeout=TIMEOUT_S)
        self._fallback = fallback
        self._address = address
        self._rests_until = 0.0

    async def prepare(self) -> None:
        return None

    async def suggest(self, text: str, session: str) -> list[str]:
        if time.monotonic() < self._rests_until:
            return await self._fallback.suggest(text, session)
        try:
            with provider_call("google", "places"):
                async with asyncio.timeout(TIMEOUT_S):
                    return await self._ask(text, session)
        except Exception as error:
            log.warning("places.google_failed", kind=type(error).__name__)
            self._rests_until = time.monotonic() + REST_S
            return await self._fallback.suggest(text, session)

    async def _ask(self, text: str, session: str) -> list[str]:
        question = {
            "input": text,
            "sessionToken": session,
            "includedRegionCodes": ["us"],
            "locationBias": NEARBY,
        }
        answer = await self._client.post(self._address, json=question)
        answer.raise_for_status()
        texts = [
            str(each["placePrediction"]["text"]["text"])
            for each in answer.json().get("suggestions", [])
        ]
        return [text.removesuffix(", USA")[:LOCATION_MAX] for text in texts[:MOST]]


@cache
def places() -> Places:
    """Return this process's provider, by the settings."""
    if settings.google_maps_api_key is None:
        return OfflinePlaces()
    return GooglePlaces(settings.google_maps_api_key.get_secret_value(), OfflinePlaces())


@cache
def zip_positions() -> Mapping[str, Coordinates]:
    """Read the position of every ZIP in use; blocks for a quarter of a second the first time."""
    return {code: (float(lat), float(lng)) for code, _, lat, lng, *_ in _zip_rows() if lat and lng}


class Geocoder(Protocol):
    async def locate(self, address: str, zip_code: str) -> Located | None:
        """Return where an address is, at worst the centre of its ZIP; None for an unknown ZIP.

        Never fails, never takes long.
        """
        ...


class OfflineGeocoder:
    """The centre of the ZIP."""

    async def locate(self, address: str, zip_code: str) -> Located | None:
        try:
            centre = (await asyncio.to_thread(zip_positions)).get(zip_code)
        except Exception:
            log.exception("zip_positions.unreadable")
            return None
        return Located(*centre, is_approximate=True) if centre else None


class GoogleGeocoder:
    """Google's Geocoding API, in a thread; the fallback answers while Google is slow or down.

    https://developers.google.com/maps/documentation/geocoding/requests-geocoding
    """

    def __init__(self, key: str, fallback: Geocoder, address: str = GEOCODING) -> None:
        self._client = googlemaps.Client(
            key,
            timeout=GEOCODING_TIMEOUT_S,
            retry_timeout=GEOCODING_TIMEOUT_S,
            retry_over_query_limit=False,
            base_url=address,
        )
        self._fallback = fallback
        self._rests_until = 0.0

    async def locate(self, address: str, zip_code: str) -> Located | None:
        centre = await self._fallback.locate(address, zip_code)
        if centre is None or time.monotonic() < self._rests_until:
            return centre
        try:
            with provider_call("google", "geocoding"):
                async with asyncio.timeout(GEOCODING_TIMEOUT_S):
                    location = await asyncio.to_thread(self._ask, address)
        except Exception as error:  # its text holds the key
            log.warning("geocoding.google_failed", kind=type(error).__name__)
            self._rests_until = time.monotonic() + REST_S
            return centre
        is_near = location and great_circle_meters(location[:2], centre[:2]) <= NEARBY_M
        return location if is_near else centre

    def _ask(self, address: str) -> Located | None:
        client: Any = self._client  # its methods are added at import
        answer = client.geocode(address, components={"country": "US"})
        if not answer:
            return None
        geometry = answer[0]["geometry"]
        point = parse_position(geometry["location"]["lat"], geometry["location"]["lng"])
        is_exact = geometry["location_type"] in _EXACT and not answer[0].get("partial_match")
        return Located(*point, not is_exact) if point else None


_EXACT = ("ROOFTOP", "RANGE_INTERPOLATED")


@cache
def geocoder() -> Geocoder:
    """Return this process's geocoder, by the settings."""
    if settings.google_maps_api_key is None:
        return OfflineGeocoder()
    return GoogleGeocoder(settings.google_maps_api_key.get_secret_value(), OfflineGeocoder())


class EiaFailed(Exception):  # noqa: N818 (expected)
    """The EIA did not answer. Its text never holds the address, which contains the key."""


class EiaRefused(EiaFailed):
    """The EIA does not know the key."""


async def weekly_prices(key: str, address: str = EIA) -> list[Proposal]:
    """Return the prices of the last weeks.

    https://www.eia.gov/opendata/documentation.php
    """
    question = {
        "api_key": key,
        "frequency": "weekly",
        "data[0]": "value",
        "facets[series][]": list(EIA_SERIES),
        "sort[0][column]": "period",
        "sort[0][direction]": "desc",
        "offset": "0",
        "length": str(EIA_ROWS),
    }
    proposals: list[Proposal] = []
    with provider_call("eia", "prices"):
        async with httpx.AsyncClient(timeout=EIA_TIMEOUT_S) as client:
            try:
                answer = await client.get(address, params=question)
                problem = "" if answer.is_success else f"HTTP {answer.status_code}"
                proposals = [] if problem else read_proposals(answer.json())
            except (httpx.HTTPError, ValueError) as error:
                problem = type(error).__name__
        if problem:  # not raised above, where the error in hand holds the address
            raise (EiaRefused if problem in {"HTTP 401", "HTTP 403"} else EiaFailed)(problem)
    return proposals
