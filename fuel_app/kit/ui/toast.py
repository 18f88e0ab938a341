"""Short messages that appear at the foot of the page and go away by themselves."""

import dataclasses
import time
import uuid
from collections.abc import Awaitable
from typing import Literal

import reflex as rx

from fuel_app.kit.errors import problem_of

Kind = Literal["done", "note", "problem"]
MOST = 3  # on screen at once; an older one makes room


@dataclasses.dataclass(frozen=True)
class Toast:
    id: str
    text: str
    kind: str
    milliseconds: int
    gone_at: float  # seconds since the epoch


class ToastState(rx.State):
    """The messages of one tab."""

    toasts: list[Toast] = []

    def _show(self, text: str, kind: Kind = "done", seconds: float = 3) -> None:
        shown = Toast(uuid.uuid4().hex, text, kind, int(seconds * 1000), time.time() + seconds)
        others = [toast for toast in self.toasts if (toast.text, toast.kind) != (text, kind)]
        self.toasts = [*others, shown][-MOST:]

    @rx.event
    def apologise(self):
        """Say that something failed that no handler expected."""
        self._show("Something went wrong on our side. Please try again.", "problem", seconds=6)

    @rx.event
    def drop_stale(self):
        """Drop the messages whose time is over, when a page opens."""
        self.toasts = [toast for toast in self.toasts if toast.gone_at > time.time()]

    @rx.event
    def dismiss(self, toast_id: str):
        """Remove a message whose time is over, or that was closed."""
        self.toasts = [toast for toast in self.toasts if toast.id != toast_id]


async def report(tab: rx.State, change: Awaitable[object], event: str, done: str) -> bool:
    """Await a change that no form stands around, and say what has come of it.

    Args:
        event: The log's name of an unexpected failure.
        done: What is said once it is done.

    Returns:
        Whether it is done.
    """
    problem = await problem_of(change, event)
    toasts = await tab.get_state(ToastState)
    if problem:
        toasts._show(problem, "problem", seconds=6)
    else:
        toasts._show(done)
    return not problem


class _Toast(rx.Component):
    library = "@radix-ui/react-toast@1.3.1"


class ToastProvider(_Toast):
    tag = "Provider"
    alias = "ToastProvider"
    label: rx.Var[str]
    swipe_direction: rx.Var[str]


class ToastRoot(_Toast):
    tag = "Root"
    alias = "ToastRoot"
    duration: rx.Var[int]
    on_open_change: rx.EventHandler[rx.event.no_args_event_spec]


class ToastTitle(_Toast):
    tag = "Title"
    alias = "ToastTitle"


class ToastClose(_Toast):
    tag = "Close"
    alias = "ToastClose"


class ToastViewport(_Toast):
    tag = "Viewport"
    alias = "ToastViewport"
    label: rx.Var[str]


def toasts() -> rx.Component:
    """Render every message of this tab; once per page, in the app's frame."""
    return ToastProvider.create(
        rx.foreach(ToastState.toasts, _toast),
        ToastViewport.create(
            label="Notifications ({hotkey})",
            class_name=(
                # At a phone's foot they would stand on the buttons of a sheet; elsewhere they stand
                # above a bar that is there.
                "fixed inset-x-4 top-2 z-[60] flex flex-col items-center gap-2 sm:bottom-4 "
                "sm:top-auto sm:[body:has(.bar-at-the-foot)_&]:bottom-44 "
                "focus-visible:outline-none"
            ),
        ),
        label="Notification",
        swipe_direction="right",
    )


def _toast(toast: rx.Var[Toast]) -> rx.Component:
    return ToastRoot.create(
        rx.match(
            toast.kind,
            (
                "done",
                rx.icon(
                    "circle-check", size=20, aria_hidden=True, class_name="shrink-0 text-[#7FE0B0]"
                ),
            ),
            ("note", rx.icon("info", size=20, aria_hidden=True, class_name="shrink-0")),
            rx.icon("circle-alert", size=20, aria_hidden=True, class_name="shrink-0 text-sun"),
        ),
        ToastTitle.create(toast.text, class_name="flex-1"),
        ToastClose.create(
            rx.icon("x", size=16, aria_hidden=True),
            aria_label="Dismiss",
            class_name="-my-2 -mr-2 inline-flex h-11 w-11 cursor-pointer items-center "
            "justify-center rounded-control hover:bg-white/10",
        ),
        key=toast.id,
        duration=toast.milliseconds,
        on_open_change=ToastState.dismiss(toast.id),
        class_name="flex w-full max-w-md list-none items-center gap-3 rounded-card bg-ink px-4 "
        "py-3 max-sm:gap-2 max-sm:px-3 max-sm:text-sm sm:text-base font-medium "
        "text-white shadow-2xl animate-[rise_180ms_ease-out]",
    )
