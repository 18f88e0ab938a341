"""Maps by Leaflet, fetched when the first one is shown, and the browser's position."""

import math
from collections.abc import Sequence
from typing import Any

import reflex as rx
from reflex.vars.function import ArgsFunctionOperation

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import card
from fuel_app.kit.ui.script import Script

MAP_SERVICE = "OpenStreetMap"
ATTRIBUTION = (
    '&copy; <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> contributors'
)
_BOX = "w-full overflow-hidden rounded-card border border-line"


_SMALLEST, _LARGEST = 24, 52  # pixels across; the smallest can be hit with a finger


def circle_size(count: int, most: int) -> int:
    """Return the pixels across of a circle whose area grows with a count, `most` at the largest."""
    share = math.sqrt(count / most) if most else 0
    return round(_SMALLEST + (_LARGEST - _SMALLEST) * share)


def short_count(count: int) -> str:
    """Format a count to fit into a circle: '999', '1.2k', '12k'."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 9950 else f"{count / 1000:.0f}k"


class _Leaflet(Script):
    """A part of a map, rendered inside `map_frame`.

    Leaflet is installed but not imported: a static import would put it into the page's scripts.
    """

    FILE = "map.js"
    lib_dependencies: list[str] = ["leaflet@1.9.4"]

    def add_imports(self) -> rx.ImportDict:
        return {"react-dom": "createPortal"}


class _MapReady(_Leaflet):
    tag = "MapReady"
    loading: rx.Var[rx.Component]
    failed: rx.Var[Any]


class _MapContainer(_Leaflet):
    tag = "MapContainer"
    places: rx.Var[Sequence[Sequence[float]]]
    zoom: rx.Var[int]


class _MapTiles(_Leaflet):
    tag = "MapTiles"
    url: rx.Var[str]
    attribution: rx.Var[str]


class MapLine(_Leaflet):
    """A line through positions, each a latitude and a longitude."""

    tag = "MapLine"
    positions: rx.Var[Sequence[Sequence[float]]]
    color: rx.Var[str]
    weight: rx.Var[int]
    opacity: rx.Var[float]
    dashes: rx.Var[str]


class MapPin(_Leaflet):
    """Children of `size` pixels, centered on a position; `front` puts them above the others.

    Those that are `grouped` become one pin with their number where they would lie on each other.
    """

    tag = "MapPin"
    lat: rx.Var[float]
    lng: rx.Var[float]
    size: rx.Var[int]
    front: rx.Var[bool]
    grouped: rx.Var[bool]


class MovablePin(_Leaflet):
    """Children of `size` pixels whose foot is a position that a visitor can move."""

    tag = "MovablePin"
    lat: rx.Var[float]
    lng: rx.Var[float]
    size: rx.Var[int]
    label: rx.Var[str]
    on_move: rx.EventHandler[rx.event.passthrough_event_spec(float, float)]


class MapPopup(_Leaflet):
    """A popup that points at a position."""

    tag = "MapPopup"
    lat: rx.Var[float]
    lng: rx.Var[float]
    take_focus: rx.Var[bool]
    bring_into_view: rx.Var[bool]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]


def map_frame(
    *layers: Any,
    label: str,
    places: Any,
    zoom: int,
    tile_url: Any,
    still_right: str,
    class_name: str,
    waiting: Any = False,
) -> rx.Component:
    """Render a map of lines, pins and popups, or its loading and error state.

    Args:
        places: Positions that the map is fitted to, until the visitor moves it.
        zoom: The closest zoom that fitting may choose.
        still_right: A sentence on what is right without tiles.
    """
    box = f"{_BOX} {class_name}"
    no_tiles = rx.el.p(
        f"The map's background cannot be loaded. {still_right}",
        role="status",
        class_name="pointer-events-none absolute inset-x-2 bottom-6 z-[900] mx-auto w-fit "
        "rounded-control bg-surface/95 px-3 py-1.5 text-sm text-ink shadow-soft",
    )
    shown = rx.el.div(
        _MapContainer.create(
            rx.cond(
                tile_url != "", _MapTiles.create(no_tiles, url=tile_url, attribution=ATTRIBUTION)
            ),
            *layers,
            places=places,
            zoom=zoom,
            class_name="h-full w-full bg-[#E4ECEE]! font-[inherit]!",
        ),
        role="region",
        aria_label=label,
        class_name=f"isolate scroll-mt-24 {box}",
    )
    loading = rx.el.div(
        rx.icon("loader-circle", size=28, aria_hidden=True, class_name="animate-spin text-gulf"),
        rx.el.p("Loading map...", class_name="text-base text-muted"),
        role="status",
        class_name=f"flex flex-col items-center justify-center gap-3 bg-sand {box}",
    )
    problem = rx.Var("problem.message", _var_type=str)
    retry = rx.Var("problem.retry", _var_type=rx.EventChain)
    failed = rx.el.div(
        error_card(f"Failed to load {MAP_SERVICE}: {problem}", on_retry=retry),
        class_name=f"flex items-center justify-center bg-sand p-4 {box}",
    )
    return _MapReady.create(
        rx.cond(waiting, loading, shown),
        loading=loading,
        failed=ArgsFunctionOperation.create(("problem",), rx.Var.create(failed)),
    )


def pin_map(state: Any, *, pin: Any, on_move: Any) -> rx.Component:
    """Return a map whose pin, of latitude and longitude, is put where the cars stand."""
    return rx.el.div(
        map_frame(
            MovablePin.create(
                rx.icon("map-pin", size=40, aria_hidden=True, class_name="fill-sun text-ink"),
                lat=pin[0],
                lng=pin[1],
                size=40,
                label="The pin: move it with the arrow keys",
                on_move=on_move.debounce(200),
            ),
            label="Map with the pin",
            places=[pin],
            zoom=17,
            tile_url=state.tile_url,
            still_right="The pin still counts.",
            class_name="h-64 sm:h-80",
        ),
        rx.el.p(
            "Drag the pin, press on the map, or use the arrow keys.",
            class_name="mt-2 text-sm text-muted",
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


class _BrowserPosition(Script):
    """Requests the browser's position when it is mounted and whenever `round` changes.

    `on_found` takes latitude and longitude in degrees; `on_missing` comes if the visitor refused,
    or the browser does not know.
    """

    tag = "BrowserPosition"
    FILE = "browser_position.js"
    round: rx.Var[int]
    on_found: rx.EventHandler[rx.event.passthrough_event_spec(float, float)]
    on_missing: rx.EventHandler[rx.event.no_args_event_spec]


browser_position = _BrowserPosition.create
