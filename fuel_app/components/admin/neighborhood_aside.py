"""Beside one group: how others join it, and what staff did to it."""

import reflex as rx

from fuel_app.components.admin.neighborhood_detail import H2
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.cards import card
from fuel_app.kit.ui.share import copy_button
from fuel_app.states.admin.neighborhood import NeighborhoodState
from fuel_app.states.admin.person_line import ChangeLine


def invitation() -> rx.Component:
    """The join link as text, as a code, and on paper."""
    name = NeighborhoodState.group.name
    return card(
        rx.el.h2("Join Link", class_name=H2),
        rx.el.p(
            NeighborhoodState.join_link, class_name="mt-1 break-all text-sm tabular-nums text-muted"
        ),
        rx.el.img(
            src=NeighborhoodState.code,
            alt=f"Code to scan: {NeighborhoodState.join_link}",
            custom_attrs={"width": 176, "height": 176},
            class_name="mx-auto my-3 h-44 w-44",
        ),
        rx.el.div(
            copy_button(
                "Copy Link",
                text=NeighborhoodState.join_link,
                label=f"Copy Link of {name}",
                class_name=button_class("secondary"),
            ),
            rx.el.A.create(
                rx.icon("printer", size=18, aria_hidden=True),
                "Print flyer",
                href=NeighborhoodState.flyer,
                target="_blank",
                class_name=button_class(),
            ),
            class_name="grid gap-2",
        ),
    )


def change_log() -> rx.Component:
    return card(
        rx.el.h2("Change log", class_name=H2),
        rx.cond(
            NeighborhoodState.changes.length() > 0,
            rx.el.ol(rx.foreach(NeighborhoodState.changes, _change), class_name="mt-2 space-y-3"),
            rx.el.p("Nothing has been changed yet", class_name="mt-2 text-base text-muted"),
        ),
    )


def _change(change: rx.Var[ChangeLine]) -> rx.Component:
    return rx.el.li(
        rx.el.span(change.what, class_name="block break-words text-base text-ink"),
        rx.el.span(
            change.when,
            " · ",
            change.who,
            rx.cond(change.undone, " · undone", ""),
            class_name="text-sm text-muted",
        ),
    )
