"""The day's route on the dashboard: the next destination, the map, the list; the preview's too.

The selected stop lives in the browser: it works offline.
"""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app.dispatch.state.day_route import RouteStop, TodaysRouteState, TruckLine
from fuel_app.dispatch.ui.board import lateness, stop_number, swatch
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.cards import H2, TEXT, badge, card
from fuel_app.kit.ui.map import MapLine, MapPin, MapPopup, map_frame

# The first stop, or the next destination, is selected whenever the stops change, and followed
# until another one is chosen. A stop chosen on the map moves the focus into its popup; one chosen
# in the list keeps the focus there and scrolls the map into view. The pin of the selected stop lies
# above the others: another one may be at the same position.
# Global for the reason in `map.js`.
_SELECTION = """
const RouteSelection = (globalThis.routeSelection ??= createContext({ id: null }));
const SelectedStop = ({ stopIds, firstId, children }) => {
  const all = stopIds.join();
  const first = { id: firstId ?? stopIds[0] ?? null, all, from: "start" };
  const [chosen, setChosen] = useState(first);
  const isLeft = chosen.from === "start" && chosen.id !== null && chosen.id !== first.id;
  if (chosen.all !== all || isLeft) setChosen(first);
  const [acts] = useState(() => ({
    choose: (id, from) => setChosen((now) => ({ ...now, id, from })),
    clear: (id) => setChosen((now) => (now.id === id ? { ...now, id: null } : now)),
  }));
  const value = useMemo(() => ({ ...chosen, ...acts }), [chosen, acts]);
  return jsx(RouteSelection, { value }, children);
};
const StopChoice = ({ stopId, onMap, children, ...props }) => {
  const { id, choose } = useContext(RouteSelection);
  return jsx("button", {
    ...props, type: "button", "aria-pressed": id === stopId,
    onClick: () => choose(stopId, onMap ? "map" : "list"),
  }, children);
};
const StopPin = ({ stopId, ...props }) =>
  jsx(MapPin, { ...props, front: useContext(RouteSelection).id === stopId });
const StopPopup = ({ stopId, ...props }) => {
  const { id, from, clear } = useContext(RouteSelection);
  const onClose = useCallback(() => clear(stopId), [clear, stopId]);
  const how = { takeFocus: from === "map", bringIntoView: from === "list", onClose };
  return id === stopId ? jsx(MapPopup, { ...props, ...how }) : null;
};
"""


class _Selection(rx.Component):
    def add_imports(self) -> rx.ImportDict:
        return {"react": ["createContext", "useCallback", "useContext", "useMemo", "useState"]}

    def add_custom_code(self) -> list[str]:
        return [_SELECTION]


class SelectedStop(_Selection):
    """The context around map and list. `stop_ids` are in driving order.

    The stop `first_id` is selected at first, by default the first one; none if it is empty.
    """

    tag = "SelectedStop"
    stop_ids: rx.Var[list[str]]
    first_id: rx.Var[str]


class StopChoice(_Selection):
    """A toggle button that selects a stop."""

    tag = "StopChoice"
    stop_id: rx.Var[str]
    on_map: rx.Var[bool]


class StopPin(MapPin, _Selection):
    """The pin of one stop."""

    tag = "StopPin"
    stop_id: rx.Var[str]


class StopPopup(MapPopup, _Selection):
    """The popup of one stop, open while it is selected."""

    tag = "StopPopup"
    stop_id: rx.Var[str]


def day_map(
    state: Any, pin: Callable[[Any], rx.Component], *layers: rx.Component, **props: Any
) -> rx.Component:
    """Render the map of a `StopsState` inside `SelectedStop`."""
    return map_frame(
        *layers,
        # Pins stay in the page in the order in which they came, and Tab goes by that.
        rx.fragment(rx.foreach(state.stops, pin), key=state.stop_ids.join(",")),
        rx.foreach(state.stops, _popup),
        label="Route map",
        places=state.view,
        tile_url=state.tile_url,
        class_name="h-[360px] max-sm:-mx-4 max-sm:w-auto max-sm:rounded-none max-sm:border-x-0 "
        "lg:h-[calc(100dvh-300px)] lg:min-h-[420px]",
        **props,
    )


def stop_pin(stop: Any, content: Any, *, label: Any, class_name: str) -> rx.Component:
    """Render the pin of a stop, of 36 pixels, which selects it."""
    return StopPin.create(
        StopChoice.create(
            content, stop_id=stop.id, on_map=True, aria_label=label, class_name=class_name
        ),
        stop_id=stop.id,
        lat=stop.lat,
        lng=stop.lng,
        size=36,
        key=stop.id,
    )


