"""Tabs by the ARIA pattern: arrows move, Home and End jump, one panel shows."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

_IN_A_ROW = 4  # on a phone; more of them wrap


class _Tabs(rx.Component):
    library = "@radix-ui/react-tabs@1.2.1"


class _Root(_Tabs):
    tag = "Root"
    alias = "TabsRoot"
    value: rx.Var[str]
    on_value_change: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class _List(_Tabs):
    tag = "List"
    alias = "TabsList"


class _Trigger(_Tabs):
    tag = "Trigger"
    alias = "TabsTrigger"
    value: rx.Var[str]
    disabled: rx.Var[bool]


class _Panel(_Tabs):
    tag = "Content"
    alias = "TabsPanel"
    value: rx.Var[str]
    force_mount: rx.Var[bool]


def tabs(
    entries: Sequence[tuple[str, str, rx.Component]],
    *,
    value: rx.Var[str],
    on_change: Any,
    label: str,
    shown: Any = None,
) -> rx.Component:
    """Render tabs for `entries` of (value, title, panel).

    Panels that are not shown stay in the page, so that what was typed in them stays too.

    Args:
        shown: Called with a tab's value: whether a person may see it. By default all are shown.
    """
    grow = "flex-1" if len(entries) <= _IN_A_ROW else "max-sm:grow"
    return _Root.create(
        _List.create(
            *[
                _only(
                    shown,
                    key,
                    title,
                    class_name=f"-mb-px min-h-11 {grow} cursor-pointer border-b-2 "
                    "border-transparent px-1.5 text-sm font-semibold text-muted sm:px-2 "
                    "hover:text-gulf-deep data-[state=active]:border-gulf "
                    "data-[state=active]:text-gulf-deep",
                )
                for key, title, _ in entries
            ],
            aria_label=label,
            class_name="flex flex-wrap border-b border-line sm:gap-x-2",
        ),
        *[
            _Panel.create(
                panel, value=key, force_mount=True, class_name="pt-4 data-[state=inactive]:hidden"
            )
            for key, _, panel in entries
        ],
        value=value,
        on_value_change=on_change,
    )


def _only(shown: Any, key: str, title: str, class_name: str) -> rx.Component:
    trigger = _Trigger.create(title, value=key, class_name=class_name)
    return rx.cond(shown(key), trigger) if shown else trigger
