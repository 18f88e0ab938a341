"""The list of what waits for staff, at the top of their dashboard."""

from typing import Any

import reflex as rx

from fuel_app.attention.state import HEADING, AttentionState, WaitingKind, WaitingLine
from fuel_app.dispatch.service.attention import FILLS
from fuel_app.dispatch.ui.questions import answer_dialog, question_cards
from fuel_app.kit.ui.button import busy_button, button, button_class
from fuel_app.kit.ui.cards import H2, TEXT, card
from fuel_app.routes import NEEDS_AN_ANSWER


def attention_section() -> rx.Component:
    """Render what waits, the worst kind first; a note where nothing does."""
    return rx.el.section(
        rx.el.h2(
            "Needs an answer",
            id=HEADING,
            tab_index=-1,
            class_name=f"{H2} focus:outline-none",
        ),
        rx.cond(
            AttentionState.loading,
            rx.el.div(class_name="skeleton mt-3 h-20 rounded-card", aria_hidden=True),
            rx.cond(
                AttentionState.kinds.length() > 0,
                rx.el.div(rx.foreach(AttentionState.kinds, _kind), class_name="mt-3 grid gap-4"),
                card(
                    rx.el.p(
                        rx.icon("circle-check", size=20, aria_hidden=True, class_name="text-ok"),
                        "Nothing waits for an answer.",
                        class_name=f"flex items-center gap-2 {TEXT}",
                    ),
                    class_name="mt-3",
                ),
            ),
        ),
        answer_dialog(),
        id=NEEDS_AN_ANSWER,
        aria_labelledby=HEADING,
        aria_busy=AttentionState.loading,
        class_name="mt-6 scroll-mt-20",
    )


def _kind(kind: rx.Var[WaitingKind]) -> rx.Component:
    return rx.el.div(
        rx.el.h3(
            kind.title,
            rx.el.span(
                kind.total,
                class_name="rounded-full bg-danger px-2 text-sm font-bold tabular-nums text-white",
            ),
            class_name="flex items-center gap-2 text-base font-bold text-ink",
        ),
        rx.cond(kind.kind == FILLS.kind, question_cards(kind.title), _lines(kind)),
        key=kind.kind,
    )


def _lines(kind: rx.Var[WaitingKind]) -> rx.Component:
    return card(
        rx.el.ul(
            rx.foreach(kind.lines, lambda line: _line(kind, line)),
            aria_label=kind.title,
            class_name="divide-y divide-line",
        ),
        rx.cond(
            kind.folded.length() > 0,
            rx.el.details(
                rx.el.summary(
                    kind.unfold,
                    class_name="flex min-h-11 cursor-pointer items-center text-base font-semibold "
                    "text-gulf-deep",
                ),
                rx.el.ul(
                    rx.foreach(kind.folded, lambda line: _line(kind, line)),
                    aria_label=kind.title,
                    class_name="divide-y divide-line",
                ),
                class_name="border-t border-line",
            ),
        ),
        rx.cond(
            kind.more != "",
            rx.el.p(
                rx.cond(
                    kind.href != "",
                    rx.el.a("and ", kind.more, href=kind.href, class_name="link py-2.5"),
                    rx.el.span("and ", kind.more),
                ),
                class_name=f"border-t border-line pt-3 {TEXT}",
            ),
        ),
        class_name="mt-2 py-1 sm:py-1",
    )


def _line(kind: rx.Var[WaitingKind], line: rx.Var[WaitingLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(line.text, class_name="font-semibold text-ink wrap-anywhere"),
            rx.el.p(line.detail, class_name="text-sm text-muted wrap-anywhere empty:hidden"),
            class_name="min-w-0 grow basis-40",
        ),
        rx.cond((line.act == "") | (line.decline != ""), _link(line)),
        rx.cond(
            line.decline != "",
            button(
                line.decline,
                _of(line),
                kind="secondary",
                disabled=AttentionState.busy != "",
                on_click=AttentionState.decline(kind.kind, line.id),
                class_name="shrink-0 px-3",
            ),
        ),
        rx.cond(line.act != "", _press(kind, line)),
        rx.el.p(
            AttentionState.refused[line.key],
            role="alert",
            class_name="w-full text-base font-semibold text-danger empty:hidden",
        ),
        key=line.key,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-1 py-2 text-base",
    )


def _press(kind: rx.Var[WaitingKind], line: rx.Var[WaitingLine]) -> rx.Component:
    return busy_button(
        rx.fragment(line.act, _of(line)),
        busy=AttentionState.busy == line.key,
        busy_text="Working...",
        kind="secondary",
        on_click=AttentionState.press(kind.kind, line.id),
        class_name="shrink-0 px-3",
    )


def _link(line: rx.Var[WaitingLine]) -> rx.Component:
    return rx.el.a(
        "Open",
        _of(line),
        href=line.href,
        class_name=button_class("secondary", "shrink-0 px-3"),
    )


def _of(line: Any) -> rx.Component:
    """Name the line to who hears the button alone."""
    return rx.el.span(": ", line.text, class_name="sr-only")
