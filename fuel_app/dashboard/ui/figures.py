"""Live figures of leads and neighborhoods, for signed-in staff."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.dashboard.state import FiguresState, StatusPart, TypeBar
from fuel_app.dashboard.ui.tile import tile
from fuel_app.kit.ui.cards import H2, card, progress_bar
from fuel_app.kit.ui.charts import bar_chart
from fuel_app.neighborhoods.state.lines import NeighborhoodLine

_LINK = "font-semibold text-gulf-deep underline underline-offset-4 hover:text-gulf"


def staff_figures() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Leads and neighborhoods", id="figures-title", class_name=H2),
            rx.el.p(
                rx.el.a("Submissions", href=routes.SUBMISSIONS, class_name=_LINK),
                rx.el.a("Neighborhoods", href=routes.NEIGHBORHOODS, class_name=_LINK),
                class_name="flex gap-4 text-base",
            ),
            class_name="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1",
        ),
        rx.el.dl(
            tile("Leads", FiguresState.leads, "Waitlist and quotes"),
            tile(
                "New this week",
                FiguresState.new,
                rx.cond(
                    FiguresState.new_by_type != "", FiguresState.new_by_type, "In the last 7 days"
                ),
            ),
            tile("Neighborhoods", FiguresState.neighborhoods, "Founded by members"),
            tile("Members", FiguresState.members, "In a neighborhood"),
            class_name="mt-3 grid grid-cols-2 gap-3 sm:gap-6 lg:grid-cols-4",
        ),
        rx.el.div(
            card(
                rx.el.h3("Leads by type and status", class_name=H2),
                rx.el.ul(rx.foreach(FiguresState.types, _type), class_name="mt-3 space-y-4"),
            ),
            bar_chart("New leads by day", FiguresState.days, unit="new leads", heading=rx.el.h3),
            _nearest(),
            class_name="mt-4 grid gap-4 sm:mt-6 sm:gap-6 lg:grid-cols-3",
        ),
        aria_labelledby="figures-title",
        class_name="mt-6",
    )


def _type(bar: rx.Var[TypeBar]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.span(bar.label, class_name="font-semibold text-ink"),
            rx.el.span(bar.leads, class_name="font-bold tabular-nums text-ink"),
            class_name="flex items-baseline justify-between text-base",
        ),
        rx.el.svg(
            rx.foreach(
                bar.parts,
                lambda part: rx.el.svg.rect(
                    x=part.left,
                    y="0",
                    width=part.width,
                    height="100%",
                    class_name=_fill(part.status),
                ),
            ),
            aria_hidden=True,
            class_name="mt-1 block h-3 w-full overflow-hidden rounded-full bg-[#E8EEF0]",
        ),
        rx.el.ul(
            rx.foreach(bar.parts, _part),
            class_name="mt-1 flex flex-wrap gap-x-3 text-sm text-muted",
        ),
        key=bar.label,
    )


def _part(part: rx.Var[StatusPart]) -> rx.Component:
    return rx.el.li(
        rx.el.svg(
            rx.el.svg.circle(cx="5", cy="5", r="5", class_name=_fill(part.status)),
            aria_hidden=True,
            class_name="h-2.5 w-2.5 shrink-0",
        ),
        f"{part.leads} {part.status}",
        key=part.status,
        class_name="flex items-center gap-1.5 tabular-nums",
    )


def _fill(status: Any) -> Any:
    return rx.match(
        status,
        ("pending", "fill-[#8FA3AB]"),
        ("Not Contacted", "fill-sun"),
        ("Contacted", "fill-gulf"),
        ("Closed Won", "fill-ok"),
        ("Closed Lost", "fill-danger"),
        "fill-ink",
    )


def _nearest() -> rx.Component:
    return card(
        rx.el.h3("Nearest to their next tier", class_name=H2),
        rx.cond(
            FiguresState.nearest.length() > 0,
            rx.el.ul(
                rx.foreach(FiguresState.nearest, _neighborhood),
                class_name="mt-1 divide-y divide-line",
            ),
            rx.el.p("No neighborhoods yet", class_name="mt-3 text-base text-muted"),
        ),
    )


def _neighborhood(neighborhood: rx.Var[NeighborhoodLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.a(
                neighborhood.name,
                href=neighborhood.address,
                class_name="min-w-0 truncate font-semibold text-ink hover:text-gulf-deep "
                "hover:underline",
            ),
            rx.el.span(
                neighborhood.zip_code, class_name="shrink-0 text-sm tabular-nums text-muted"
            ),
            class_name="flex min-h-6 items-baseline justify-between gap-3 text-base",
        ),
        progress_bar(
            neighborhood.members,
            neighborhood.goal,
            f"Members of {neighborhood.name}",
            color=neighborhood.color,
        ),
        rx.el.p(
            f"{neighborhood.members} of {neighborhood.goal} members, {neighborhood.missing}",
            class_name="mt-1 text-sm text-muted",
        ),
        key=neighborhood.id,
        class_name="py-2.5",
    )
