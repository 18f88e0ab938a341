"""Every US ZIP code with its city, from the `zipcodes` package.

The package unpacks its data with the interpreter locked for half a second and then keeps 60 MB, so
it is asked in a process of its own: this file is also the script that runs there.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import googlemaps
import structlog
import zipcodes

from fuel_app.areas.rules import LOCATION_MAX, MOST, Gazetteer, Place
from fuel_app.kit.metrics import provider_call
from fuel_app.settings import settings

log = structlog.get_logger()

_PATIENCE_S = 30
_ROOT = Path(__file__).parents[2]


def read() -> list[Place]:
    """All ZIPs in use but the military's."""
    lines = (line.split("\t") for line in _asked("names"))
    return [Place(code, state, city, tuple(others)) for code, state, city, *others in lines]


def positions() -> dict[str, tuple[float, float]]:
    """Latitude and longitude of each ZIP in use."""
    lines = (line.split("\t") for line in _asked("positions"))
    return {code: (float(latitude), float(longitude)) for code, latitude, longitude in lines}


def _asked(what: str) -> list[str]:
    done = subprocess.run(  # noqa: S603 (ourselves)
        [sys.executable, "-m", __name__, what],
        cwd=_ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=_PATIENCE_S,
    )
    return done.stdout.splitlines()


def _names() -> Iterator[str]:
    for place in _in_use():
        city, others = place["city"], place["acceptable_cities"]
        spelled_out = _without_abbreviations([city, *others])
        names = [name for name in spelled_out if name != city]
        yield "\t".join((place["zip_code"], place["state"], city, *names))


def _positions() -> Iterator[str]:
    for place in _in_use():
        if place["lat"] and place["long"]:
            yield "\t".join((place["zip_code"], place["lat"], place["long"]))


def _in_use() -> Iterator[dict[str, Any]]:
    for place in zipcodes.list_all():
        if place["active"] and place["zip_code_type"] != "MILITARY":
            yield place


def _without_abbreviations(names: Sequence[str]) -> Iterator[str]:
    """Mail also knows `Lakewood Rch`; people look for Lakewood Ranch."""
    for name in names:
        same_initials = [other for other in names if _initials(other) == _initials(name)]
        if name == max(same_initials, key=len):
            yield name


def _initials(name: str) -> list[str]:
    return [word[0] for word in name.split()]


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write("\n".join(_positions() if sys.argv[1:] == ["positions"] else _names()))


PATIENCE_S = 1.5  # for one answer; whoever types does not wait for it
REST_S = 30.0  # after a failure, before Google is asked again
SARASOTA = (27.3364, -82.5307)
NEARBY_METERS = 60_000


class Places(Protocol):
    async def prepare(self) -> None:
        """Be ready to answer at once."""
        ...

    async def suggest(self, text: str, session: str) -> list[str]:
        """What the text may become, at most `MOST`. Never fails, never takes long.

        Args:
            session: A token that holds one person's keystrokes together, for billing.
        """
        ...


class OfflinePlaces:
    """Cities and ZIP codes of the whole country. They are read once, when first needed."""

    def __init__(self, read: Callable[[], Iterable[Place]] = read) -> None:
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
    """Google's suggestions; others stand in while it is slow, down or over its quota."""

    def __init__(self, client: Any, stand_in: Places) -> None:
        self._client = client
        self._stand_in = stand_in
        self._rests_until = 0.0
        # Threads of its own: a slow answer must not hold up what others do in theirs.
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="places")

    async def prepare(self) -> None:
        return None

    async def suggest(self, text: str, session: str) -> list[str]:
        if time.monotonic() < self._rests_until:
            return await self._stand_in.suggest(text, session)
        asking = asyncio.get_running_loop().run_in_executor(self._threads, self._ask, text, session)
        try:
            with provider_call("google", "places"):
                return await asyncio.wait_for(asking, PATIENCE_S)
        except Exception as error:
            log.warning("places.google_failed", kind=type(error).__name__)
            self._rests_until = time.monotonic() + REST_S
            return await self._stand_in.suggest(text, session)

    def _ask(self, text: str, session: str) -> list[str]:
        predictions = self._client.places_autocomplete(
            text,
            session_token=session,
            components={"country": "us"},
            location=SARASOTA,
            radius=NEARBY_METERS,
        )
        found = [str(prediction["description"]) for prediction in predictions]
        return [text.removesuffix(", USA")[:LOCATION_MAX] for text in found[:MOST]]


@cache
def places() -> Places:
    """This process's provider, by the settings."""
    if settings.google_maps_api_key is None:
        return OfflinePlaces()
    try:
        client = googlemaps.Client(
            settings.google_maps_api_key.get_secret_value(),
            timeout=2,
            retry_timeout=2,
            retry_over_query_limit=False,
        )
    except ValueError:  # a key that cannot be one
        log.error("places.google_key_invalid")
        return OfflinePlaces()
    return GooglePlaces(client, OfflinePlaces())


_read = cache(positions)
_once = Lock()  # whoever asks while it is read waits for it, instead of reading it too


async def zip_places() -> Mapping[str, tuple[float, float]]:
    """Latitude and longitude of every ZIP in use; none at all if they cannot be read."""
    try:
        return await asyncio.to_thread(_read_once)
    except Exception:  # the table goes on without the map's circles
        log.exception("zip_places.unreadable")
        return {}


def _read_once() -> Mapping[str, tuple[float, float]]:
    with _once:
        return _read()
