"""Buttons, links that look like buttons, and sharing a link."""

from typing import Any, Literal

import reflex as rx

from fuel_app.kit.ui.cards import email_link
from fuel_app.kit.ui.script import Script
from fuel_app.settings import settings

Kind = Literal["primary", "secondary", "quiet", "danger"]

_SHAPE = (
    "inline-flex min-h-11 items-center justify-center gap-2 rounded-control border px-5 py-[9px] "
    "text-base font-semibold transition-colors duration-150 ease-out cursor-pointer "
    "disabled:cursor-not-allowed disabled:opacity-60"
)
_KINDS: dict[Kind, str] = {
    "primary": "border-transparent bg-gulf text-white hover:bg-gulf-deep",
    "secondary": "border-line bg-surface text-ink hover:border-gulf hover:text-gulf-deep",
    "quiet": "border-transparent text-gulf-deep hover:bg-seafoam",
    "danger": "border-transparent bg-danger text-white hover:bg-danger/90",
}


def button_class(kind: Kind = "primary", extra: str = "") -> str:
    return f"{_SHAPE} {_KINDS[kind]} {extra}".strip()


def button(
    *children: Any,
    kind: Kind | rx.Var[bool] = "primary",
    class_name: str = "",
    **props: Any,
) -> rx.Component:
    """Render a button; `type` is 'button' by default, so that none submits by accident.

    Args:
        kind: Or whether it is the primary one now, else secondary.
    """
    looks = (
        button_class(kind, class_name)
        if isinstance(kind, str)
        else rx.cond(
            kind, button_class("primary", class_name), button_class("secondary", class_name)
        )
    )
    return rx.el.button(*children, type=props.pop("type", "button"), class_name=looks, **props)


def line_button(text: Any, of: Any, *, class_name: str = "", **props: Any) -> rx.Component:
    """Render a quiet button in a line of a list; a screen reader reads `of`, the line's name."""
    return button(
        text,
        rx.el.span(of, class_name="sr-only"),
        kind="quiet",
        class_name=f"px-3 {class_name}".strip(),
        **props,
    )


class _KeptFocus(Script):
    tag = "KeptFocus"
    FILE = "button.js"
    busy: rx.Var[bool]


def busy_button(text: Any, *, busy: rx.Var[bool], busy_text: Any, **props: Any) -> rx.Component:
    """Return a button that says so while it is busy, and cannot be pressed again."""
    return button(
        rx.cond(busy, busy_text, text),
        _KeptFocus.create(busy=busy),
        **{"disabled": busy, "aria_busy": busy} | props,
    )


def submit_button(text: Any, *, busy: rx.Var[bool], busy_text: str, **props: Any) -> rx.Component:
    """Return a form's own button."""
    return busy_button(text, busy=busy, busy_text=busy_text, type="submit", **props)


def link_button(
    *children: Any, href: str, kind: Kind = "primary", class_name: str = ""
) -> rx.Component:
    return rx.el.a(*children, href=href, class_name=button_class(kind, class_name))


def download_link(
    text: str, href: Any, *, kind: Kind = "secondary", class_name: str = "", **props: Any
) -> rx.Component:
    return rx.el.A.create(
        rx.icon("download", size=18, aria_hidden=True),
        text,
        href=href,
        download=True,
        class_name=button_class(kind, class_name),
        **props,
    )


_SQUARE = (
    "inline-flex h-11 w-11 items-center justify-center rounded-control text-muted "
    "hover:bg-seafoam hover:text-gulf-deep cursor-pointer"
)


def icon_button(icon: str, label: str, *, class_name: str = _SQUARE, **props: Any) -> rx.Component:
    """Render a square button with a picture for a face; `label` is what it is called."""
    return rx.el.button(
        rx.icon(icon, size=20, aria_hidden=True),
        type="button",
        aria_label=label,
        title=label,
        class_name=class_name,
        **props,
    )


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
    """Render an e-mail address, to write to, with a button that copies it."""
    return rx.el.span(
        email_link(address, class_name),
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
