"""The staff's list and map of neighborhoods, and one: progress, pioneer, members, dialogs."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.button import button, button_class, copy_button, copyable_email, submit_button
from fuel_app.kit.ui.cards import H2, badge, card, progress_bar
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import field, select_field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.list import ROW, alphabetic, cell, filter_select, list_table, pager, search_box
from fuel_app.kit.ui.map import MapLine, MapPin, map_frame
from fuel_app.neighborhoods.rules import TIERS, members_range
from fuel_app.neighborhoods.state import (
    FORM,
    ChangeLine,
    Choice,
    NeighborhoodsState,
    NeighborhoodState,
    NeighborhoodToolsState,
    PersonLine,
)


def tier_progress(card: Any) -> rx.Component:
    """Show how far the members of a `NeighborhoodCard` are on the way to the next tier."""
    return progress_bar(card.members, card.goal, "Members on the way to the next tier", card.color)


MIDDLE = [27.36, -82.5]  # of the service area
ZOOM = 10
_LARGE = 38  # pixels; smaller circles lie above

_CIRCLE = (
    "absolute inset-0 flex cursor-pointer items-center justify-center rounded-full border-2 "
    "border-white text-xs font-bold tabular-nums shadow-soft aria-pressed:ring-3 "
    "aria-pressed:ring-ink focus-visible:outline-ink"
)
_COLORS = (
    "bg-[#5A6F79] text-white",
    "bg-sun text-ink",
    "bg-ok text-white",
    "bg-gulf-deep text-white",
)


def neighborhood_map() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Where the neighborhoods are", class_name="text-lg font-bold text-ink"),
        rx.el.p(
            "A circle for each ZIP, larger with more members. Press one to list its neighborhoods.",
            class_name="mb-3 text-sm text-muted",
        ),
        map_frame(
            MapLine.create(
                positions=NeighborhoodsState.service_area,
                color="#0A5961",
                weight=2,
                opacity=0.6,
                dashes="4 6",
            ),
            rx.foreach(NeighborhoodsState.circles, _circle),
            label="Map of the neighborhoods",
            places=rx.cond(
                NeighborhoodsState.service_area.length() > 0,
                NeighborhoodsState.service_area,
                [MIDDLE],
            ),
            zoom=ZOOM,
            tile_url=NeighborhoodsState.tile_url,
            still_right="The circles are right.",
            class_name="h-[400px]",
        ),
        _legend(),
        class_name="rounded-card border border-line bg-surface p-4 xl:sticky xl:top-4",
    )


def _circle(circle: Any) -> rx.Component:
    return MapPin.create(
        rx.el.button(
            circle.members,
            type="button",
            on_click=NeighborhoodsState.show_zip(circle.zip_code),
            aria_label=circle.label,
            aria_pressed=circle.zip_code == NeighborhoodsState.question.zip,
            title=circle.label,
            class_name=rx.match(
                circle.tier,
                *[
                    (tier.level, f"{_CIRCLE} {color}")
                    for tier, color in zip(TIERS, _COLORS, strict=True)
                ],
                f"{_CIRCLE} {_COLORS[0]}",
            ),
        ),
        lat=circle.lat,
        lng=circle.lng,
        size=circle.size,
        front=circle.size < _LARGE,
        key=circle.zip_code,
    )


def _legend() -> rx.Component:
    """Say what the number in a circle counts and what its color means."""
    return rx.el.div(
        rx.el.p(
            "The number counts the members in the ZIP. The color is its largest neighborhood's "
            "tier:",
            id="map-legend",
            class_name="text-muted",
        ),
        rx.el.ul(
            *[
                rx.el.li(
                    rx.el.span(
                        aria_hidden=True, class_name=f"h-4 w-4 rounded-full {color.split()[0]}"
                    ),
                    f"{tier.label}: {members_range(tier)}",
                    class_name="flex items-center gap-2",
                )
                for tier, color in zip(TIERS, _COLORS, strict=True)
            ],
            aria_labelledby="map-legend",
            class_name="mt-1 grid grid-cols-2 gap-x-3 gap-y-1 text-ink tabular-nums",
        ),
        class_name="mt-3 text-sm",
    )


_COLUMNS = {
    "Neighborhood": "name",
    "ZIP Code": "zip",
    "Pioneer": "pioneer",
    "Members": "members",
    "Join Link": "",
}


def neighborhood_table() -> rx.Component:
    nothing = "No neighborhoods found"
    return list_table(
        NeighborhoodsState,
        _row,
        _COLUMNS,
        caption="Neighborhoods",
        loading="Loading neighborhoods...",
        failed=nothing,
        nothing_found=nothing,
        nothing=nothing,
    )


# One word may be wider than the screen; a cell is as wide as its longest word.
_WORDS = "min-w-0 break-words lg:block lg:min-w-28 lg:max-w-60"


def _row(row: Any) -> rx.Component:
    return rx.el.tr(
        cell("", _name(row), "max-lg:order-first max-lg:justify-start"),
        cell("ZIP Code", rx.el.span(row.zip_code)),
        cell("Pioneer", _pioneer(row)),
        cell("Members", _members(row)),
        cell("Join Link", _join_link(row)),
        key=row.id,
        role="row",
        on_click=rx.redirect(row.address),
        class_name=f"{ROW} cursor-pointer",
    )


def _name(row: Any) -> rx.Component:
    """The row opens on a click anywhere; the name is the link for keyboards and readers."""
    return rx.el.a(
        row.name,
        href=row.address,
        on_click=rx.stop_propagation,
        class_name=f"{_WORDS} font-semibold text-ink hover:text-gulf-deep hover:underline "
        "max-lg:text-base",
    )


def _pioneer(row: Any) -> rx.Component:
    return rx.cond(
        row.pioneer != "",
        rx.el.span(row.pioneer, class_name=_WORDS),
        rx.el.span("No pioneer", class_name="text-muted"),
    )


def _members(row: Any) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            badge(row.members_text, row.color),
            rx.el.span(row.tier, class_name="font-medium text-ink"),
            class_name="flex items-center justify-between gap-2",
        ),
        progress_bar(row.members, row.goal, f"{row.members_text} of {row.goal} members", row.color),
        rx.cond(row.missing != "", rx.el.span(row.missing, class_name="text-xs text-muted")),
        class_name="flex w-36 flex-col gap-1 max-lg:w-44",
    )


def _join_link(row: Any) -> rx.Component:
    return copy_button(
        rx.icon("copy", size=16, aria_hidden=True),
        "Copy Link",
        text=row.join_link,
        label=f"Copy Link of {row.name}",
        class_name="inline-flex min-h-11 min-w-26 shrink-0 cursor-pointer items-center "
        "justify-center gap-1.5 whitespace-nowrap rounded-control px-1 text-sm font-semibold "
        "text-gulf-deep hover:bg-seafoam lg:min-h-9",
    )


_FORM = "neighborhoods"
_SHORT_OF = (1, 2, 3, 5)
ORDERS = {  # those without a column too
    **alphabetic(name="Name"),
    "zip": "ZIP code, lowest first",
    "-zip": "ZIP code, highest first",
    **alphabetic(pioneer="Pioneer"),
    "-members": "Most members",
    "members": "Fewest members",
    "missing": "Closest to the next tier",
    "-missing": "Furthest from the next tier",
    "-created": "Newest",
    "created": "Oldest",
}


def neighborhood_filters() -> rx.Component:
    return live_form(
        search_box(
            NeighborhoodsState,
            "Search neighborhoods",
            box_id="neighborhood-search",
            name="q",
            placeholder="Neighborhood",
        ),
        rx.el.div(
            _filter("ZIP contains", "zip", input_mode="numeric", max_length=5),
            _filter("Pioneer contains", "pioneer"),
            _filter("Min members", "min", NeighborhoodsState.problems["min"], input_mode="numeric"),
            _filter("Max members", "max", NeighborhoodsState.problems["max"], input_mode="numeric"),
            filter_select(
                NeighborhoodsState,
                "Short of next tier",
                "missing",
                [(each, f"By {each} or fewer" if each > 1 else "By 1") for each in _SHORT_OF],
                form=_FORM,
                everything="By any number",
            ),
            class_name="mt-3 grid grid-cols-2 items-start gap-x-3 gap-y-2 sm:grid-cols-3 "
            "lg:grid-cols-5",
        ),
        on_edit=NeighborhoodsState.narrow,
        on_submit=NeighborhoodsState.narrow,
    )


def _filter(label: str, name: str, error: Any = "", **props: Any) -> rx.Component:
    return field(
        label,
        name,
        form=_FORM,
        error=error,
        default_value=getattr(NeighborhoodsState.question, name),
        key=f"{name} {NeighborhoodsState.epoch}",
        auto_complete="off",
        **{"max_length": 100} | props,
    )


def neighborhood_tools() -> rx.Component:
    """Every dialog; at most one is open."""
    neighborhood = NeighborhoodState.neighborhood
    return rx.fragment(
        _dialog(
            "rename",
            "Rename neighborhood",
            field(
                "Neighborhood name",
                "name",
                form=FORM,
                error=NeighborhoodToolsState.error,
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
                select_field(
                    "Neighborhood to merge",
                    "gone",
                    rx.foreach(NeighborhoodToolsState.others, _choice),
                    form=FORM,
                    error=NeighborhoodToolsState.error,
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
            field(
                "Member's email",
                "email",
                form=FORM,
                error=NeighborhoodToolsState.error,
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
    return dialog(
        live_form(
            content,
            rx.el.div(
                button("Cancel", kind="secondary", on_click=NeighborhoodToolsState.close(False)),
                rx.cond(
                    usable,
                    submit_button(
                        button_text, busy=NeighborhoodToolsState.busy, busy_text="Working..."
                    ),
                ),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_edit=NeighborhoodToolsState.edit,
            on_submit=NeighborhoodToolsState.submit,
        ),
        title=title,
        open=NeighborhoodToolsState.opened == name,
        on_open_change=NeighborhoodToolsState.close,
        closes_when_left=True,
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
            class_name="mb-3 mt-1 text-3xl font-extrabold tabular-nums text-ink",
        ),
        tier_progress(neighborhood),
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
