"""Sharing a link: the phone's own share sheet where there is one, else the clipboard."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.script import Script
from fuel_app.settings import settings


def site_address(tab: rx.State) -> str:
    """Return the site's address as it is set, else as the tab has reached it."""
    return settings.site_url or tab.router.url.origin


class _ShareButton(Script):
    tag = "ShareButton"
    FILE = "share.js"
    text: rx.Var[str]
    url: rx.Var[str]
    copy_only: rx.Var[bool]
    on_outcome: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class _CopyButton(Script):
    tag = "CopyButton"
    FILE = "share.js"
    text: rx.Var[str]
    label: rx.Var[str]


def share_button(*children: Any, **props: Any) -> rx.Component:
    """A button that shares `text` and `url`; with `copy_only` it copies the link alone.

    `on_outcome` takes 'shared', 'copied', 'cancelled' or 'failed'.
    """
    return _ShareButton.create(*children, **props)


def copy_button(*children: Any, **props: Any) -> rx.Component:
    """A button that copies `text`; `label` is its name."""
    return _CopyButton.create(*children, **props)
