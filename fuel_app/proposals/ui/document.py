"""A proposal in words, as its contacts see it."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import H2, TEXT
from fuel_app.proposals.rules.documents import Section


def document_view(document: Any) -> rx.Component:
    return rx.fragment(
        rx.foreach(document.sections, _section),
        rx.el.div(
            rx.foreach(document.notes, lambda note: rx.el.p(note, class_name=f"{TEXT} mt-2")),
            class_name="mt-5 border-t border-line pt-3",
        ),
    )


def _section(section: rx.Var[Section]) -> rx.Component:
    return rx.el.section(
        rx.el.h2(section.title, class_name=H2),
        facts_list(section.facts),
        class_name="mt-5 break-inside-avoid first:mt-0",
    )


def facts_list(facts: Any) -> rx.Component:
    return rx.el.dl(
        rx.foreach(
            facts,
            lambda fact: rx.el.div(
                rx.el.dt(fact[0], class_name="text-muted sm:w-40 sm:shrink-0"),
                rx.el.dd(fact[1], class_name="min-w-0 text-ink wrap-anywhere"),
                class_name="py-1.5 text-base sm:flex sm:gap-4",
            ),
        ),
        class_name="mt-1 divide-y divide-line",
    )
