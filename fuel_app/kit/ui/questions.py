"""Questions that open to their answers."""

from collections.abc import Sequence

import reflex as rx


def questions(entries: Sequence[tuple[str, str]]) -> rx.Component:
    """(question, answer) pairs; the browser's own details element does the opening."""
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
