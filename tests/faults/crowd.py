"""Visitors who join the waitlist one after the other, whatever happens to the site meanwhile.

Each does what a browser does: connects again when it is cut off, with the key that its tab keeps,
and sends the form again when it is asked to.
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

from fuel_app.joining.state.waitlist import WaitlistState
from fuel_app.kit.ui.toast import ToastState
from tests.factories import waitlist_form
from tests.websocket import Visitor

DEADLINE_S = 120
NOTHING = "nothing at all"
_RETRY_S = 0.2  # a browser's first pause; it grows with each failure in a row
_READ_S = 0.5  # somebody reads a message before they press the button again
_ANSWER_S = 30  # who is told nothing for so long takes the site for broken
_KEY = f"{WaitlistState.get_full_name()}.resume_key_rx_state_"
_numbers = count()
_hydrate = rx.State.event_handlers["hydrate_and_load"]


class Person:
    """One of the crowd."""

    def __init__(self, sites: Sequence[str], news: asyncio.Event) -> None:
        self.form = waitlist_form(email=f"{uuid.uuid4().hex}@example.com")
        self.here = asyncio.Event()
        self.confirmed_at = 0.0
        self.told: Counter[str] = Counter()
        self._news, self._sites = news, sites
        self._tries, self._failed = next(_numbers), 0  # as many people at each site
        self._token, self._key = str(uuid.uuid4()), ""

    @property
    def done(self) -> bool:
        """Whether there is nothing left to do here."""
        return self.confirmed_at > 0

    async def join(self, session: ClientSession, turn: asyncio.Event) -> None:
        """Open the page, wait for one's turn, and go on until it is confirmed."""
        while not self.done:
            try:
                site = self._sites[self._tries % len(self._sites)]
                async with Visitor(session, site, token=self._token) as tab:
                    self._token, self._failed = tab.token, 0
                    await self._use(tab, turn)
            except TimeoutError:
                self.told[NOTHING] += 1
            except (ClientError, OSError):
                self.told["cut off"] += not self._failed
                self._failed, self._tries = self._failed + 1, self._tries + 1
                await asyncio.sleep(_RETRY_S * min(self._failed, 10))

    async def _use(self, tab: Visitor, turn: asyncio.Event) -> None:
        try:
            await tab.send(_hydrate, vars={_KEY: self._key})
            await tab.until(lambda: tab.value(rx.State, "is_hydrated") is True, _ANSWER_S)
            self.here.set()
            await tab.stay(turn)
            while tab.value(WaitlistState, "stage") == "form":
                await self._send(tab)
            self.confirmed_at = self.confirmed_at or time.monotonic()
            self._news.set()
        finally:  # what the browser keeps of a tab that is cut off
            self._key = tab.value(WaitlistState, "resume_key") or self._key

    async def _send(self, tab: Visitor) -> None:
        """Press the button. A refusal is read, and noted."""
        stage = {f"{WaitlistState.get_full_name()}.stage": "form"}
        tab.state = {key: value for key, value in tab.state.items() if key == _KEY} | stage
        await tab.send(WaitlistState.submit, form=self.form)
        await tab.until(lambda: _joined(tab) or bool(_said(tab)), _ANSWER_S)
        if not _joined(tab):
            self.told[_said(tab)] += 1
            self._news.set()
            await asyncio.sleep(_READ_S)


class Founder(Person):
    """A visitor who is choosing a neighborhood when it breaks, and founds one afterwards."""

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


def _said(tab: Visitor) -> str:
    """What the page says under the button, beside a field or at its foot."""
    beside = (tab.value(WaitlistState, "field_errors") or {}).values()
    toasts = [toast["text"] for toast in tab.value(ToastState, "toasts") or []]
    messages = [tab.value(WaitlistState, "refusal"), *beside, *toasts]
    return next(filter(None, messages), "")


class Crowd:
    """People who have the page open, and press the button at a steady pace."""

    def __init__(self, sites: Sequence[str], people: int) -> None:
        self._news = asyncio.Event()
        self.people = [Person(sites, self._news) for _ in range(people)]

    @property
    def confirmed(self) -> list[str]:
        """The e-mails of those who were told that they are on the list."""
        return [person.form["email"] for person in self.people if person.confirmed_at]

    def first_confirmed_after(self, moment: float) -> float:
        """Seconds; the moment is one of `time.monotonic`."""
        later = [p.confirmed_at for p in self.people if p.confirmed_at > moment]
        return min(later) - moment

    def told(self, *others: Person) -> str:
        """What people were told instead, and how often."""
        said = sum((person.told for person in [*self.people, *others]), Counter[str]())
        return ", ".join(f"{count} x '{words}'" for words, count in said.most_common())

    async def until_confirmed(self, count: int) -> None:
        """Wait until so many are on the list."""
        await self._until(lambda: len(self.confirmed) >= count)

    async def until_told(self, words: str, count: int) -> None:
        """Wait until so many have been told so."""
        await self._until(lambda: sum(words in person.told for person in self.people) >= count)

    async def _until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not reached():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def joining(sites: Sequence[str], people: int, per_second: float) -> AsyncIterator[Crowd]:
    """So many people join while the block runs; it ends when all of them have."""
    crowd = Crowd(sites, people)
    turns = [asyncio.Event() for _ in crowd.people]
    connector = TCPConnector(limit=0, ssl=False)
    async with ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        for person, turn in zip(crowd.people, turns, strict=True):
            group.create_task(person.join(session, turn))
            await asyncio.sleep(0.005)  # pages are opened one by one
        for person in crowd.people:
            await person.here.wait()
        group.create_task(_take_turns(turns, per_second))
        yield crowd


async def _take_turns(turns: Sequence[asyncio.Event], per_second: float) -> None:
    """On time, however long the answers take."""
    began = time.monotonic()
    for number, turn in enumerate(turns):
        await asyncio.sleep(began + number / per_second - time.monotonic())
        turn.set()
