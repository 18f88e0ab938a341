"""The areas with their waves, and the funnel."""

from typing import Any

import reflex as rx

from fuel_app.areas.rules.areas import OPEN, WAITLIST
from fuel_app.areas.state import AreaStepState
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2, TEXT, alert, badge, card, panel, progress_bar
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.launch.rules.waves import PAUSED, RUNNING
from fuel_app.launch.state.waves import FunnelState, WavesState


def waves() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Areas and invitations", class_name=H2),
        rx.el.p(
            "Each open area invites its waitlist in daily waves: neighborhoods first, then by the "
            "time of joining, everybody once.",
            class_name=f"mb-3 mt-0.5 max-w-[68ch] {TEXT}",
        ),
        alert(rx.cond(WavesState.failed, "The areas cannot be read just now.", "")),
        rx.cond(
            WavesState.loading,
            rx.el.div(class_name="skeleton h-40 rounded-card", aria_hidden=True),
            rx.cond(
                WavesState.areas.length() > 0,
                rx.el.ul(
                    rx.foreach(WavesState.areas, _area),
                    class_name="grid gap-4 lg:grid-cols-2 xl:grid-cols-3",
                ),
                rx.cond(
                    WavesState.failed,
                    rx.fragment(),
                    card(
                        rx.el.p(
                            "No area yet. Tick ZIP codes above and make the first one.",
                            class_name=TEXT,
                        )
                    ),
                ),
            ),
        ),
    )


def _area(area: Any) -> rx.Component:
    return rx.el.li(
        card(
            rx.el.div(
                rx.el.h3(area.name, class_name=f"min-w-0 wrap-anywhere {H2}"),
                badge(area.label, area.color),
                class_name="flex items-start justify-between gap-3",
            ),
            rx.el.p(area.forecast, class_name="mt-1 text-base text-ink tabular-nums"),
            rx.cond(
                area.invited > 0,
                rx.el.div(
                    progress_bar(area.invited, area.total, f"{area.name}: invited", "gulf"),
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
    begin = rx.cond(
        area.status == OPEN, _button("Start inviting", area, WavesState.step("start", area.area_id))
    )
    resume = rx.cond(
        area.status == OPEN,
        _button("Resume invitations", area, WavesState.step("resume", area.area_id)),
    )
    pause = _button("Pause invitations", area, WavesState.step("pause", area.area_id), "secondary")
    return rx.cond(
        area.status == WAITLIST,
        _button("Open area", area, AreaStepState.ask("open", area.area_id)),
        rx.match(area.state, (RUNNING, pause), (PAUSED, resume), begin),
    )


def _button(text: str, area: Any, event: Any, kind: Any = "primary") -> rx.Component:
    named = rx.el.span(area.name, class_name="sr-only")
    return button(text, named, kind=kind, on_click=event, class_name="w-full sm:w-auto")


def funnel() -> rx.Component:
    return panel(
        "From invitation to first fill",
        alert(rx.cond(FunnelState.failed, "The figures cannot be read just now.", "")),
        rx.cond(
            ~FunnelState.loading & (FunnelState.areas.length() == 0),
            rx.el.p(
                rx.cond(FunnelState.failed, "", "Nobody has been invited yet."),
                class_name=f"py-4 {TEXT}",
            ),
            rx.el.div(
                _table("By area", "Area", FunnelState.areas),
                rx.el.div(
                    _table("By wave", "Day", FunnelState.days),
                    _table("By neighborhood", "Neighborhood", FunnelState.neighborhoods),
                    class_name="mt-6 grid items-start gap-x-8 gap-y-6 xl:grid-cols-2",
                ),
            ),
        ),
        lead="A person counts as signed up with an account, and as filled with a completed fill.",
    )


def _table(title: str, first: str, lines: Any) -> rx.Component:
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
