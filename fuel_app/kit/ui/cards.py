"""Small things that pages are made of: card, badge, progress bar, alert, questions, bars."""

import dataclasses
from collections.abc import Iterable, Sequence
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
    """Render a short label; `color` is green, yellow, red or grey (a Var works too)."""
    return rx.el.span(
        text,
        class_name=rx.match(
            color,
            ("green", f"{_BADGE} bg-[#DDF3E4] text-[#0F5132]"),
            ("yellow", f"{_BADGE} bg-[#FFF0CC] text-[#6B4700]"),
            ("red", f"{_BADGE} bg-[#FDE7E4] text-[#8F1B12]"),
            f"{_BADGE} bg-[#E8EEF0] text-[#3B525C]",
        ),
    )


def email_text(address: Any, class_name: str = "") -> rx.Component:
    """Show an e-mail address (a Var works too) that breaks before its @ where it is too long."""
    parts = rx.Var.create(address).to(str).split("@")
    display = "" if "block" in class_name.split() else "inline-block"  # whole on a line of its own
    return rx.el.span(
        rx.foreach(
            parts,
            lambda part, place: rx.fragment(
                rx.cond(place > 0, rx.fragment(rx.el.wbr(), "@")), part
            ),
        ),
        class_name=f"min-w-0 max-w-full wrap-anywhere {display} {class_name}",
    )


def email_link(address: Any, class_name: str = "") -> rx.Component:
    return rx.el.A.create(
        email_text(address, class_name),
        href=rx.Var.create("mailto:") + address,
        class_name=_CONTACT,
    )


def phone_link(text: Any, dialed: Any) -> rx.Component:
    """Render a phone number, `dialed` as `contact.dialed` says."""
    return rx.el.A.create(
        text, href=rx.Var.create("tel:") + dialed, class_name=f"{_CONTACT} whitespace-nowrap"
    )


_CONTACT = "link inline-flex min-h-11 min-w-0 items-center lg:min-h-9"


def progress_bar(value: Any, goal: Any, label: Any, color: Any) -> rx.Component:
    """Render the browser's own progress element, which needs no inline style for its width."""
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
    """Render the error of a whole form: announced at once, no room taken while empty."""
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
    """Render a text, or a skeleton of its width until it is there."""
    skeleton = f"skeleton inline-block h-[0.8em] rounded align-middle {width}"
    return rx.cond(text != "", text, rx.el.span(aria_hidden=True, class_name=skeleton))


H2 = "text-lg font-bold text-ink"
TEXT = "text-base text-muted"
GAP = "mt-4 sm:mt-6"  # between the cards of a screen


def panel(
    title: Any, *children: Any, lead: Any = None, action: rx.Component | None = None
) -> rx.Component:
    """Render a section; `lead` is a line below its heading, `action` stands beside it."""
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


def questions(entries: Sequence[tuple[str, str]]) -> rx.Component:
    """Render (question, answer) pairs in the browser's own details elements."""
    return rx.el.div(
        *[
            rx.el.details(
                rx.el.summary(
                    rx.el.h3(question, class_name="text-lg font-semibold text-ink"),
                    rx.icon(
                        "chevron-down",
                        size=20,
                        aria_hidden=True,
                        class_name="shrink-0 text-gulf-deep transition-transform duration-150 "
                        "group-open:rotate-180",
                    ),
                    class_name="flex min-h-14 cursor-pointer list-none items-center "
                    "justify-between gap-4 py-3 [&::-webkit-details-marker]:hidden",
                ),
                rx.el.p(answer, class_name="max-w-[68ch] pb-5 pr-8 text-base text-muted"),
                class_name="group",
            )
            for question, answer in entries
        ],
        class_name="divide-y divide-line border-y border-line",
    )


_TALLEST = 85  # per cent of the chart; above a bar stands its number


@dataclasses.dataclass(frozen=True)
class Bar:
    """One bar; `top` is where it begins, from above."""

    label: str
    value: str
    top: str


def bars(values: Iterable[tuple[str, float, str]]) -> list[Bar]:
    """Return bars for (label, value, text), as high as their share of the largest value."""
    every = list(values)
    largest = max((value for _, value, _ in every), default=0) or 1
    return [
        Bar(label, text, f"{100 - _TALLEST * value / largest:.1f}%") for label, value, text in every
    ]


def bar_chart(
    title: str, bars: rx.Var[list[Bar]], *, unit: str, heading: Any = rx.el.h2, class_name: str = ""
) -> rx.Component:
    """Render a bar chart; sizes are in per cent, so that texts keep their size."""
    return card(
        heading(title, class_name=H2),
        rx.el.ol(
            rx.foreach(bars, lambda bar: _bar(bar, unit)),
            class_name=f"mt-4 flex min-h-44 items-end gap-2 sm:gap-4 {class_name}",
        ),
    )


def _bar(bar: rx.Var[Bar], unit: str) -> rx.Component:
    return rx.el.li(
        rx.el.span(f"{bar.label}: {bar.value} {unit}", class_name="sr-only"),
        rx.el.svg(
            rx.el.svg(
                # Longer than there is room for: only the upper corners are round.
                rx.el.svg.rect(
                    x="0", y=bar.top, width="100%", height="110%", rx="6", class_name="fill-gulf"
                ),
                width="100%",
                height="100%",
                class_name="overflow-hidden",
            ),
            rx.el.svg.text(  # may be wider than its bar
                bar.value,
                x="50%",
                y=bar.top,
                dy="-8",
                custom_attrs={"textAnchor": "middle"},
                class_name="fill-ink text-sm font-semibold tabular-nums",
            ),
            aria_hidden=True,
            class_name="block h-36 w-full overflow-visible border-b border-line",
        ),
        rx.el.span(
            bar.label,
            aria_hidden=True,
            class_name="mt-1 block whitespace-nowrap text-center text-sm text-muted",
        ),
        class_name="min-w-0 max-w-20 flex-1",
    )
