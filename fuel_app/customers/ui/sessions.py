"""The sessions of a person, and the Login History."""

from typing import Any

import reflex as rx

from fuel_app.customers.state.security.own import OwnSecurityState
from fuel_app.kit.ui.button import button, line_button
from fuel_app.kit.ui.cards import badge, panel
from fuel_app.kit.ui.stacked_table import Column, stacked_table

_CARD = OwnSecurityState.card
LIST = "mt-3 divide-y divide-line"


def sessions() -> rx.Component:
    return panel(
        "Sessions",
        rx.el.ul(
            rx.foreach(
                _CARD.sessions,
                lambda each: line(
                    each.device,
                    each.since,
                    " · ",
                    each.seen,
                    action=rx.cond(
                        each.is_this,
                        badge("This device", "green"),
                        line_button(
                            "Sign out",
                            each.device,
                            on_click=OwnSecurityState.sign_out(each.id),
                            class_name="-mr-3",
                        ),
                    ),
                    key=each.id,
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


def line(title: Any, *detail: Any, action: rx.Component, **props: Any) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(title, class_name="break-words font-semibold text-ink"),
            rx.el.p(*detail, class_name="text-sm text-muted empty:hidden"),
            class_name="min-w-0",
        ),
        action,
        class_name="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3",
        **props,
    )
