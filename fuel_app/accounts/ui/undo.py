"""The bar at the foot of a staff screen: what was done, with Undo beside it."""

import reflex as rx

from fuel_app.accounts.state.undo import SECONDS, UndoState
from fuel_app.kit.ui.toast import ToastClose, ToastProvider, ToastRoot, ToastTitle, ToastViewport

_CONTROL = (
    "inline-flex min-h-11 cursor-pointer items-center justify-center rounded-control px-3 "
    "font-semibold hover:bg-white/10 disabled:cursor-wait disabled:opacity-60"
)


def undo_bar() -> rx.Component:
    """Render the offers, once on a screen. They wait while the pointer or the focus is on it."""
    return ToastProvider.create(
        rx.cond(
            UndoState.is_offered & (UndoState.action_id != ""),
            ToastRoot.create(
                ToastTitle.create(UndoState.text, class_name="min-w-0 flex-1 py-2"),
                rx.el.button(
                    rx.cond(UndoState.busy, "Undoing...", "Undo"),
                    type="button",
                    on_click=UndoState.undo(UndoState.action_id),
                    disabled=UndoState.busy,
                    class_name=f"{_CONTROL} text-sun",
                ),
                ToastClose.create(
                    rx.icon("x", size=16, aria_hidden=True),
                    aria_label="Dismiss",
                    class_name=f"{_CONTROL} w-11",
                ),
                key=UndoState.action_id,
                duration=SECONDS * 1000,
                on_open_change=UndoState.expire(UndoState.action_id),
                class_name=(
                    "flex w-full max-w-md list-none items-center gap-1 rounded-card bg-ink py-1 "
                    "pl-4 pr-1 text-base font-medium text-white shadow-2xl "
                    "animate-[rise_180ms_ease-out]"
                ),
            ),
        ),
        ToastViewport.create(
            label="Undo ({hotkey})",
            class_name=(
                "fixed inset-x-4 bottom-20 max-sm:bottom-36 z-[35] flex flex-col items-center "
                "focus-visible:outline-none"
            ),
        ),
        label="Undo",
        swipe_direction="down",
    )
