"""The map of neighborhoods: a circle for each ZIP."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.map import MapLine, MapPin, map_frame
from fuel_app.neighborhoods.rules import TIERS, members_range
from fuel_app.neighborhoods.state.listing import NeighborhoodsState

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
