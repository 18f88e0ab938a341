"""The admin view of the dashboard: today's figures and the day's route."""

import reflex as rx

from fuel_app.accounts.state.session import SessionState
from fuel_app.dashboard.state import AdminOverview
from fuel_app.dashboard.ui.figures import staff_figures
from fuel_app.dispatch.state.day_route import DayRouteState
from fuel_app.dispatch.ui.map import SelectedStop, next_destination, route_map
from fuel_app.dispatch.ui.stops import stop_list
from fuel_app.kit.ui.cards import H2, badge, card
from fuel_app.kit.ui.map import browser_position, error_card
from fuel_app.kit.ui.page_heading import TITLE


def admin_view() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Admin Dashboard", class_name=TITLE),
        rx.cond(
            SessionState.is_staff,
            rx.fragment(
                staff_figures(),
                rx.el.div(
                    rx.el.p("The day", class_name=H2),
                    badge("Sample data", "yellow"),
                    class_name="mt-8 -mb-3 flex items-center gap-3",
                ),
            ),
        ),
        rx.el.div(
            _figures("Today's Overview", "Scheduled fill-ups", "Completed", "Average gallons"),
            _figures("Customer Stats", "Total customers", "Active subscriptions", "Service area"),
            _figures("Revenue", "Today's revenue", "Average per fill-up", "Subscription revenue"),
            class_name="mt-6 grid gap-4 sm:gap-6 lg:grid-cols-3",
            on_mount=AdminOverview.arrive,
        ),
        _route(),
    )


def _figures(title: str, *labels: str) -> rx.Component:
    return card(
        rx.el.h2(title, class_name=H2),
        rx.el.dl(
            *[
                rx.el.div(
                    rx.el.dt(label, class_name="text-base text-muted"),
                    rx.el.dd(
                        AdminOverview.figures[label],
                        class_name="text-right text-lg font-bold tabular-nums text-ink",
                    ),
                    class_name="flex items-baseline justify-between gap-4 py-2",
                )
                for label in labels
            ],
            class_name="mt-2 divide-y divide-line",
        ),
    )


def _route() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Optimized Route", id="route-title", class_name=H2),
            rx.foreach(
                DayRouteState.notices,
                lambda notice: rx.el.p(notice, class_name="text-sm text-muted"),
            ),
            rx.cond(
                DayRouteState.roads != "",
                rx.el.p(f"Route by {DayRouteState.roads}", class_name="text-sm text-muted"),
            ),
            class_name="flex flex-wrap items-baseline justify-between gap-x-4",
        ),
        SelectedStop.create(
            rx.el.div(
                rx.el.div(
                    rx.cond(
                        DayRouteState.error != "",
                        error_card(DayRouteState.error, on_retry=DayRouteState.retry),
                    ),
                    rx.cond(DayRouteState.stops.length() > 0, next_destination()),
                    route_map(),
                    class_name="flex min-w-0 flex-col gap-4 lg:sticky lg:top-20",
                ),
                card(stop_list(), _left_out(), class_name="min-w-0 max-sm:p-3"),
                class_name="mt-3 grid items-start gap-4 sm:gap-6 lg:grid-cols-[3fr_2fr]",
            ),
            stop_ids=DayRouteState.stop_ids,
        ),
        browser_position(
            round=DayRouteState.position_round,
            on_found=DayRouteState.found,
            on_missing=DayRouteState.missing,
        ),
        aria_labelledby="route-title",
        aria_busy=DayRouteState.busy,
        on_mount=DayRouteState.open,
        class_name="mt-8",
    )


def _left_out() -> rx.Component:
    return rx.cond(
        DayRouteState.left_out.length() > 0,
        rx.el.div(
            rx.el.h3("Not on the route", class_name="text-base font-bold text-ink"),
            rx.el.ul(
                rx.foreach(
                    DayRouteState.left_out,
                    lambda stop: rx.el.li(f"{stop.customer}: {stop.reason}", key=stop.id),
                ),
                class_name="mt-1 text-base text-muted",
            ),
            class_name="mt-4 border-t border-line pt-4",
        ),
    )
