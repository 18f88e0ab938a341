"""How toasts look. They wait while the pointer or focus is on them; F8 leads to them."""

import reflex as rx

from fuel_app.states.toasts import Toast, ToastState


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
    """Every message of this tab; once per page, in the app's frame."""
    return ToastProvider.create(
        rx.foreach(ToastState.toasts, _toast),
        ToastViewport.create(
            label="Notifications ({hotkey})",
            class_name=(
                # At a phone's foot they would stand on the buttons of a sheet.
                "fixed inset-x-4 top-2 z-[60] flex flex-col items-center gap-2 sm:bottom-4 "
                "sm:top-auto focus-visible:outline-none"
            ),
        ),
        label="Notification",
        swipe_direction="right",
    )


def _toast(toast: rx.Var[Toast]) -> rx.Component:
    return ToastRoot.create(
        rx.cond(
            toast.kind == "done",
            rx.icon(
                "circle-check", size=20, aria_hidden=True, class_name="shrink-0 text-[#7FE0B0]"
            ),
            rx.icon("circle-alert", size=20, aria_hidden=True, class_name="shrink-0 text-sun"),
        ),
        ToastTitle.create(toast.text, class_name="flex-1"),
        ToastClose.create(
            rx.icon("x", size=16, aria_hidden=True),
            aria_label="Dismiss",
            class_name=(
                "-my-2 -mr-2 inline-flex h-11 w-11 cursor-pointer items-center justify-center "
                "rounded-control hover:bg-white/10"
            ),
        ),
        key=toast.id,
        duration=toast.milliseconds,
        on_open_change=ToastState.dismiss(toast.id),
        class_name=(
            "flex w-full max-w-md list-none items-center gap-3 rounded-card bg-ink px-4 py-3 "
            "text-base font-medium text-white shadow-2xl animate-[rise_180ms_ease-out]"
        ),
    )