def _popup(stop: rx.Var[RouteStop]) -> rx.Component:
    return StopPopup.create(
        rx.el.h3(f"{stop.place}. {stop.customer}", class_name="pr-6 text-base font-bold text-ink"),
        rx.el.dl(
            _fact("Vehicle", stop.vehicle),
            _fact("Color", stop.color),
            _fact("Address", stop.address),
            _fact("Time", stop.time),
            _fact("Notes", stop.notes),
            class_name="mt-2 flex flex-col gap-1 text-sm text-ink",
        ),
        rx.el.A.create(
            rx.icon("navigation", size=16, aria_hidden=True),
            "Get Directions",
            rx.el.span("(opens in a new tab)", class_name="sr-only"),
            href=stop.directions,
            target="_blank",
            rel="noopener noreferrer",
            class_name=button_class("primary", "mt-3 w-full text-white!"),
        ),
        stop_id=stop.id,
        lat=stop.lat,
        lng=stop.lng,
        key=stop.id,
    )


def _fact(name: str, value: Any) -> rx.Component:
    return rx.cond(
        value != "",
        rx.el.div(
            rx.el.dt(f"{name}:", class_name="shrink-0 text-muted"),
            rx.el.dd(value, class_name="min-w-0 whitespace-pre-line break-words"),
            class_name="flex gap-1.5",
        ),
    )


ENTRY = "flex items-start gap-1 border-b border-line bg-surface last:border-0"


def map_and_list(*shown: rx.Component, listed: rx.Component, **selected: Any) -> rx.Component:
    """Render a day's map with what belongs to it, beside its list."""
    return SelectedStop.create(
        rx.el.div(
            rx.el.div(*shown, class_name="flex min-w-0 flex-col gap-4 lg:sticky lg:top-20"),
            # As high as the map, beside which it scrolls by itself.
            card(
                listed,
                class_name="min-w-0 max-sm:p-3 lg:max-h-[calc(100dvh-6rem)] lg:min-h-[420px] "
                "lg:overflow-y-auto",
            ),
            class_name="mt-3 grid items-start gap-4 sm:gap-6 lg:grid-cols-[3fr_2fr]",
        ),
        **selected,
    )


def next_destination(
    stop: rx.Var[RouteStop], drive: Any, *more: rx.Component, **props: Any
) -> rx.Component:
    """Render the card of the next stop."""
    return card(
        rx.el.p("Next Destination", class_name="text-sm font-semibold text-muted"),
        rx.el.div(
            rx.el.p(stop.customer, class_name="text-lg font-bold text-ink"),
            rx.cond(
                drive != "",
                rx.el.p(f"{drive} away", class_name="shrink-0 text-lg font-bold text-gulf-deep"),
            ),
            class_name="flex items-baseline justify-between gap-4",
        ),
        rx.el.p(stop.address, class_name=TEXT),
        *more,
        **props,
    )


def left_out(day: Any, title: str) -> rx.Component:
    """Render the stops that are on no route, with the reasons."""
    return rx.cond(
        day.left_out.length() > 0,
        rx.el.div(
            rx.el.h3(title, class_name="text-base font-bold text-ink"),
            rx.el.ul(
                rx.foreach(
                    day.left_out,
                    lambda each: rx.el.li(f"{each.customer}: {each.reason}", key=each.id),
                ),
                class_name=f"mt-1 {TEXT}",
            ),
            class_name="mt-4 border-t border-line pt-4",
        ),
    )


def list_by_time(
    stops: Any,
    row: Callable[[Any], rx.Component],
    class_name: str = "",
    name: str = "Stops by time",
) -> rx.Component:
    """Render stops of a day by their times, each as a row."""
    return rx.el.ol(
        rx.foreach(stops, lambda stop: rx.el.li(row(stop), key=stop.id, class_name=ENTRY)),
        aria_label=name,
        class_name=class_name,
    )


