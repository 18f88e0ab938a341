"""The map of a day's route. The selected stop lives in the browser: it works offline."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app.dispatch.state.day_route import RouteStop
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.map import MapPin, MapPopup, map_frame

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
