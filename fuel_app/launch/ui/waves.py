"""Where people wait: the list beside the map, the bar for the ticked ZIPs; waves and funnel."""

from typing import Any

import reflex as rx

from fuel_app.areas.rules.areas import OPEN, WAITLIST
from fuel_app.areas.state import STATUS_BADGES
from fuel_app.kit.ui.button import busy_button, button
from fuel_app.kit.ui.cards import H2, TEXT, alert, badge, card, panel, progress_bar
from fuel_app.kit.ui.fields import tick
from fuel_app.kit.ui.forms import form_dialog, live_form, send_button
from fuel_app.kit.ui.list import (
    ROW,
    cell,
    filter_select,
    list_summary,
    list_table,
    pager,
    search_box,
)
from fuel_app.kit.ui.map import MapPin, map_frame
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.launch.rules import NEIGHBORHOODS, NO_AREA, PAUSED, RUNNING
from fuel_app.launch.state.areas import AreaStepState
from fuel_app.launch.state.waves import DemandState, FunnelState, WavesState, WaveStartState
from fuel_app.launch.ui.areas import area_cards

_COLUMNS = {"Place": "name", "Waiting": "waiting", "Area": "area"}
_ORDERS = {
    "-waiting": "Most people waiting",
    "waiting": "Fewest people waiting",
    "name": "Name",
    "zip": "ZIP code",
    "area": "Area",
}
_FORM = "places"
_MIDDLE = [27.36, -82.5]  # of the first service area
_LARGE = 38  # pixels; smaller circles lie above


def places() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Where people wait", class_name=f"mb-3 {H2}"),
        _filters(),
        rx.el.div(list_summary(DemandState), class_name="my-2"),
        rx.el.div(
            rx.el.div(_places_table(), pager(DemandState), class_name="min-w-0"),
            _map(),
            class_name="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,460px)]",
        ),
        _ticked_bar(),
    )


def _filters() -> rx.Component:
    return live_form(
        search_box(
            DemandState,
            "Search places",
            box_id="place-search",
            name="q",
            placeholder="ZIP code, neighborhood or area",
        ),
        rx.el.div(
            _select("Show", "of", [(NEIGHBORHOODS, "Neighborhoods")], "ZIP codes"),
            _select("Area", "area", [(NO_AREA, "Without an area")], "With and without an area"),
            class_name="mt-3 grid grid-cols-1 items-start gap-x-3 gap-y-2 sm:grid-cols-2 "
            "xl:max-w-2xl",
        ),
        on_edit=DemandState.narrow,
        on_submit=DemandState.narrow,
    )


def _select(label: str, name: str, options: Any, everything: str) -> rx.Component:
    return filter_select(DemandState, label, name, options, form=_FORM, everything=everything)


def _places_table() -> rx.Component:
    return list_table(
        DemandState,
        _row,
        _COLUMNS,
        caption="Places by people waiting",
        loading="Loading places...",
        failed="The places cannot be read just now.",
        nothing_found="No such place",
        nothing="Nobody is waiting. People who join the waitlist and imported leads appear here.",
        filtered=DemandState.looks,
        orders=_ORDERS,
    )


def _row(row: Any) -> rx.Component:
    return rx.el.tr(
        cell("", _name(row), "max-lg:order-first max-lg:justify-start"),
        cell("Waiting", _waiting(row)),
        cell("Area", _place_area(row)),
        key=row.id,
        role="row",
        aria_selected=DemandState.ticked.contains(row.id),
        class_name=f"{ROW} aria-selected:bg-seafoam/60",
    )


def _name(row: Any) -> rx.Component:
    is_zip = row.id == row.zip_code
    named = rx.fragment(
        rx.el.span(row.name, class_name="font-semibold text-ink"),
        rx.cond(is_zip, "", rx.el.span(row.zip_code, class_name="ml-2 text-sm text-muted")),
    )
    ticked = rx.el.label(
        tick(
            checked=DemandState.ticked.contains(row.id),
            on_change=lambda _value: DemandState.tick(row.id),
        ),
        rx.el.span(named),
        class_name="flex min-h-11 cursor-pointer items-center gap-3",
    )
    return rx.cond(
        is_zip & (row.zip_code != "") & (row.area == ""),
        ticked,
        rx.el.span(named, class_name="flex min-h-11 items-center pl-8 wrap-anywhere"),
    )


def _waiting(row: Any) -> rx.Component:
    return rx.el.div(
        rx.el.span(row.waiting_text, class_name="w-14 shrink-0 text-right font-semibold text-ink"),
        rx.el.div(
            progress_bar(row.waiting, DemandState.most, f"{row.name}: people waiting", "gulf"),
            class_name="w-24 sm:w-32",
        ),
        class_name="flex items-center gap-3",
    )


def _place_area(row: Any) -> rx.Component:
    return rx.cond(
        row.area != "",
        rx.el.span(
            rx.el.span(row.area, class_name="wrap-anywhere text-ink"),
            _status_badge(row.status),
            class_name="flex flex-wrap items-center gap-2 max-lg:justify-end",
        ),
        rx.el.span("No area", class_name="text-muted"),
    )


