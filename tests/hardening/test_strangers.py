"""Any stranger can fire any event, with anything, at any moment.

The events are found by themselves, so that a new one is tried here from its first day.
"""

import importlib
import inspect
import json
import pkgutil
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any, NamedTuple, get_type_hints, is_typeddict

import pytest
import reflex as rx
import sqlalchemy as sa
from reflex.state import BaseState
from reflex_base.event import EventHandler

import fuel_app
from fuel_app.areas import providers as places
from fuel_app.joining.state.waitlist import WaitlistState
from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import metadata
from fuel_app.quotes import service as quotes
from tests.factories import business_quote, fleet_quote
from tests.hardening.nasty import NASTY
from tests.helpers.screens import staff_tab
from tests.helpers.staff_access import STAFF_STATES
from tests.helpers.tabs import run, tab_at
from tests.helpers.visitors import a_neighborhood, on_the_list

pytestmark = pytest.mark.usefixtures("sqlite_database")

KEPT_MAX = 250_000  # characters of one tab: what a browser sends stays in memory for an hour


class Door(NamedTuple):
    """One event of one state."""

    state: type[BaseState]
    name: str
    handler: EventHandler

    @property
    def arguments(self) -> dict[str, Any]:
        """Its arguments with their types."""
        hints = get_type_hints(self.handler.fn)
        names = list(inspect.signature(self.handler.fn).parameters)[1:]
        return {name: hints.get(name) for name in names}


def _below(state: type[BaseState]) -> Iterator[type[BaseState]]:
    for child in state.get_substates():
        yield child
        yield from _below(child)


def _our_states() -> list[type[BaseState]]:
    for module in pkgutil.walk_packages(fuel_app.__path__, "fuel_app."):
        if "state" in module.name.split("."):
            importlib.import_module(module.name)
    ours = (state for state in _below(rx.State) if state.__module__.startswith("fuel_app."))
    return sorted(ours, key=lambda state: state.get_full_name())


STATES = _our_states()
DOORS = [
    Door(state, name, handler)
    for state in STATES
    for name, handler in state.event_handlers.items()
    if name != "setvar"  # the framework's, which the setters below stand for
]
every_door = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.handler.fn.__qualname__)


@pytest.fixture(autouse=True)
def _no_gazetteer(monkeypatch) -> None:
    provider = places.OfflinePlaces(read=list)
    monkeypatch.setattr("fuel_app.areas.service.places", lambda: provider)


@pytest.fixture
async def staff(password) -> rx.State:
    return await staff_tab()


@pytest.fixture
async def victim() -> AsyncIterator[WaitlistState]:
    """Somebody before the picker, in another tab. In the end nothing of theirs has changed."""
    await a_neighborhood()
    for quote in (fleet_quote(), business_quote()):
        await quotes.request(quote, address="198.51.100.1")
    state = await on_the_list(first_name="Grace", email="grace@example.com")
    rows, tab = await _rows(), _kept(state)
    yield state
    assert await _rows() == rows
    assert _kept(state) == tab


async def _rows() -> dict[str, list]:
    async with reading() as session:
        return {
            table.name: sorted(map(tuple, await session.execute(sa.select(table))))
            for table in metadata.sorted_tables
        }


def _kept(state: BaseState) -> str:
    """All that a tab holds, the private fields too."""
    root = state._get_root_state()
    private = {
        part.get_full_name(): part._backend_vars for part in [root, *root.substates.values()]
    }
    return json.dumps([root.dict(), private], default=repr, ensure_ascii=False)


def _payloads(door: Door, value: Any) -> Iterator[dict[str, Any]]:
    """The value itself, and a form that holds nothing else."""
    yield dict.fromkeys(door.arguments, value)
    forms = {name: hint for name, hint in door.arguments.items() if is_typeddict(hint)}
    if forms:
        filled = {name: dict.fromkeys(hint.__annotations__, value) for name, hint in forms.items()}
        yield dict.fromkeys(door.arguments, value) | filled


async def _fire(tab: rx.State, door: Door, payload: dict[str, Any]) -> list[Any]:
    state = await tab.get_state(door.state)
    event = door.handler.fn(state, **payload)
    if inspect.isasyncgen(event):
        async with aclosing(event):
            return await run(event)
    return await run(event)


@every_door
async def test_events_survive_any_arguments_of_strangers(door, victim):
    secrets = ("Grace", "grace@", victim._submission_id, victim.resume_key)
    for value in NASTY.values():
        for payload in _payloads(door, value):
            tab = tab_at("/?waitlist=true")
            told = repr(await _fire(tab, door, payload))
            kept = _kept(tab)
            assert len(kept) < KEPT_MAX
            assert not any(secret in told + kept for secret in secrets)


@every_door
@pytest.mark.usefixtures("password")
async def test_missing_and_unknown_arguments_are_refused(door):
    tab = await staff_tab()  # others are turned away from the staff's events before
    with pytest.raises(TypeError):
        await _fire(tab, door, dict.fromkeys(door.arguments, "") | {"_unknown": "x"})
    required = [
        parameter
        for parameter in list(inspect.signature(door.handler.fn).parameters.values())[1:]
        if parameter.default is parameter.empty
    ]
    if required:
        with pytest.raises(TypeError):
            await _fire(tab, door, {})


@pytest.mark.parametrize(
    "door",
    [door for door in DOORS if door.state in STAFF_STATES and door.arguments],
    ids=lambda door: door.handler.fn.__qualname__,
)
async def test_events_survive_any_arguments_of_staff(door, staff, victim):
    for value in NASTY.values():
        for payload in _payloads(door, value):
            await _fire(staff, door, payload)
    assert len(_kept(staff)) < KEPT_MAX


@pytest.mark.parametrize("doors", [DOORS, DOORS[::-1]], ids=["in order", "backwards"])
async def test_no_order_of_steps_changes_another_entry(doors, victim):
    tab = tab_at("/join-neighborhood/nonsense?ref=nonsense")
    for _ in range(2):
        for door in doors:
            for payload in _payloads(door, victim.neighborhoods[0].id):
                await _fire(tab, door, payload)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_no_field_has_a_setter(state):
    own = state.get_fields().keys() - rx.State.get_fields().keys()
    assert not {f"set_{field}" for field in own} & {*dir(state), *state.event_handlers}


def test_browser_storage_is_limited_to_known_keys():
    written = {
        f"{state.__name__}.{field}"
        for state in STATES
        for field in state.get_fields()
        if state._is_client_storage(field)
    }
    assert written == {"WaitlistState.resume_key", "ScheduleState.notes"}
