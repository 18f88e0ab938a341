"""The admin view of the dashboard: today's figures and the day's route."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.dashboard.preview import ADMIN_FIGURES
from fuel_app.dashboard.state import DashboardState, TodayState
from fuel_app.dashboard.ui.figures import staff_figures
from fuel_app.dispatch.ui.day_route import day_route
from fuel_app.dispatch.ui.questions import questions_section
from fuel_app.dispatch.ui.today import todays_route
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import H2, arriving, badge, card
from fuel_app.kit.ui.charts import bar_chart
from fuel_app.kit.ui.page_heading import TITLE


def admin_view() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Admin Dashboard", class_name=TITLE),
        rx.cond(
            DashboardState.is_open,
            rx.fragment(_today(), _leads()),
            rx.fragment(_leads(), _sample()),
        ),
    )


def _leads() -> rx.Component:
    return rx.cond(SessionState.is_staff, staff_figures())


def _sample() -> rx.Component:
    return rx.fragment(
        rx.cond(SessionState.is_staff, _the_day(badge("Sample data", "yellow"))),
        _tiles(ADMIN_FIGURES),
        day_route(),
    )


def _today() -> rx.Component:
    return rx.fragment(
        questions_section(),
        _the_day(link_button("Open dispatch", href=routes.DISPATCH, kind="quiet")),
        _tiles(TodayState.figures),
        rx.el.div(
            bar_chart(
                "Revenue by day, plans included",
                TodayState.revenue,
                unit="in all",
                # As many as have room for their numbers.
                class_name="max-lg:[&>li:nth-child(-n+7)]:hidden "
                "max-sm:[&>li:nth-child(-n+9)]:hidden",
            ),
            class_name="mt-4 sm:mt-6",
        ),
        todays_route(),
    )


def _the_day(*beside: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.p("The day", class_name=H2), *beside, class_name="mt-6 -mb-3 flex items-center gap-3"
    )


def _tiles(figures: Any) -> rx.Component:
    return rx.el.div(
        *[
            _figures(figures, title, *labels)
            for title, *labels in (
                ("Today's Overview", "Scheduled fill-ups", "Completed", "Average gallons"),
                ("Customer Stats", "Total customers", "Active subscriptions", "Service area"),
                ("Revenue", "Today's revenue", "Average per fill-up", "Subscription revenue"),
            )
        ],
        class_name="mt-6 grid gap-4 sm:gap-6 lg:grid-cols-3",
    )


def _figures(figures: Any, title: str, *labels: str) -> rx.Component:
    return card(
        rx.el.h2(title, class_name=H2),
        rx.el.dl(
            *[
                rx.el.div(
                    rx.el.dt(label, class_name="text-base text-muted"),
                    rx.el.dd(
                        arriving(figures[label], "w-14"),
                        class_name="text-right text-lg font-bold tabular-nums text-ink",
                    ),
                    class_name="flex items-baseline justify-between gap-4 py-2",
                )
                for label in labels
            ],
            class_name="mt-2 divide-y divide-line",
        ),
    )
