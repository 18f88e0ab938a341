"""The modal dialog: traps focus, closes on Escape and outside, gives focus back."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.script import Script

_parts = rx.radix.primitives.dialog

# The library's own overlay is left out: it writes a style element, which our content policy
# forbids. The page behind is dimmed here and kept from scrolling in styles.css.
DIM = "fixed inset-0 z-40 bg-ink/50 animate-[fade_180ms_ease-out]"
_PANEL = (
    "fixed inset-x-0 bottom-0 z-50 flex max-h-[94dvh] flex-col overflow-hidden rounded-t-2xl "
    "bg-surface shadow-2xl animate-[rise_180ms_ease-out] focus:outline-none "
    "sm:inset-x-auto sm:bottom-auto sm:left-1/2 sm:top-1/2 sm:w-full sm:-translate-x-1/2 "
    "sm:-translate-y-1/2 sm:rounded-2xl "
)


class _FocusReturn(Script):
    tag = "FocusReturn"
    FILE = "dialog.js"
    open: rx.Var[bool]
    on_leave: rx.EventHandler[rx.event.no_args_event_spec]


def dialog(
    *children: Any,
    title: Any,
    open: rx.Var[bool] | None = None,
    on_open_change: Any = None,
    trigger: rx.Component | None = None,
    description: Any = "",
    footer: rx.Component | None = None,
    width: Any = "sm:max-w-lg",
    closes_when_left: bool = True,
) -> rx.Component:
    """Render a dialog in the middle of the page; on a phone a sheet at its foot.

    Args:
        open: None for a dialog that its trigger alone opens.
        on_open_change: Takes the new state when a person closes it.
        description: A line below the title that a reader announces on opening.
        footer: Buttons that stay in sight while a long content scrolls.
        closes_when_left: Whether leaving the page closes it, so that it is not open on return.
    """
    control = {} if open is None else {"open": open, "on_open_change": on_open_change}
    root = _parts.root(
        _parts.trigger(trigger, as_child=True) if trigger is not None else rx.fragment(),
        _parts.portal(
            rx.el.div(class_name=DIM, aria_hidden=True),
            _parts.content(
                rx.el.div(
                    _parts.title(
                        title,
                        class_name="text-balance pr-11 text-xl font-bold text-ink sm:text-2xl",
                    ),
                    _parts.description(
                        description, class_name="mt-1 text-pretty text-base text-muted empty:hidden"
                    ),
                    class_name="px-5 pb-2 pt-5 sm:px-6 sm:pt-6",
                ),
                rx.el.div(
                    *children,
                    # Hidden inputs are absolute: outside, focus would scroll the panel instead.
                    class_name="relative overflow-y-auto overscroll-contain px-5 pb-6 pt-2 sm:px-6",
                ),
                rx.el.div(footer, class_name="border-t border-line px-5 py-4 sm:px-6")
                if footer is not None
                else rx.fragment(),
                # Last, so that focus starts in the content and not on the way out.
                dismissing(
                    rx.el.button(
                        rx.icon("x", size=20, aria_hidden=True),
                        type="button",
                        aria_label="Close",
                        class_name="absolute right-3 top-3 inline-flex h-11 w-11 cursor-pointer "
                        "items-center justify-center rounded-control text-muted "
                        "hover:bg-seafoam hover:text-gulf-deep",
                    )
                ),
                # The library hides what is there as it opens; this hides what comes later, too.
                custom_attrs={"aria-modal": "true"},
                class_name=f"{_PANEL} {width}",
            ),
        ),
        **control,
    )
    if open is None:
        return root
    left = {"on_leave": on_open_change(False)} if closes_when_left else {}
    return rx.fragment(_FocusReturn.create(open=open, **left), root)


def dismissing(control: rx.Component) -> rx.Component:
    """Let a button or link close the dialog that it stands in, too."""
    return _parts.close(control, as_child=True)
