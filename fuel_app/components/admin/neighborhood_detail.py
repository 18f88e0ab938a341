"""What there is to say about one group: how far it is, and who leads it."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import badge, card, progress_bar
from fuel_app.kit.ui.share import copy_button
from fuel_app.states.admin.neighborhood import NeighborhoodState
from fuel_app.states.admin.neighborhood_tools import GroupToolsState

H2 = "text-lg font-bold text-ink"
_LINK = "font-semibold text-gulf-deep underline wrap-anywhere"
_COPY = (
    "inline-flex min-h-11 min-w-11 shrink-0 cursor-pointer items-center justify-center "
    "rounded-control px-1 text-xs font-semibold text-muted hover:bg-seafoam hover:text-gulf-deep "
    "lg:min-h-9 lg:min-w-9"
)


def standing() -> rx.Component:
    group = NeighborhoodState.group
    return card(
        rx.el.div(
            rx.el.h2("Total Members", class_name=H2),
            badge(group.tier, group.color),
            class_name="flex items-center justify-between gap-3",
        ),
        rx.el.p(
            NeighborhoodState.count,
            class_name="mb-3 mt-1 text-3xl font-extrabold tabular-nums text-ink",
        ),
        progress_bar(group.members, group.goal, "Members on the way to the next tier", group.color),
        rx.el.p(group.next_step, class_name="mt-3 text-base text-muted"),
    )


def pioneer() -> rx.Component:
    person = NeighborhoodState.pioneer
    return card(
        rx.el.h2("Pioneer Information", class_name=H2),
        rx.cond(
            person.id != "",
            rx.el.dl(
                _fact("Name", rx.el.a(person.name, href=person.lead, class_name=_LINK)),
                _fact("Email", email(person.email)),
                _fact("Joined", day(person)),
                class_name="mt-2 space-y-1",
            ),
            rx.el.p("No pioneer", class_name="mt-2 text-base text-muted"),
        ),
        button(
            "Change pioneer",
            kind="secondary",
            on_click=GroupToolsState.open_pioneer(""),
            class_name="mt-4",
        ),
    )


def email(address: Any) -> rx.Component:
    """An address with a button that copies it."""
    return rx.el.span(
        rx.el.span(address, class_name="min-w-0 text-sm wrap-anywhere"),
        copy_button(
            rx.icon("copy", size=16, aria_hidden=True),
            text=address,
            label=f"Copy {address}",
            class_name=_COPY,
        ),
        class_name="flex min-w-0 items-center gap-1",
    )


def day(person: Any) -> rx.Component:
    return rx.el.time(
        person.joined, custom_attrs={"dateTime": person.moment}, class_name="whitespace-nowrap"
    )


def _fact(label: str, value: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.dt(label, class_name="w-14 shrink-0 text-sm text-muted"),
        rx.el.dd(value, class_name="min-w-0 text-base text-ink"),
        class_name="flex min-h-8 items-center gap-2",
    )
