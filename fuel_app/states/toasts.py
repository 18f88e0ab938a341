"""Short messages that appear at the foot of the page and go away by themselves."""

import dataclasses
import time
import uuid
from typing import Literal

import reflex as rx

Kind = Literal["done", "problem"]
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
        self.toasts = [*self.toasts, shown][-MOST:]

    @rx.event
    def apologise(self):
        """Something failed that no handler expected."""
        self._show("Something went wrong on our side. Please try again.", "problem", seconds=6)

    @rx.event
    def drop_stale(self):
        """A page opens: what was on screen when the last one closed has had its time."""
        self.toasts = [toast for toast in self.toasts if toast.gone_at > time.time()]

    @rx.event
    def dismiss(self, toast_id: str):
        """A message has had its time or was closed."""
        self.toasts = [toast for toast in self.toasts if toast.id != toast_id]