def stop_row(
    stop: rx.Var[Any],
    number: Any,
    way: rx.Component,
    vehicle_class: str = "",
    late: rx.Component | None = None,
) -> rx.Component:
    """Render a button that selects the stop on the map."""
    return StopChoice.create(
        rx.el.span(
            number,
            class_name="w-5 shrink-0 text-lg font-bold leading-6 tabular-nums text-gulf-deep",
        ),
        rx.el.span(
            rx.el.span(
                rx.el.span(stop.customer, class_name="font-bold text-ink"),
                rx.el.span(stop.time, class_name="shrink-0 font-semibold tabular-nums text-ink"),
                class_name="flex items-baseline justify-between gap-3",
            ),
            rx.el.span(stop.vehicle, class_name=f"block text-muted {vehicle_class}"),
            rx.el.span(stop.address, class_name="block text-muted"),
            rx.el.span(
                badge(stop.status),
                rx.el.span(way, class_name="text-sm text-muted"),
                late or rx.cond(stop.late, badge("After its window", "yellow")),
                class_name="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1",
            ),
            class_name="block min-w-0 flex-1 text-base",
        ),
        stop_id=stop.id,
        class_name="flex min-w-0 flex-1 cursor-pointer gap-2 rounded-control px-2 py-3 text-left "
        "hover:bg-sand aria-pressed:bg-seafoam",
    )


_DAY = TodaysRouteState
_TODAYS_PIN = (
    "block h-9 w-9 cursor-pointer rounded-full border-2 border-white bg-white shadow-soft "
    "aria-pressed:ring-3 aria-pressed:ring-sun focus-visible:outline-ink"
)


# As high as the map beside it: what stands below a day of 150 stops is still found.
_SCROLLS = "max-h-[70dvh] overflow-y-auto lg:max-h-[calc(100dvh-300px)] lg:min-h-[420px]"


def todays_route() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Optimized Route", id="today-title", class_name=H2),
        map_and_list(
            rx.foreach(_DAY.following, _todays_next),
            _todays_map(),
            rx.el.ul(
                rx.foreach(_DAY.lines, _truck),
                aria_label="Trucks",
                class_name=f"flex flex-wrap gap-x-4 gap-y-1 {TEXT}",
            ),
            listed=rx.el.div(_todays_list(), left_out(_DAY, "Not on a route"), class_name=_SCROLLS),
            stop_ids=_DAY.stop_ids,
            first_id=_DAY.next_id,
        ),
        aria_labelledby="today-title",
        aria_busy=_DAY.loading,
        class_name="mt-8",
    )


def _todays_next(stop: rx.Var[RouteStop]) -> rx.Component:
    when = rx.el.p(f"{stop.truck}, {stop.time}", class_name=TEXT)
    return next_destination(stop, stop.drive, when, key=stop.id)


def _todays_map() -> rx.Component:
    return day_map(
        _DAY,
        _todays_pin,
        rx.foreach(
            _DAY.lines,
            lambda line: MapLine.create(
                positions=line.points, color=line.color, weight=5, opacity=0.75, key=line.truck
            ),
        ),
        zoom=13,
        still_right="Stops and their order are right.",
        waiting=_DAY.loading,
    )


def _todays_pin(stop: rx.Var[RouteStop]) -> rx.Component:
    return stop_pin(
        stop,
        stop_number(stop.place, stop.line_color, "h-full w-full text-base"),
        label=f"{stop.truck}, stop {stop.place}: {stop.customer}",
        class_name=_TODAYS_PIN,
    )


def _truck(line: rx.Var[TruckLine]) -> rx.Component:
    return rx.el.li(
        swatch(line.color), line.truck, key=line.truck, class_name="flex items-center gap-2"
    )


def _todays_list() -> rx.Component:
    return rx.cond(
        _DAY.stops.length() > 0,
        rx.fragment(
            list_by_time(_DAY.to_do, _todays_row),
            rx.cond(
                _DAY.done.length() > 0,
                rx.el.details(
                    rx.el.summary(
                        f"{_DAY.done.length()} done",
                        class_name="flex min-h-11 cursor-pointer items-center px-2 text-base "
                        "font-semibold text-ink",
                    ),
                    list_by_time(_DAY.done, _todays_row, name="Stops that are done"),
                ),
            ),
        ),
        rx.cond(
            _DAY.loading,
            rx.el.div(class_name="skeleton h-24 rounded-control", aria_hidden=True),
            rx.el.p("No stops on a route today", class_name=f"py-6 text-center {TEXT}"),
        ),
    )


def _todays_row(stop: rx.Var[RouteStop]) -> rx.Component:
    way = rx.fragment(f"Stop {stop.place} of {stop.truck} · {stop.drive} drive")
    return stop_row(
        stop, stop.number, way, late=lateness(stop, "Late", "At risk", "After shift", "px-2.5")
    )
