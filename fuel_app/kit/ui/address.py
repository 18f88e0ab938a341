"""The address of a screen: read before anything is shown, then a mirror of the screen's state."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.script import Script


class _Address(Script):
    FILE = "address.js"
    arrival: rx.Var[str]
    settled: rx.Var[bool]

    def add_imports(self) -> rx.ImportDict:
        return {"react-router": "useLocation"}


class Moves(Script):
    """Note that the document has left its first address: once, in the frame of every page."""

    tag = "Moves"
    FILE = "address.js"

    def add_imports(self) -> rx.ImportDict:
        return {"react-router": "useLocation"}


class _Arrived(_Address):
    tag = "Arrived"


class _AddressMirror(_Address):
    tag = "AddressMirror"
    address: rx.Var[str]
    replaces: rx.Var[bool]


def address_mirror(state: Any) -> rx.Component:
    """Write a list's address without a navigation, once the list has read it."""
    return _AddressMirror.create(
        address=state.address,
        replaces=state.address_replaces,
        arrival=state.arrival,
        settled=rx.State.is_hydrated,
    )


def once_arrived(state: Any, shown: Any, *, until: Any) -> rx.Component:
    """Show a component once its state has answered the address; another one until then.

    It stands outside of all conditions, so that it is there as the address changes.

    Args:
        state: An `Arriving`.
    """
    return _Arrived.create(until, shown, arrival=state.arrival, settled=rx.State.is_hydrated)
