"""The customer's screens: how fast events are answered, and what a tab keeps.

Answers are measured with 200 visitors at once on one process, each of whom fires about one event a
second. A burst, in which all fire at once, has no bound: its last visitor waits for 199 others. The
lateness of the visitors' own timers is the machine's share of an answer's time: below a millisecond
on an idle machine.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import reflex as rx
import uvloop
from aiohttp import ClientSession, TCPConnector
from reflex.state import BaseState

from bench import QUICK
from bench.report import Figure
from fuel_app.billing.state.preview import BillingState
from fuel_app.customers.rules.sign_up import NOTES_MAX
from fuel_app.customers.service import vehicles
from fuel_app.customers.state.account import SecurityState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.state.vehicles import VehiclesState
from fuel_app.dashboard.state import DashboardState
from fuel_app.membership.state import AccountState
from fuel_app.scheduling.state.preview import OneTimeFillState, ScheduleState
from tests.factories import (
    address_form,
    contact_form,
    personal_form,
    signup_form,
    vehicle_form,
)
from tests.helpers.tabs import run, tab_at
from tests.pictures import as_file, noise
from tests.site import Site
from tests.websocket import Visitor

VISITORS = 200
ROUNDS = 1 if QUICK else 3  # of everything below, by each visitor
PAUSE_S = 1.0  # between two presses, on average
RUNS = 1 if QUICK else 3
KB = 1000


class Press(NamedTuple):
    """One event, and the field by which its answer is known."""

    event: Any
    state: type[rx.State]
    field: str
    payload: dict[str, Any] = {}


PRESSES = (
    Press(CustomerState.toggle_notification, CustomerState, "notifications", {"name": "push"}),
    Press(DashboardState.switch_view, DashboardState, "admin_view"),
    Press(SecurityState.set_up, SecurityState, "setting_up"),
    Press(VehiclesState.add, VehiclesState, "opened"),
    Press(VehiclesState.edit_vehicle, VehiclesState, "vehicle", {"form": vehicle_form()}),
    Press(VehiclesState.save, VehiclesState, "vehicle_errors", {"form": vehicle_form(year="")}),
    Press(VehiclesState.show, VehiclesState, "opened", {"opened": False}),
    Press(AccountState.begin, AccountState, "editing"),
    Press(AccountState.edit, AccountState, "form", {"form": personal_form()}),
    Press(AccountState.save, AccountState, "editing", {"form": personal_form()}),
    Press(SignupState.edit_contact, SignupState, "contact", {"form": contact_form()}),
    Press(ScheduleState.edit_vehicle, ScheduleState, "vehicle", {"form": vehicle_form()}),
    Press(ScheduleState.submit_vehicle, ScheduleState, "vehicle_given", {"form": vehicle_form()}),
    Press(ScheduleState.edit_address, ScheduleState, "address", {"form": address_form()}),
    Press(OneTimeFillState.edit_vehicle, OneTimeFillState, "vehicle", {"form": vehicle_form()}),
)


async def _press(visitor: Visitor, press: Press) -> float:
    """Fire an event. Return the milliseconds until its answer."""
    answer = f"{press.state.get_full_name()}.{press.field}"
    visitor.state.pop(answer, None)
    started = time.perf_counter()
    await visitor.send(press.event, **press.payload)
    await visitor.until(lambda: answer in visitor.state)
    return 1000 * (time.perf_counter() - started)


async def _look_around(visitor: Visitor) -> list[tuple[float, float]]:
    """Fire every event. Return the milliseconds of each answer and of the timer's lateness."""
    answers = []
    for _ in range(ROUNDS):
        for press in PRESSES:
            pause, started = random.uniform(0, 2 * PAUSE_S), time.perf_counter()
            await asyncio.sleep(pause)
            late = 1000 * (time.perf_counter() - started - pause)
            answers.append((await _press(visitor, press), late))
    return answers


async def _all_at_once(site: Site) -> tuple[float, float, float]:
    """Return the p95 in milliseconds of answers, of timers' lateness, and of a burst."""
    arrive = Press(CustomerState.arrive, CustomerState, "card")
    async with AsyncExitStack() as stack:
        unlimited = TCPConnector(limit=0)  # its own limit is 100 connections
        session = await stack.enter_async_context(ClientSession(connector=unlimited))
        visitors = [
            await stack.enter_async_context(Visitor(session, site.url)) for _ in range(VISITORS)
        ]
        for visitor in visitors:
            await _press(visitor, arrive)
        spread = await asyncio.gather(*map(_look_around, visitors))
        burst = await asyncio.gather(*[_press(visitor, PRESSES[0]) for visitor in visitors])
    answers, late = zip(*[each for visitor in spread for each in visitor], strict=True)
    return _p95(answers), _p95(late), _p95(burst)


def _p95(answers: Sequence[float]) -> float:
    return statistics.quantiles(answers, n=20)[-1]


def _size(state: BaseState) -> int:
    """Return the bytes of a state and its substates as Redis stores them."""
    return len(state._serialize()) + sum(map(_size, state.substates.values()))


async def _used_tab(photo: str = "") -> int:
    """Return the bytes of a tab that has used every one of these screens."""
    tab = tab_at("/account")
    account, vehicles = await tab.get_state(AccountState), await tab.get_state(VehiclesState)
    for state, event, *arguments in (
        (CustomerState, "arrive"),
        (CustomerState, "toggle_notification", "push"),
        (DashboardState, "switch_view"),
        (SecurityState, "set_up"),
        (SecurityState, "choose", "app"),
        (BillingState, "switch_to", "solo"),
        (VehiclesState, "remove", "sample-camry"),
        (SignupState, "arrive"),
        (SignupState, "submit_signup", signup_form()),
        (ScheduleState, "_offer_slots"),
        (ScheduleState, "submit_vehicle", vehicle_form()),
        (ScheduleState, "submit_address", address_form(notes=NOTES_MAX * "n")),
        (OneTimeFillState, "_offer_slots"),
        (OneTimeFillState, "submit_vehicle", vehicle_form()),
    ):
        await run(getattr(await tab.get_state(state), event)(*arguments))
    await run(vehicles.add())
    await run(vehicles.keep_photo(photo))
    await run(vehicles.save(vehicle_form()))
    await run(account.begin())
    await run(account.edit(personal_form()))
    return _size(tab)


def measure(site: Site) -> list[Figure]:
    if not QUICK:
        uvloop.run(_all_at_once(site))  # warm
    runs = [uvloop.run(_all_at_once(site)) for _ in range(RUNS)]
    answers, late, burst = zip(*runs, strict=True)
    photo = uvloop.run(
        vehicles.convert_photo(as_file(noise((1600, 1200))))
    )  # no photo is kept larger
    bare, with_photo = uvloop.run(_used_tab()), uvloop.run(_used_tab(photo))
    return [
        Figure("answer with 200 visitors at once, p95", "ms", answers, "<= 20"),
        Figure("the same visitors' timers late by, p95", "ms", late),
        Figure("answer when all 200 press in one instant, p95", "ms", burst),
        Figure("state of a tab, all customer screens used", "KB", [bare / KB], "<= 30"),
        Figure("state of the largest photo on top", "KB", [(with_photo - bare) / KB], "<= 60"),
    ]
