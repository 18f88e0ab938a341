"""The members of one group."""

from typing import Any

import reflex as rx

from fuel_app.components.admin.neighborhood_detail import day, email
from fuel_app.kit.ui.list import ROW, cell, header, nothing_here, pager, staff_table
from fuel_app.states.admin.neighborhood import NeighborhoodState
from fuel_app.states.admin.neighborhood_tools import GroupToolsState
from fuel_app.states.admin.person_line import PersonLine

_COLUMNS = (("Name", "name"), ("Email", "email"), ("Joined", "joined"), ("Pioneer", ""))


def group_members() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Members", class_name="mb-3 text-lg font-bold text-ink"),
        staff_table(
            [
                header(*column, sort=NeighborhoodState.sort, sort_by=NeighborhoodState.sort_by)
                for column in _COLUMNS
            ],
            rx.foreach(NeighborhoodState.members, _row),
            caption="Members",
            loading=NeighborhoodState.loading,
            below=rx.cond(
                ~NeighborhoodState.loading & (NeighborhoodState.members.length() == 0),
                nothing_here("No members yet"),
            ),
        ),
        pager(NeighborhoodState),
    )


def _row(person: rx.Var[PersonLine]) -> rx.Component:
    name = rx.el.a(
        person.name,
        href=person.lead,
        class_name="min-w-0 font-semibold text-ink wrap-anywhere hover:text-gulf-deep "
        "hover:underline max-lg:text-base",
    )
    return rx.el.tr(
        cell("", name),
        cell("Email", email(person.email)),
        cell("Joined", day(person)),
        cell("Pioneer", _role(person)),
        key=person.id,
        role="row",
        class_name=ROW,
    )


def _role(person: Any) -> rx.Component:
    return rx.cond(
        person.id == NeighborhoodState.pioneer.id,
        rx.el.span(
            "Pioneer",
            class_name="inline-flex rounded-full bg-seafoam px-2.5 py-0.5 text-sm font-semibold "
            "text-gulf-deep",
        ),
        rx.el.button(
            "Make pioneer",
            type="button",
            aria_label=f"Make {person.name} pioneer",
            on_click=GroupToolsState.open_pioneer(person.email),
            class_name="min-h-11 cursor-pointer whitespace-nowrap rounded-control text-sm "
            "text-gulf-deep underline lg:min-h-9",
        ),
    )
