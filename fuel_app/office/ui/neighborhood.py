"""One neighborhood: its progress, its pioneer, its members, and the dialogs that change it."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.button import button, button_class, copy_button, copyable_email
from fuel_app.kit.ui.cards import H2, badge, card
from fuel_app.kit.ui.fields import select_field
from fuel_app.kit.ui.forms import field_of, form_dialog, send_button
from fuel_app.kit.ui.list import ROW, alphabetic, cell, list_table, pager
from fuel_app.neighborhoods import ui
from fuel_app.neighborhoods.state import ChangeLine, PersonLine
from fuel_app.office.state.neighborhood import (
    Choice,
    NeighborhoodState,
    NeighborhoodToolsState,
)


def neighborhood_tools() -> rx.Component:
    """Every dialog; at most one is open."""
    neighborhood = NeighborhoodState.neighborhood
    return rx.fragment(
        _dialog(
            "rename",
            "Rename neighborhood",
            field_of(
                NeighborhoodToolsState,
                "Neighborhood name",
                "name",
                default_value=neighborhood.name,
                auto_complete="off",
            ),
            button_text="Rename",
        ),
        _dialog(
            "merge",
            rx.el.span("Merge into ", neighborhood.name),
            rx.cond(
                NeighborhoodToolsState.others.length() > 0,
                field_of(
                    NeighborhoodToolsState,
                    "Neighborhood to merge",
                    "gone",
                    make=select_field,
                    options=rx.foreach(NeighborhoodToolsState.others, _choice),
                    hint="Its members move here and its join link leads here. "
                    f"The name {neighborhood.name} stays, and so does its pioneer, if it has one.",
                    placeholder="Select a neighborhood",
                ),
                rx.el.p(
                    f"There is no other neighborhood in {neighborhood.zip_code}.",
                    class_name="text-base text-muted",
                ),
            ),
            button_text="Merge",
            usable=NeighborhoodToolsState.others.length() > 0,
        ),
        _dialog(
            "pioneer",
            "Change pioneer",
            field_of(
                NeighborhoodToolsState,
                "Member's email",
                "email",
                hint="This member becomes the pioneer. The present one stays a member.",
                default_value=NeighborhoodToolsState.email,
                type="email",
                auto_complete="off",
            ),
            button_text="Make pioneer",
        ),
    )


def _choice(choice: rx.Var[Choice]) -> rx.Component:
    return rx.el.option(choice.text, value=choice.id)


def _dialog(
    name: str, title: Any, content: rx.Component, *, button_text: str, usable: Any = True
) -> rx.Component:
    state = NeighborhoodToolsState
    return form_dialog(
        state,
        content,
        leave="Cancel",
        buttons=rx.cond(usable, send_button(state, button_text, "Working...")),
        title=title,
        open=state.opened & (state.tool == name),
    )


_LINK = "font-semibold text-gulf-deep underline wrap-anywhere"


def standing() -> rx.Component:
    neighborhood = NeighborhoodState.neighborhood
    return card(
        rx.el.div(
            rx.el.h2("Total Members", class_name=H2),
            badge(neighborhood.tier, neighborhood.color),
            class_name="flex items-center justify-between gap-3",
        ),
        rx.el.p(
            NeighborhoodState.count,
            rx.cond(
                NeighborhoodState.confirmed != "",
                rx.el.span(
                    NeighborhoodState.confirmed, class_name="text-base font-normal text-muted"
                ),
            ),
            class_name="mb-3 mt-1 flex items-baseline gap-2 text-3xl font-extrabold tabular-nums "
            "text-ink",
        ),
        ui.tier_progress(neighborhood),
        rx.el.p(neighborhood.next_step, class_name="mt-3 text-base text-muted"),
    )


def pioneer_card() -> rx.Component:
    person = NeighborhoodState.pioneer
    return card(
        rx.el.h2("Pioneer Information", class_name=H2),
        rx.cond(
            person.id != "",
            rx.el.dl(
                _fact("Name", _member_name(person, _LINK)),
                _fact("Email", copyable_email(person.email, "text-sm")),
                _fact("Joined", _day(person)),
                class_name="mt-2 space-y-1",
            ),
            rx.el.p("No pioneer", class_name="mt-2 text-base text-muted"),
        ),
        button(
            "Change pioneer",
            kind="secondary",
            on_click=NeighborhoodToolsState.open_pioneer(""),
            class_name="mt-4",
        ),
    )


def _member_name(person: Any, class_name: str) -> rx.Component:
    return rx.cond(
        person.lead != "",
        rx.el.a(person.name, href=person.lead, class_name=class_name),
        rx.el.span(person.name, class_name="min-w-0 font-semibold text-ink wrap-anywhere"),
    )


def _day(person: Any) -> rx.Component:
    return rx.el.time(
        person.joined, custom_attrs={"dateTime": person.moment}, class_name="whitespace-nowrap"
    )


def _fact(label: str, value: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.dt(label, class_name="w-14 shrink-0 text-sm text-muted"),
        rx.el.dd(value, class_name="min-w-0 text-base text-ink"),
        class_name="flex min-h-8 items-center gap-2",
    )


def invitation() -> rx.Component:
    """The join link as text, as a code, and on paper."""
    neighborhood = NeighborhoodState.neighborhood
    return card(
        rx.el.h2("Join Link", class_name=H2),
        rx.el.p(
            NeighborhoodState.join_link, class_name="mt-1 break-all text-sm tabular-nums text-muted"
        ),
        rx.el.img(
            src=routes.join_code(neighborhood.id),
            alt=f"Code to scan: {NeighborhoodState.join_link}",
            custom_attrs={"width": 176, "height": 176},
            class_name="mx-auto my-3 h-44 w-44",
        ),
        rx.el.div(
            copy_button(
                "Copy Link",
                text=NeighborhoodState.join_link,
                label=f"Copy Link of {neighborhood.name}",
                class_name=button_class("secondary"),
            ),
            rx.el.A.create(
                rx.icon("printer", size=18, aria_hidden=True),
                "Print flyer",
                href=routes.flyer(neighborhood.id),
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


_MEMBER_COLUMNS = {"Name": "name", "Email": "email", "Joined": "joined", "Pioneer": ""}


_MEMBER_ORDERS = {"joined": "First joined", "-joined": "Last joined"} | alphabetic(
    name="Name", email="Email"
)


def neighborhood_members() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Members", class_name="mb-3 text-lg font-bold text-ink"),
        list_table(
            NeighborhoodState,
            _member_row,
            _MEMBER_COLUMNS,
            caption="Members",
            nothing="No members yet",
            orders=_MEMBER_ORDERS,
            within=True,
        ),
        pager(NeighborhoodState),
    )


def _member_row(person: rx.Var[PersonLine]) -> rx.Component:
    name = _member_name(
        person,
        "min-w-0 font-semibold text-ink wrap-anywhere hover:text-gulf-deep "
        "hover:underline max-lg:text-base",
    )
    return rx.el.tr(
        cell("", name),
        cell("Email", copyable_email(person.email, "text-sm")),
        cell("Joined", _day(person)),
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
            on_click=NeighborhoodToolsState.open_pioneer(person.email),
            class_name="min-h-11 cursor-pointer whitespace-nowrap rounded-control text-sm "
            "text-gulf-deep underline lg:min-h-9",
        ),
    )
