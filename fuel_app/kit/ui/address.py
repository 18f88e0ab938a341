"""The address of a list, as a mirror of its state."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.script import Script


class _AddressMirror(Script):
    tag = "AddressMirror"
    FILE = "address.js"
    address: rx.Var[str]
    replaces: rx.Var[bool]
    settled: rx.Var[bool]
    dialog: rx.Var[bool]
    on_leave: rx.EventHandler[rx.event.no_args_event_spec]

    def add_imports(self) -> rx.ImportDict:
        return {"react-router": "useLocation"}


def address_mirror(state: Any, *, dialog: Any = False, on_leave: Any = ()) -> rx.Component:
    """Write a list's address without a navigation.

    Args:
        dialog: Whether a dialog is open that the address does not name.
        on_leave: Closes that dialog; sent if the page is left while it is open.
    """
    return _AddressMirror.create(
        address=state.address,
        replaces=state.address_replaces,
        settled=rx.State.is_hydrated,
        dialog=dialog,
        on_leave=list(on_leave),
    )
