"""The tracking page: one sentence, the steps, and the map once the technician is on the way."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.customers.ui.page import loading
from fuel_app.dispatch.state.tracking import StepLine, TrackingState
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import GAP, TEXT, card
from fuel_app.kit.ui.frame import SECTION, brand, call_us, skip_link
from fuel_app.kit.ui.map import MapPin, map_frame
from fuel_app.kit.ui.script import TITLE, PageHeading, way_back

_shown = TrackingState.card


def tracking() -> rx.Component:
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(brand(), class_name=f"flex h-16 items-center {SECTION}"),
            class_name="border-b border-line bg-surface",
        ),
        rx.el.main(
            rx.cond(SessionState.is_person, way_back("Back to Dashboard", routes.DASHBOARD)),
            PageHeading.create("Your fill-up", class_name=f"{TITLE} mb-4"),
            rx.cond(
                TrackingState.problem != "",
                _unknown(),
                rx.cond(_shown.sentence != "", _tracked(), loading()),
            ),
            id="content",
            class_name="mx-auto w-full max-w-2xl px-4 py-6 sm:px-6 sm:py-10",
        ),
    )


def _tracked() -> rx.Component:
    return rx.fragment(
        card(
            rx.el.p(
                _shown.sentence,
                role="status",
                class_name="text-balance text-xl font-bold text-ink sm:text-2xl",
            ),
            rx.el.p(_shown.advice, class_name=f"mt-2 text-pretty {TEXT} empty:hidden"),
            rx.cond(
                _shown.href != "", link_button(_shown.way, href=_shown.href, class_name="mt-4")
            ),
            rx.cond(
                _shown.technician != "",
                rx.el.p(
                    rx.icon(
                        "truck", size=18, aria_hidden=True, class_name="mt-1 shrink-0 text-gulf"
                    ),
                    rx.el.span(
                        f"{_shown.technician} drives {_shown.truck}",
                        rx.cond(_shown.before != "", f" · {_shown.before}", ""),
                        class_name="min-w-0",
                    ),
                    class_name=f"mt-3 flex items-start gap-2 {TEXT}",
                ),
            ),
            rx.cond(
                _shown.steps.length() > 0,
                rx.el.ol(
                    rx.foreach(_shown.steps, _step),
                    aria_label="Steps",
                    class_name="mt-5 grid gap-1",
                ),
            ),
        ),
        rx.cond(_shown.car.length() > 0, rx.el.div(_map(), class_name=GAP)),
        call_us(),
    )


def _step(step: rx.Var[StepLine]) -> rx.Component:
    reached = step.is_done | step.is_current
    return rx.el.li(
        rx.el.span(
            rx.cond(step.is_done, rx.icon("check", size=16), ""),
            aria_hidden=True,
            class_name=rx.cond(
                reached,
                "flex h-6 w-6 shrink-0 items-center justify-center rounded-full bg-gulf text-white",
                "h-6 w-6 shrink-0 rounded-full border-2 border-line",
            ),
        ),
        rx.el.span(
            step.label,
            rx.cond(step.is_done, rx.el.span(" (done)", class_name="sr-only")),
            class_name=rx.cond(
                step.is_current, "font-bold text-ink", rx.cond(reached, "text-ink", "text-muted")
            ),
        ),
        rx.el.span(step.at, class_name="ml-auto tabular-nums text-muted"),
        aria_current=rx.cond(step.is_current, "step", "false"),
        key=step.label,
        class_name="flex min-h-8 items-center gap-3 text-base",
    )


def _map() -> rx.Component:
    truck = _pin("truck", "Your technician", "bg-gulf", _shown.truck_at, front=True)
    return map_frame(
        _pin("car", "Your car", "bg-ink", _shown.car),
        rx.cond(_shown.truck_at.length() > 0, truck),
        label="Map of your technician's way",
        places=TrackingState.places,
        zoom=15,
        tile_url=TrackingState.tile_url,
        still_right="The places are right.",
        class_name="h-72 sm:h-96",
    )


def _pin(icon: str, label: str, color: str, at: Any, **props: Any) -> rx.Component:
    return MapPin.create(
        rx.el.span(
            rx.icon(icon, size=20, aria_hidden=True),
            rx.el.span(label, class_name="sr-only"),
            class_name="flex h-10 w-10 items-center justify-center rounded-full border-2 "
            f"border-white shadow-soft {color} text-white",
        ),
        lat=at[0],
        lng=at[1],
        size=40,
        **props,
    )


def _unknown() -> rx.Component:
    """Return the same calm words for a forged link and one that is too old."""
    return card(
        rx.el.p(TrackingState.problem, role="status", class_name="text-lg font-bold text-ink"),
        rx.el.p(
            "A tracking link is good until a day after the fill-up. Please open the newest "
            "message about your fill-up, or sign in to see your bookings.",
            class_name=f"mb-4 mt-1 text-pretty {TEXT}",
        ),
        link_button("To the dashboard", href=routes.DASHBOARD),
        call_us(),
    )
