"""Which stop of a route is selected, known to map and list alike.

It lives in the browser, so that it also works while the connection is gone.
"""

import reflex as rx

from fuel_app.kit.ui.map.leaflet import MapPin, MapPopup

# Whenever the stops change, the first one is selected. Global for the reason in `leaflet.py`.
_SELECTION = """
const RouteSelection = (globalThis.routeSelection ??= createContext({ id: null }));
const SelectedStop = ({ stopIds, children }) => {
  const all = stopIds.join();
  const first = { id: stopIds[0] ?? null, all, from: "start" };
  const [chosen, setChosen] = useState(first);
  if (chosen.all !== all) setChosen(first);
  const [acts] = useState(() => ({
    choose: (id, from) => setChosen((now) => ({ ...now, id, from })),
    clear: (id) => setChosen((now) => (now.id === id ? { ...now, id: null } : now)),
  }));
  const value = useMemo(() => ({ ...chosen, ...acts }), [chosen, acts]);
  return jsx(RouteSelection, { value }, children);
};
"""

_CHOICE = """
const StopChoice = ({ stopId, onMap, children, ...props }) => {
  const { id, choose } = useContext(RouteSelection);
  return jsx("button", {
    ...props, type: "button", "aria-pressed": id === stopId,
    onClick: () => choose(stopId, onMap ? "map" : "list"),
  }, children);
};
"""

# The pin of the selected stop lies above the others, of which one may be at the same place.
_STOP_PIN = """
const StopPin = ({ stopId, ...props }) =>
  jsx(MapPin, { ...props, front: useContext(RouteSelection).id === stopId });
"""

# Whoever chose the stop on the map goes on in its popup; who did so in the list goes on there, and
# sees the map.
_STOP_POPUP = """
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
    """Stands around map and list. `stop_ids` are in driving order."""

    tag = "SelectedStop"
    stop_ids: rx.Var[list[str]]


class StopChoice(_Selection):
    """A button that selects a stop, pressed while that stop is the selected one."""

    tag = "StopChoice"
    stop_id: rx.Var[str]
    on_map: rx.Var[bool]

    def add_custom_code(self) -> list[str]:
        return [_CHOICE]


class StopPin(MapPin, _Selection):
    """The pin of one stop."""

    tag = "StopPin"
    stop_id: rx.Var[str]

    def add_custom_code(self) -> list[str]:
        return [_STOP_PIN]


class StopPopup(MapPopup, _Selection):
    """The popup of one stop, open while it is selected; closing it selects none."""

    tag = "StopPopup"
    stop_id: rx.Var[str]

    def add_custom_code(self) -> list[str]:
        return [_STOP_POPUP]
