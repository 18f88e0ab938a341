"""Small things that pages are made of: card, badge, progress bar, alert."""

from typing import Any

import reflex as rx


def card(*children: Any, class_name: str = "", **props: Any) -> rx.Component:
    return rx.el.div(
        *children,
        class_name="min-w-0 rounded-card border border-line bg-surface p-5 shadow-soft sm:p-6 "
        + class_name,
        **props,
    )


_BADGE = "inline-flex shrink-0 whitespace-nowrap rounded-full px-2.5 py-0.5 text-sm font-semibold"


def badge(text: Any, color: Any = "grey") -> rx.Component:
    """A short label; `color` is green, yellow or grey (a Var works too)."""
    return rx.el.span(
        text,
        class_name=rx.match(
            color,
            ("green", f"{_BADGE} bg-[#DDF3E4] text-[#0F5132]"),
            ("yellow", f"{_BADGE} bg-[#FFF0CC] text-[#6B4700]"),
            f"{_BADGE} bg-[#E8EEF0] text-[#3B525C]",
        ),
    )


def email_text(address: Any, class_name: str = "") -> rx.Component:
    """Show an e-mail address (a Var works too) that breaks before its @ where it is too long."""
    parts = rx.Var.create(address).to(str).split("@")
    return rx.el.span(
        rx.foreach(
            parts,
            lambda part, place: rx.fragment(
                rx.cond(place > 0, rx.fragment(rx.el.wbr(), "@")), part
            ),
        ),
        class_name=f"min-w-0 wrap-anywhere {class_name}",
    )


def progress_bar(value: Any, goal: Any, label: Any, color: Any) -> rx.Component:
    """The browser's own progress element, which needs no inline style to have a width."""
    return rx.el.progress(
        value=value,
        max=goal,
        aria_label=label,
        class_name=rx.match(
            color,
            ("green", "meter meter-green"),
            ("yellow", "meter meter-yellow"),
            ("gulf", "meter"),
            "meter meter-grey",
        ),
    )


def alert(text: Any) -> rx.Component:
    """The error of a whole form; announced at once, takes no room while empty."""
    return rx.el.div(
        rx.cond(
            text != "",
            rx.el.p(
                rx.icon("circle-alert", size=20, aria_hidden=True, class_name="mt-0.5 shrink-0"),
                rx.el.span(text),
                class_name="mb-4 flex gap-2 rounded-control border border-danger/30 bg-[#FEF1EF] "
                "p-3 text-base font-medium text-danger",
            ),
        ),
        role="alert",
    )


def arriving(text: Any, width: str) -> rx.Component:
    """A text, or the room that it will take."""
    skeleton = f"skeleton inline-block h-[0.8em] rounded align-middle {width}"
    return rx.cond(text != "", text, rx.el.span(aria_hidden=True, class_name=skeleton))


H2 = "text-lg font-bold text-ink"
TEXT = "text-base text-muted"
GAP = "mt-4 sm:mt-6"  # between the cards of a screen


def panel(
    title: Any, *children: Any, lead: Any = None, action: rx.Component | None = None
) -> rx.Component:
    """A section of a screen; `lead` is a line below its heading, `action` stands beside it."""
    return rx.el.section(
        card(
            rx.el.div(
                rx.el.div(
                    rx.el.h2(title, class_name=H2),
                    rx.el.p(lead, class_name=f"mt-0.5 {TEXT}")
                    if lead is not None
                    else rx.fragment(),
                    # A lead wants a line of its own width; a heading alone leaves room beside it.
                    class_name="min-w-0" if lead is None else "min-w-0 flex-1 basis-60",
                ),
                action or rx.fragment(),
                class_name="flex flex-wrap items-start justify-between gap-x-3 gap-y-2",
            ),
            *children,
        )
    )


def preview_label(class_name: str = "") -> rx.Component:
    return rx.el.p(
        "Preview with sample data",
        class_name="inline-flex shrink-0 rounded-full bg-[#FFF0CC] px-2.5 py-0.5 text-sm "
        f"font-semibold text-[#6B4700] {class_name}",
    )
