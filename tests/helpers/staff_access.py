"""Every state and HTTP route for staff, discovered from the code."""

import importlib
import pkgutil
from collections.abc import Iterator

import reflex as rx
from reflex.state import BaseState
from starlette.routing import Route

import fuel_app
from fuel_app.accounts.http import GUARDED_ENDPOINTS
from fuel_app.accounts.state.session import SessionState, StaffScreen
from fuel_app.fuel_app import http_routes
from fuel_app.server import pages

for module in pkgutil.walk_packages(fuel_app.__path__, "fuel_app."):
    if "state" in module.name.split("."):
        importlib.import_module(module.name)

FOR_STAFF = tuple(f"fuel_app.{noun}." for noun in ("submissions", "neighborhoods", "office"))


def _below(state: type[BaseState]) -> Iterator[type[BaseState]]:
    for child in state.get_substates():
        yield child
        yield from _below(child)


STATES = sorted(
    (state for state in _below(rx.State) if state.__module__.startswith("fuel_app.")),
    key=lambda state: state.get_full_name(),
)
STAFF_STATES = [
    state
    for state in STATES
    if state.__module__.startswith(FOR_STAFF) or issubclass(state, StaffScreen | SessionState)
]
# Monitoring cannot sign in and sends a token of the settings.
ALSO_BY_TOKEN = {"/metrics"}


def addresses() -> list[Route]:
    """Return the HTTP routes that are no pages."""
    shell = pages.Page.of("<html><head></head><body></body></html>")
    return http_routes(pages.Site(shell=shell))


def guarded_addresses() -> list[Route]:
    return [
        route
        for route in addresses()
        if route.endpoint in GUARDED_ENDPOINTS or route.path in ALSO_BY_TOKEN
    ]
