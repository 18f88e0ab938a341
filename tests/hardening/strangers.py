"""Unauthorized raw events and HTTP requests against the running site.

Events and addresses are discovered, so that a new one is tried from its first day.
"""

import asyncio
import inspect
import re
import sqlite3
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from itertools import product
from typing import Any

import reflex as rx
from aiohttp import ClientSession
from reflex.state import BaseState
from reflex_base.event import EventHandler
from yarl import URL

from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE, CookieState, StaffLoginState
from fuel_app.joining.state import WaitlistState
from fuel_app.leads.rules import STATUSES
from tests.factories import waitlist_form
from tests.helpers.staff_access import STAFF_STATES, guarded_addresses
from tests.site import STAFF_PASSWORD, Site
from tests.websocket import Visitor

PAGE = routes.SUBMISSIONS
FORGED = {
    "no cookie": "",
    "an empty one": f"{COOKIE}=",
    "a made-up one": f"{COOKIE}=made-up",
    "an endless one": f"{COOKIE}={'x' * 4000}",
    "a query": f"{COOKIE}=' OR 1=1 --",
    "nonsense": f"{COOKIE}=\xe9\xff",
    "many": "; ".join(f"{COOKIE}={n}" for n in range(100)),
}
BACKGROUND_TABLES = ("sessions", "messages", "jobs", "schedules")  # change without a request
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
hydrate = rx.State.event_handlers["hydrate_and_load"]


@dataclass(frozen=True)
class Attempt:
    """Outcome of one event or address, tried in many ways."""

    target: str
    disclosed: str  # names of what only staff may know
    changed: bool

    @property
    def refused(self) -> bool:
        return not self.disclosed and not self.changed


@asynccontextmanager
async def visitor(site: Site, **more: Any) -> AsyncIterator[Visitor]:
    async with ClientSession() as session, Visitor(session, site.url, path=PAGE, **more) as tab:
        yield tab


@asynccontextmanager
async def visitor_as(tab: Visitor, site: Site, **more: Any) -> AsyncIterator[Visitor]:
    """Connect with the token of a tab once the server has noticed that the tab is closed."""
    async with asyncio.timeout(30):
        while True:
            async with visitor(site, token=tab.token, **more) as other:
                if other.token == tab.token:
                    yield other
                    return
            await asyncio.sleep(0.05)  # between two tries


async def cookie_of_staff(site: Site) -> str:
    """Sign in as the page does: a ticket by an event, the cookie by HTTP."""
    async with ClientSession() as session, Visitor(session, site.url) as tab:
        await tab.send(StaffLoginState.login, form={"password": STAFF_PASSWORD})
        await tab.until(lambda: bool(tab.value(CookieState, "ticket")))
        ticket = tab.value(CookieState, "ticket")
        async with session.post(f"{site.url}/api/session", data=ticket) as answer:
            assert answer.status == 204
            return f"{COOKIE}={answer.cookies[COOKIE].value}"


async def bait(site: Site) -> list[str]:
    """Store a lead and the neighborhood that they created. Return both ids."""
    form, name = waitlist_form(email=f"{uuid.uuid4().hex}@example.com"), uuid.uuid4().hex
    async with ClientSession() as session, Visitor(session, site.url) as person:
        await person.send(WaitlistState.submit, form=form)
        await person.until(lambda: person.value(WaitlistState, "stage") == "picker")
        await person.send(WaitlistState.create, form={"name": name})
        await person.until(lambda: person.value(WaitlistState, "stage") == "joined")
    lead = site.rows("SELECT id FROM leads WHERE email = ?", form["email"])
    return [lead[0][0], site.rows("SELECT id FROM neighborhoods WHERE name = ?", name)[0][0]]


async def arrive(tab: Visitor) -> None:
    """Open the page, as the browser does."""
    await tab.send(hydrate)
    await tab.until(lambda: tab.value(rx.State, "is_hydrated") is True)


