"""The frame of every map: its ground, and what shows while it loads or when it cannot."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import card
from fuel_app.kit.ui.map.leaflet import (
    FETCH_AGAIN,
    FETCH_PROBLEM,
    MapContainer,
    MapTiles,
    map_ready,
)

MAP_SERVICE = "OpenStreetMap"
ATTRIBUTION = (
    '&copy; <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> contributors'
)
_BOX = "w-full overflow-hidden rounded-card border border-line"


def map_frame(
    *layers: Any,
    label: str,
    centre: Any,
    zoom: int,
    tile_url: Any,
    still_right: str,
    class_name: str,
    waiting: Any = False,
) -> rx.Component:
    """A map; its code is fetched when this is in the page.

    Args:
        layers: What lies on the ground.
        tile_url: Where the ground comes from; empty: there is none.
        still_right: What can be relied on when the ground cannot be had.
        class_name: Says at least how high it is.
        waiting: Whether there is nothing to show yet.
    """
    box = f"{_BOX} {class_name}"
    shown = rx.el.div(
        MapContainer.create(
            rx.cond(
                tile_url != "",
                MapTiles.create(_no_tiles(still_right), url=tile_url, attribution=ATTRIBUTION),
            ),
            *layers,
            center=centre,
            zoom=zoom,
            scroll_wheel_zoom=False,
            class_name="h-full w-full bg-[#E4ECEE]! font-[inherit]!",
        ),
        role="region",
        aria_label=label,
        class_name=f"isolate scroll-mt-24 {box}",
    )
    return map_ready(
        rx.cond(waiting, _loading(box), shown),
        loading=_loading(box),
        failed=rx.el.div(
            error_card(f"Failed to load {MAP_SERVICE}: {FETCH_PROBLEM}", on_retry=FETCH_AGAIN),
            class_name=f"flex items-center justify-center bg-sand p-4 {box}",
        ),
    )


def error_card(message: Any, *, on_retry: Any) -> rx.Component:
    return card(
        rx.el.h3("Error", class_name="text-lg font-bold text-danger"),
        rx.el.p(message, class_name="mt-1 break-words text-base text-ink"),
        button("Retry", kind="secondary", on_click=on_retry, class_name="mt-3"),
        role="alert",
        class_name="w-full",
    )


def _loading(box: str) -> rx.Component:
    return rx.el.div(
        rx.icon("loader-circle", size=28, aria_hidden=True, class_name="animate-spin text-gulf"),
        rx.el.p("Loading map...", class_name="text-base text-muted"),
        role="status",
        class_name=f"flex flex-col items-center justify-center gap-3 bg-sand {box}",
    )


def _no_tiles(still_right: str) -> rx.Component:
    return rx.el.p(
        f"The map's background cannot be loaded. {still_right}",
        role="status",
        class_name="pointer-events-none absolute inset-x-2 bottom-6 z-[900] mx-auto w-fit "
        "rounded-control bg-surface/95 px-3 py-1.5 text-sm text-ink shadow-soft",
    )