def _status_badge(status: Any) -> rx.Component:
    return rx.match(
        status, *[(each, badge(*look)) for each, look in STATUS_BADGES.items()], rx.fragment()
    )


_CIRCLE = (
    "absolute inset-0 flex cursor-pointer items-center justify-center rounded-full border-2 "
    "border-white text-xs font-bold tabular-nums shadow-soft aria-pressed:ring-3 "
    "aria-pressed:ring-ink focus-visible:outline-ink"
)
_COLORS = {
    "": ("No area", "bg-[#5A6F79] text-white"),
    "waitlist": ("Area on its waitlist", "bg-sun text-ink"),
    "open": ("Open", "bg-ok text-white"),
    "paused": ("Paused", "bg-gulf-deep text-white"),
}


def _map() -> rx.Component:
    return rx.el.div(
        map_frame(
            rx.foreach(DemandState.circles, _circle),
            label="Map of the people waiting",
            places=rx.cond(DemandState.seen.length() > 0, DemandState.seen, [_MIDDLE]),
            zoom=11,
            tile_url=DemandState.tile_url,
            still_right="The circles are right.",
            class_name="h-[340px] xl:h-[480px]",
        ),
        rx.el.ul(
            *[
                rx.el.li(
                    rx.el.span(
                        aria_hidden=True, class_name=f"h-4 w-4 rounded-full {color.split()[0]}"
                    ),
                    text,
                    class_name="flex items-center gap-2",
                )
                for text, color in _COLORS.values()
            ],
            aria_label="Colors of the map",
            class_name="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink",
        ),
        rx.el.p(
            "Press a gray circle to tick its ZIP for a new area.",
            class_name="mt-1 text-sm text-muted",
        ),
        class_name="rounded-card border border-line bg-surface p-3 max-xl:order-first xl:sticky "
        "xl:top-4",
    )


def _circle(circle: Any) -> rx.Component:
    return MapPin.create(
        rx.el.button(
            circle.people,
            type="button",
            on_click=DemandState.press(circle.zip_code),
            aria_label=circle.label,
            aria_pressed=DemandState.ticked.contains(circle.zip_code)
            | (DemandState.question.q == circle.zip_code),
            title=circle.label,
            class_name=rx.match(
                circle.status,
                *[(status, f"{_CIRCLE} {color}") for status, (_, color) in _COLORS.items()],
                f"{_CIRCLE} {_COLORS[''][1]}",
            ),
        ),
        lat=circle.lat,
        lng=circle.lng,
        size=circle.size,
        front=circle.size < _LARGE,
        key=circle.zip_code,
    )


def _ticked_bar() -> rx.Component:
    bar = rx.el.div(
        rx.el.p(DemandState.ticked_text, class_name="font-semibold text-ink tabular-nums"),
        rx.el.div(
            button("Clear", kind="quiet", on_click=DemandState.clear_ticked),
            button(
                rx.icon("plus", size=18, aria_hidden=True),
                "Make an area",
                on_click=DemandState.make_area,
            ),
            class_name="flex flex-wrap gap-2",
        ),
        class_name="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-card "
        "border border-line bg-surface px-4 py-3 shadow-soft",
    )
    return rx.el.div(
        rx.cond(DemandState.ticked.length() > 0, bar),
        role="status",
        class_name="sticky bottom-3 z-20 mt-3",
    )


def waves() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Areas and invitations", class_name=H2),
        rx.el.p(
            "Each open area invites its waitlist in daily waves: neighborhoods first, then by the "
            "time of joining, everybody once.",
            class_name=f"mb-3 mt-0.5 max-w-[68ch] {TEXT}",
        ),
        area_cards(
            WavesState,
            _area_waves,
            card(
                rx.el.p(
                    "No area yet. Tick ZIP codes above and make the first one.", class_name=TEXT
                )
            ),
            "grid gap-4 lg:grid-cols-2 xl:grid-cols-3",
        ),
        _start_question(),
    )


def _start_question() -> rx.Component:
    state = WaveStartState
    return form_dialog(
        state,
        rx.el.p(state.forecast, class_name="text-base font-semibold text-ink"),
        rx.el.p(
            "Each gets one e-mail with a link to sign up: neighborhoods first, then by the time of "
            "joining. Pause stops what has not gone out.",
            class_name=f"mt-2 {TEXT}",
        ),
        rx.cond(state.mail.text != "", _mail()),
        leave="Cancel",
        buttons=rx.fragment(
            busy_button(
                rx.cond(state.tested != "", "Test sent", "Send me a test"),
                busy=state.busy,
                busy_text="Sending...",
                kind="secondary",
                disabled=state.busy | (state.tested != ""),
                on_click=state.send_test,
            ),
            send_button(state, "Start inviting", "Starting..."),
        ),
        title=f"Invite the waitlist of {state.name}?",
        open=state.opened,
    )


