"""Sharing a link: the phone's own share sheet where there is one, else the clipboard."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import email_text
from fuel_app.kit.ui.script import Script
from fuel_app.settings import settings


def site_address(tab: rx.State) -> str:
    """Return the site's address as it is set, else as the tab has reached it."""
    return settings.site_url or tab.router.url.origin


class _ShareButton(Script):
    """A button that shares `text` and `url`, or copies them.

    `on_outcome` takes 'shared', 'copied', 'cancelled' or 'failed'.
    """

    tag = "ShareButton"
    FILE = "share.js"
    text: rx.Var[str]
    url: rx.Var[str]
    on_outcome: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class _CopyButton(Script):
    """A button that copies `text`; `label` is its name."""

    tag = "CopyButton"
    FILE = "share.js"
    text: rx.Var[str]
    label: rx.Var[str]


share_button, copy_button = _ShareButton.create, _CopyButton.create


def copyable_email(address: Any, class_name: str = "") -> rx.Component:
    """An e-mail address with a button that copies it."""
    return rx.el.span(
        email_text(address, class_name),
        copy_button(
            rx.icon("copy", size=16, aria_hidden=True),
            text=address,
            label=f"Copy {address}",
            class_name="inline-flex min-h-11 min-w-11 shrink-0 cursor-pointer items-center "
            "justify-center rounded-control px-1 text-xs font-semibold text-muted "
            "hover:bg-seafoam hover:text-gulf-deep lg:min-h-9 lg:min-w-9",
        ),
        class_name="flex min-w-0 items-center gap-1",
    )
