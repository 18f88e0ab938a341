"""Visitors who join the waitlist one after the other, whatever happens to the site meanwhile.

Each does what a browser does: reconnects with the key that its tab keeps, and submits the form
again when it is asked to.
"""

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count

import reflex as rx
from aiohttp import ClientError, ClientSession, TCPConnector

from fuel_app.joining.state import WaitlistState
from fuel_app.kit.ui.toast import ToastState
from tests.factories import waitlist_form
from tests.websocket import Visitor

DEADLINE_S = 120
NO_ANSWER = "no answer"
_BACKOFF_S = 0.2  # grows with each failed connection, as a page's does
_READ_S = 0.5  # before the button is pressed again
_ANSWER_S = 30
_KEY = f"{WaitlistState.get_full_name()}.resume_key_rx_state_"
_numbers = count()
_hydrate = rx.State.event_handlers["hydrate_and_load"]


class Person:
    """A visitor who joins the waitlist."""

    def __init__(self, sites: Sequence[str], news: asyncio.Event) -> None:
        self.form = waitlist_form(email=f"{uuid.uuid4().hex}@example.com")
        self.arrived = asyncio.Event()
        self.confirmed_at = 0.0
        self.messages: Counter[str] = Counter()
        self._news, self._sites = news, sites
        self._tries, self._failed = next(_numbers), 0  # as many people at each site
        self._token, self._key = str(uuid.uuid4()), ""

    @property
    def done(self) -> bool:
        return self.confirmed_at > 0

    async def join(self, session: ClientSession, turn: asyncio.Event) -> None:
        """Open the page, wait for the turn, and retry until the join is confirmed."""
        while not self.done:
            try:
                site = self._sites[self._tries % len(self._sites)]
                async with Visitor(session, site, token=self._token) as tab:
                    self._token, self._failed = tab.token, 0
                    await self._use(tab, turn)
            except TimeoutError:
                self.messages[NO_ANSWER] += 1
            except (ClientError, OSError):
                self.messages["cut off"] += not self._failed
                self._failed, self._tries = self._failed + 1, self._tries + 1
                await asyncio.sleep(_BACKOFF_S * min(self._failed, 10))

    async def _use(self, tab: Visitor, turn: asyncio.Event) -> None:
        try:
            await tab.send(_hydrate, vars={_KEY: self._key})
            await tab.until(lambda: tab.value(rx.State, "is_hydrated") is True, _ANSWER_S)
            self.arrived.set()
            await tab.stay(turn)
            while tab.value(WaitlistState, "stage") == "form":
                await self._send(tab)
            self.confirmed_at = self.confirmed_at or time.monotonic()
            self._news.set()
        finally:  # in the browser's storage
            self._key = tab.value(WaitlistState, "resume_key") or self._key

    async def _send(self, tab: Visitor) -> None:
        """Submit the form once. Count the message if it is refused."""
        stage = {f"{WaitlistState.get_full_name()}.stage": "form"}
        tab.state = {key: value for key, value in tab.state.items() if key == _KEY} | stage
        await tab.send(WaitlistState.submit, form=self.form)
        await tab.until(lambda: _joined(tab) or bool(_message(tab)), _ANSWER_S)
        if not _joined(tab):
            self.messages[_message(tab)] += 1
            self._news.set()
            await asyncio.sleep(_READ_S)


class Founder(Person):
    """A visitor at the picker when it breaks, who creates a neighborhood when it works again."""

    def __init__(self, sites: Sequence[str]) -> None:
        super().__init__(sites, asyncio.Event())
        self.works_again = asyncio.Event()
        self.founded = False

    @property
    def done(self) -> bool:
        return self.founded

    async def _use(self, tab: Visitor, turn: asyncio.Event) -> None:
        await super()._use(tab, turn)
        await tab.stay(self.works_again)
        await tab.send(WaitlistState.create, form={"name": self.form["email"].partition("@")[0]})
        await tab.until(lambda: tab.value(WaitlistState, "stage") == "joined", _ANSWER_S)
        self.founded = True


def _joined(tab: Visitor) -> bool:
    return tab.value(WaitlistState, "stage") != "form"


def _message(tab: Visitor) -> str:
    """Return the message under the button, beside a field or in a toast."""
    beside = (tab.value(WaitlistState, "field_errors") or {}).values()
    toasts = [toast["text"] for toast in tab.value(ToastState, "toasts") or []]
    messages = [tab.value(WaitlistState, "refusal"), *beside, *toasts]
    return next(filter(None, messages), "")


class Crowd:
    """People who have the page open and submit at a steady pace."""

    def __init__(self, sites: Sequence[str], people: int) -> None:
        self._news = asyncio.Event()
        self.people = [Person(sites, self._news) for _ in range(people)]

    @property
    def confirmed(self) -> list[str]:
        """The emails of confirmed joins."""
        return [person.form["email"] for person in self.people if person.confirmed_at]

    def first_confirmed_after(self, moment: float) -> float:
        """Return the seconds from a moment of `time.monotonic` to the next confirmation."""
        later = [p.confirmed_at for p in self.people if p.confirmed_at > moment]
        return min(later) - moment

    def messages(self, *others: Person) -> str:
        """Return the messages that were shown instead, and how often."""
        shown = sum((person.messages for person in [*self.people, *others]), Counter[str]())
        return ", ".join(f"{count} x '{words}'" for words, count in shown.most_common())

    async def until_confirmed(self, count: int) -> None:
        await self._until(lambda: len(self.confirmed) >= count)

    async def until_shown(self, words: str, count: int) -> None:
        """Wait until so many people have seen a message."""
        await self._until(lambda: sum(words in person.messages for person in self.people) >= count)

    async def _until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not reached():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def joining(sites: Sequence[str], people: int, per_second: float) -> AsyncIterator[Crowd]:
    """Let people join during the block, which ends when all have joined."""
    crowd = Crowd(sites, people)
    turns = [asyncio.Event() for _ in crowd.people]
    connector = TCPConnector(limit=0, ssl=False)
    async with ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        for person, turn in zip(crowd.people, turns, strict=True):
            group.create_task(person.join(session, turn))
            await asyncio.sleep(0.005)  # pages are opened one by one
        for person in crowd.people:
            await person.arrived.wait()
        group.create_task(_take_turns(turns, per_second))
        yield crowd


async def _take_turns(turns: Sequence[asyncio.Event], per_second: float) -> None:
    """Open loop: turns come on time, however long the answers take."""
    began = time.monotonic()
    for number, turn in enumerate(turns):
        await asyncio.sleep(began + number / per_second - time.monotonic())
        turn.set()
