"""Where a person is signed in, and the Login History."""

from typing import Any

import reflex as rx

from fuel_app.customers.state.security.own import OwnSecurityState
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import badge, panel
from fuel_app.kit.ui.stacked_table import Column, stacked_table

_CARD = OwnSecurityState.card
LIST = "mt-3 divide-y divide-line"
LINE = "flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3"


def sessions() -> rx.Component:
    return panel(
        "Sessions",
        rx.el.ul(
            rx.foreach(
                _CARD.sessions,
                lambda each: rx.el.li(
                    rx.el.div(
                        rx.el.p(each.device, class_name="font-semibold text-ink"),
                        rx.el.p(each.since, " · ", each.seen, class_name="text-sm text-muted"),
                        class_name="min-w-0",
                    ),
                    rx.cond(
                        each.is_this,
                        badge("This device", "green"),
                        small_button("Sign out", each.device, OwnSecurityState.sign_out(each.id)),
                    ),
                    key=each.id,
                    class_name=LINE,
                ),
            ),
            class_name=LIST,
        ),
        rx.el.div(
            rx.cond(
                _CARD.sessions.length() > 1,
                button(
                    "Sign out everywhere else",
                    kind="secondary",
                    on_click=OwnSecurityState.sign_out_others,
                ),
            ),
            button(
                "Sign out everywhere",
                kind="secondary",
                on_click=OwnSecurityState.sign_out_everywhere,
            ),
            class_name="mt-4 flex flex-wrap gap-3",
        ),
        lead="Where you are signed in",
    )


def history() -> rx.Component:
    return panel(
        "Login History",
        stacked_table(
            _CARD.history,
            (
                Column("Event", lambda row: row.event),
                Column("Device", lambda row: row.device),
                Column("Network", lambda row: row.network),
                Column("Time", lambda row: row.moment),
            ),
            caption="Login History",
            loading=~OwnSecurityState.is_own,
            empty_text="Nothing yet",
        ),
    )


def small_button(text: str, of: Any, on_click: Any) -> rx.Component:
    return button(
        text,
        rx.el.span(of, class_name="sr-only"),
        kind="quiet",
        on_click=on_click,
        class_name="-mr-3 px-3",
    )
