"""A file to choose or to drop, sent by plain HTTP: an event holds no megabytes."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.script import Script


class _Upload(Script):
    tag = "Upload"
    FILE = "upload.js"

    address: rx.Var[str]
    accept: rx.Var[str]
    suffix: rx.Var[str]
    wrong_kind: rx.Var[str]
    most: rx.Var[int]
    too_large: rx.Var[str]
    failed: rx.Var[str]
    expired: rx.Var[str]
    label: rx.Var[str]
    hint: rx.Var[str]
    label_class: rx.Var[str]
    quiet_class: rx.Var[str]
    on_done: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_lost: rx.EventHandler[rx.event.no_args_event_spec]


def upload(
    label: Any,
    *,
    id: str,
    kind: str = "primary",
    suffix: str = "",
    wrong_kind: str = "",
    expired: str = "",
    **more: Any,
) -> rx.Component:
    """Render a button, or a place to drop a file, with progress and errors beside it.

    Args:
        suffix: The end of the names that are taken, such as '.csv'; others get `wrong_kind`.
        more: `address` takes the file as a POST's body; `accept`, `most` (bytes), `too_large`,
            `failed`, `hint`; the events `on_done`, with the text of the answer, and `on_lost`,
            where there was none or the session has ended.
    """
    focus = (
        "peer-focus-visible:outline-3 peer-focus-visible:outline-offset-2 "
        "peer-focus-visible:outline-gulf"
    )
    return _Upload.create(
        id=id,
        label=label,
        suffix=suffix,
        wrong_kind=wrong_kind,
        expired=expired,
        label_class=button_class(kind, focus),
        quiet_class=button_class("quiet", "mt-2"),
        **more,
    )
