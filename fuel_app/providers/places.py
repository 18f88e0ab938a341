"""Completing a half-typed place: Google where there is a key, else the country's ZIP codes."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Protocol

import googlemaps

from fuel_app.domain.places import MOST, Gazetteer, Place
from fuel_app.domain.quotes.rules import LOCATION_MAX
from fuel_app.kit.metrics import provider_call
from fuel_app.providers import us_post
from fuel_app.settings import settings

log = logging.getLogger(__name__)

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

    def __init__(self, read: Callable[[], Iterable[Place]] = us_post.read) -> None:
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
            log.warning("places.google_failed: %s", type(error).__name__)
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