def _mail() -> rx.Component:
    """Show the mail that the next one in line gets."""
    state = WaveStartState
    return rx.el.section(
        rx.el.h3("The mail that the next one in line gets", class_name=f"mt-4 {H2}"),
        rx.el.dl(
            rx.el.dt("From", class_name="text-muted"),
            rx.el.dd(state.mail.sender, class_name="min-w-0 wrap-anywhere"),
            rx.el.dt("Subject", class_name="text-muted"),
            rx.el.dd(state.mail.subject, class_name="min-w-0 font-semibold wrap-anywhere"),
            class_name="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-base "
            "text-ink",
        ),
        rx.el.p(
            state.mail.text,
            class_name="mt-2 whitespace-pre-line rounded-control border border-line bg-sand p-3 "
            "text-base text-ink wrap-anywhere",
        ),
        rx.el.p(
            rx.cond(state.tested != "", f"A test is on its way to {state.tested}.", ""),
            role="status",
            class_name="mt-2 text-base text-ink empty:hidden",
        ),
        tab_index=0,  # the arrow keys scroll a long one
        aria_label="Mail",
    )


def _area_waves(area: Any) -> rx.Component:
    return rx.el.li(
        card(
            rx.el.div(
                rx.el.h3(area.name, class_name=f"min-w-0 wrap-anywhere {H2}"),
                _status_badge(area.status),
                class_name="flex items-start justify-between gap-3",
            ),
            rx.el.p(area.forecast, class_name="mt-1 text-base text-ink tabular-nums"),
            rx.cond(
                area.invited > 0,
                rx.el.div(
                    progress_bar(
                        area.invited, area.invited + area.waiting, f"{area.name}: invited", "gulf"
                    ),
                    rx.el.p(area.invited_text, class_name="mt-1 text-sm text-muted tabular-nums"),
                    class_name="mt-3",
                ),
            ),
            rx.el.p(area.state_text, class_name=f"mb-4 mt-2 {TEXT}"),
            rx.el.div(_action(area), class_name="mt-auto"),
            class_name="flex h-full flex-col",
        )
    )


def _action(area: Any) -> rx.Component:
    def step(text: str, kind: str, look: Any = "primary") -> rx.Component:
        return _wave_button(text, area, WavesState.step(kind, area.area_id), look)

    is_open, start = area.status == OPEN, WaveStartState.ask(area.area_id)
    return rx.cond(
        area.status == WAITLIST,
        _wave_button("Open area", area, AreaStepState.ask("open", area.area_id)),
        rx.match(
            area.state,
            (RUNNING, step("Pause invitations", "pause", "secondary")),
            (PAUSED, rx.cond(is_open, step("Resume invitations", "resume"))),
            rx.cond(is_open, _wave_button("Start inviting", area, start)),
        ),
    )


def _wave_button(text: str, area: Any, event: Any, kind: Any = "primary") -> rx.Component:
    named = rx.el.span(area.name, class_name="sr-only")
    return button(text, named, kind=kind, on_click=event, class_name="w-full sm:w-auto")


def funnel() -> rx.Component:
    return panel(
        "From invitation to first fill",
        alert(rx.cond(FunnelState.failed, "The figures cannot be read just now.", "")),
        rx.cond(
            FunnelState.loading,
            rx.el.div(class_name="skeleton h-40 rounded-card", aria_hidden=True),
            rx.cond(
                FunnelState.areas.length() == 0,
                rx.el.p(
                    rx.cond(FunnelState.failed, "", "Nobody has been invited yet."),
                    class_name=f"py-4 {TEXT}",
                ),
                rx.el.div(
                    _funnel_table("By area", "Area", FunnelState.areas),
                    rx.el.div(
                        _funnel_table("By wave", "Day", FunnelState.days),
                        _funnel_table("By neighborhood", "Neighborhood", FunnelState.neighborhoods),
                        class_name="mt-6 grid items-start gap-x-8 gap-y-6 xl:grid-cols-2",
                    ),
                ),
            ),
        ),
        lead="A person counts as signed up with an account, and as filled with a completed fill.",
    )


def _funnel_table(title: str, first: str, lines: Any) -> rx.Component:
    return rx.el.div(
        rx.el.h3(title, class_name="mt-4 text-base font-semibold text-ink"),
        stacked_table(
            lines,
            (
                Column(first, lambda line: rx.el.strong(line.name)),
                Column("Invited", lambda line: line.invited, number=True),
                Column("Signed up", lambda line: _rate(line.signed_up, line.signed_up_rate), True),
                Column("First fill", lambda line: _rate(line.filled, line.filled_rate), True),
            ),
            caption=title,
            loading=FunnelState.loading,
            empty_text="None of the invited is in a neighborhood.",
        ),
        class_name="min-w-0",
    )


def _rate(count: Any, rate: Any) -> rx.Component:
    return rx.fragment(
        count, rx.el.span(" (", rate, " %)", class_name="whitespace-nowrap text-sm text-muted")
    )
