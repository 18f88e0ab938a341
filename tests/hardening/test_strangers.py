"""Any visitor can fire any event, with any arguments, at any moment.

Events are discovered, so that a new one is tried here from its first day.
"""

import inspect
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple, get_type_hints, is_typeddict

import pytest
import reflex as rx
from reflex.state import BaseState
from reflex_base.event import EventHandler

from fuel_app.areas import providers as places
from fuel_app.joining.state import WaitlistState
from fuel_app.quotes import service as quotes
from tests.factories import business_quote, fleet_quote
from tests.hardening.firing import fire, stored_rows
from tests.hardening.nasty import NASTY
from tests.helpers.screens import staff_tab
from tests.helpers.staff_access import STAFF_STATES, STATES
from tests.helpers.tabs import tab_at
from tests.helpers.visitors import a_neighborhood, on_the_list

pytestmark = pytest.mark.usefixtures("sqlite_database")

KEPT_MAX = 250_000  # characters of one tab: what a browser sends stays in memory for an hour


class Event(NamedTuple):
    """One event of one state."""

    state: type[BaseState]
    handler: EventHandler

    @property
    def arguments(self) -> dict[str, Any]:
        """Its arguments with their types."""
        hints = get_type_hints(self.handler.fn)
        names = list(inspect.signature(self.handler.fn).parameters)[1:]
        return {name: hints.get(name) for name in names}


def _events(state: type[BaseState]) -> list[Event]:
    # `setvar` is the framework's; `test_no_field_has_a_setter` covers it.
    return [Event(state, event) for name, event in state.event_handlers.items() if name != "setvar"]


EVENTS = [event for state in STATES for event in _events(state)]
every_state = pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)


@pytest.fixture(autouse=True)
def _no_gazetteer(monkeypatch) -> None:
    provider = places.OfflinePlaces(read=list)
    monkeypatch.setattr("fuel_app.areas.service.places.places", lambda: provider)


@pytest.fixture
async def staff(password) -> rx.State:
    return await staff_tab()


@pytest.fixture
async def victim() -> AsyncIterator[WaitlistState]:
    """Another visitor at the picker. Assert in the end that nothing of theirs has changed."""
    await a_neighborhood()
    for quote in (fleet_quote(), business_quote()):
        await quotes.request(quote, address="198.51.100.1")
    state = await on_the_list(first_name="Grace", email="grace@example.com")
    rows, tab = await stored_rows(), _kept(state)
    yield state
    assert await stored_rows() == rows
    assert _kept(state) == tab


def _kept(state: BaseState) -> str:
    """Return all that a tab holds, private fields included."""
    root = state._get_root_state()
    private = {
        part.get_full_name(): part._backend_vars for part in [root, *root.substates.values()]
    }
    return _written([root.dict(), private])


def _kept_of_its_own(state: BaseState) -> str:
    """Return what one state of a tab holds."""
    return _written([state.dict(include_computed=False), state._backend_vars])


def _written(held: Any) -> str:
    return json.dumps(held, default=repr, ensure_ascii=False)


def _payloads(event: Event, value: Any) -> Iterator[dict[str, Any]]:
    """Yield the value as each argument, and inside of each form."""
    yield dict.fromkeys(event.arguments, value)
    forms = {name: hint for name, hint in event.arguments.items() if is_typeddict(hint)}
    if forms:
        filled = {name: dict.fromkeys(hint.__annotations__, value) for name, hint in forms.items()}
        yield dict.fromkeys(event.arguments, value) | filled


def _nasty_payloads(event: Event) -> Iterator[dict[str, Any]]:
    for value in NASTY.values() if event.arguments else [None]:
        yield from _payloads(event, value)


@every_state
async def test_events_survive_any_arguments_of_strangers(state, victim):
    secrets = ("Grace", "grace@", victim._submission_id, victim.resume_key)
    for event in _events(state):
        tab = tab_at("/?waitlist=true")
        for payload in _nasty_payloads(event):
            answer = await fire(tab, event.state, event.handler, payload)
            own = _kept_of_its_own(await tab.get_state(state))
            assert len(own) < KEPT_MAX
            assert not any(secret in answer + own for secret in secrets)
        kept = _kept(tab)
        assert len(kept) < KEPT_MAX
        assert not any(secret in kept for secret in secrets)


@every_state
async def test_missing_and_unknown_arguments_are_refused(state):
    tab = await tab_at().get_state(state)
    for event in _events(state):
        handler = inspect.unwrap(event.handler.fn)  # visitors are refused before
        with pytest.raises(TypeError):
            handler(tab, **dict.fromkeys(event.arguments, "") | {"_unknown": "x"})
        parameters = list(inspect.signature(handler).parameters.values())[1:]
        if any(each.default is each.empty for each in parameters):
            with pytest.raises(TypeError):
                handler(tab)


@pytest.mark.parametrize("state", STAFF_STATES, ids=lambda state: state.__name__)
async def test_events_survive_any_arguments_of_staff(state, staff, victim):
    for event in (event for event in _events(state) if event.arguments):
        for payload in _nasty_payloads(event):
            await fire(staff, event.state, event.handler, payload)
        assert len(_kept(staff)) < KEPT_MAX


@pytest.mark.parametrize("events", [EVENTS, EVENTS[::-1]], ids=["in order", "backwards"])
async def test_no_order_of_steps_changes_another_entry(events, victim):
    tab = tab_at("/join-neighborhood/nonsense?ref=nonsense")
    for event in events * 2:
        for payload in _payloads(event, victim.neighborhoods[0].id):
            await fire(tab, event.state, event.handler, payload)


@every_state
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
    assert written == {"WaitlistState.resume_key", "LocationNotesState.notes"}
