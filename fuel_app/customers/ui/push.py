"""Notifications on this device: turned on and off in the browser itself, at a press."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.script import Script
from fuel_app.messages.rules.push import WORDS, script


class _PushSwitch(Script):
    tag = "PushSwitch"
    FILE = "push.js"
    address: rx.Var[str]
    worker: rx.Var[str]
    scope: rx.Var[str]
    words: rx.Var[dict[str, str]]
    button_class: rx.Var[str]
    on_change: rx.EventHandler[rx.event.no_args_event_spec]

    def add_custom_code(self) -> list[str]:
        return [script("push_device.js"), *super().add_custom_code()]


def push_switch(*, on_change: Any) -> rx.Component:
    """Render what this browser allows: a button, or why there is none.

    Args:
        on_change: Fired once the server has stored it.
    """
    return _PushSwitch.create(
        address=routes.PUSH_DEVICES,
        worker=routes.PUSH_WORKER,
        scope=routes.PUSH_SCOPE,
        words=WORDS,
        button_class=button_class("secondary", "mt-2"),
        on_change=on_change,
    )