async def answered(tab: Visitor) -> None:
    """Wait until all earlier messages are handled: a tab's events run one after the other.

    Twice, so that background tasks have run too.
    """
    hydrated = rx.State.event_handlers["set_is_hydrated"]
    for _ in range(2):
        tab.state.pop(f"{rx.State.get_full_name()}.is_hydrated", None)
        for word in (True, False):
            await tab.send(hydrated, value=word)
        await tab.until(lambda: tab.value(rx.State, "is_hydrated") is False, 120)


def stored(site: Site) -> str:
    with closing(sqlite3.connect(site.database)) as connection:
        return "\n".join(
            line
            for line in connection.iterdump()
            if not any(f'INSERT INTO "{table}"' in line for table in BACKGROUND_TABLES)
        )


async def try_events(site: Site, cookie: str) -> list[Attempt]:
    """Fire every staff event with plausible and odd arguments."""
    ids = await bait(site)
    async with visitor(site, cookie=cookie) as tab:
        await arrive(tab)
        return [
            await _fired(site, tab, state, event, ids)
            for state in STAFF_STATES
            for event in state.event_handlers.values()
        ]


async def _fired(
    site: Site, tab: Visitor, state: type[BaseState], event: EventHandler, ids: list[str]
) -> Attempt:
    before = stored(site)
    tab.state.clear()
    tab.answers.clear()
    for payload in _payloads(event, ids):
        await tab.send(event, **payload)
    await answered(tab)
    name = f"{state.__name__}.{event.fn.__name__}"
    return Attempt(name, _disclosed(tab), stored(site) != before)


def _payloads(event: EventHandler, ids: list[str]) -> Iterator[dict[str, Any]]:
    names = list(inspect.signature(event.fn).parameters)[1:]
    plausible = [*ids, 0, 1, STATUSES[1]]
    if len(names) <= 1:
        form = {"id": ids[0], "name": "x", "page": "2"}
        plausible += ["", "x", "date", True, None, {}, ["x"], form]
    for values in product(plausible, repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def _disclosed(tab: Visitor) -> str:
    """Return the names of staff values and answers, except for the redirect to the login."""
    names = tuple(f"{state.get_full_name()}." for state in STAFF_STATES)
    values = [name for name, value in tab.state.items() if name.startswith(names) and value]
    return ", ".join([*values, *(a["name"] for a in tab.answers if not _sent_home(a))])


def _sent_home(answer: dict[str, Any]) -> bool:
    return answer["name"] == "_redirect" and answer["payload"]["path"] == routes.HOME


async def try_addresses(site: Site, cookie: str) -> list[Attempt]:
    """Request every staff address, by every method and in every spelling."""
    ids = await bait(site)
    async with ClientSession(headers={"Cookie": cookie}) as session:
        return [await _asked(site, session, route.path, ids) for route in guarded_addresses()]


async def _asked(site: Site, session: ClientSession, pattern: str, ids: list[str]) -> Attempt:
    before, disclosed = stored(site), []
    for spelling, method in product(_spellings(re.sub(r"{[^}]*}", ids[0], pattern)), METHODS):
        url = URL(f"{site.url}{spelling}", encoded=True)
        async with session.request(method, url, data=b"", allow_redirects=False) as answer:
            if answer.status not in REFUSALS:
                disclosed.append(f"{method} {spelling}: {answer.status}")
    return Attempt(pattern, ", ".join(disclosed), stored(site) != before)


REFUSALS = {400, 401, 403, 404, 405}


def _spellings(address: str) -> list[str]:
    return [
        address,
        f"{address}/",
        f"/{address}",
        f"{address}?ids=x&q=%00&type=fleet",
        f"/x/..{address}",
        f"/_event/..{address}",
        f"{address}%00",
        f"{address};x",
        address.upper(),
        address.replace("/api", "/%61pi"),
        address.replace("/api/", "/api%2f"),
        address.replace("/api/", "/api//"),
    ]
