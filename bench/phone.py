"""A technician's phone without the browser: what its page asks by HTTP."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import ClientError, ClientSession

from fuel_app import routes

TIMEOUT_S = 10
BACKOFF_S = 0.2


@dataclass(frozen=True)
class Call:
    """One request, and the kind of what it stores."""

    method: str
    path: str
    body: Any = None
    stores: str = ""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


@dataclass
class Phone:
    """One phone that is signed in. It keeps the day as the office said last."""

    session: ClientSession
    site: str
    cookie: str
    errors: list[str] = field(default_factory=list)
    reconnects: int = 0
    person: str = ""
    day: dict[str, Any] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)  # of the last request

    async def __aenter__(self) -> Self:
        assert await self.press(Call("GET", routes.TECHNICIAN_DAY)), self.errors
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def stored(self, call: Call) -> bool:
        return bool(call.stores) and not self.refused

    async def press(self, call: Call) -> bool:
        """Send a request until it arrives. Return False if it was refused, or not in time."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                while not await self._sent(call):
                    self.reconnects += 1
                    await asyncio.sleep(BACKOFF_S)
        except TimeoutError:
            self.errors.append(f"no answer to {call.name}")
            return False
        return True

    async def _sent(self, call: Call) -> bool:
        """Return whether it was answered; actions have an id, so that it may be sent again."""
        headers = {"Cookie": self.cookie, "Origin": self.site}
        given = {"json": call.body, "headers": headers, "ssl": False}
        try:
            async with self.session.request(call.method, self.site + call.path, **given) as answer:
                if answer.status >= 500:  # nginx, while a process is away
                    return False
                found = await answer.json() if answer.status == 200 else {}
                self.refused = [f"{answer.status} to {call.name}"] * (answer.status >= 400)
        except (ClientError, ConnectionError):
            return False
        self.day = found.get("day", found) or self.day
        self.person = self.day["person"]
        self.refused += [each["refused"] for each in found.get("heard", ()) if each["refused"]]
        self.errors += self.refused
        return True
