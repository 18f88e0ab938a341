"""Leaflet maps (react-leaflet), fetched only when one is to be shown."""

from collections.abc import Sequence
from typing import Any

import reflex as rx
from reflex.vars.function import ArgsFunctionOperation

# One fetch for all that a map is made of, its stylesheet too: that one is handed to the document
# as an object, which the content policy allows. Four attempts, since phones lose the line.
# The compiler may put this text into two modules of one page, so what they share is global.
_LIBRARY = """
const MapLibrary = (globalThis.mapLibrary ??= createContext(null));
function fromMapLibrary(name) {  // hoisted: it may be called further up
  return (props) => jsx(useContext(MapLibrary)[name], props);
}
const fetchMapLibrary = async () => {
  const [react, leaflet, css] = await Promise.all([
    import("react-leaflet"), import("leaflet"), import("leaflet/dist/leaflet.css?inline"),
  ]);
  if (!globalThis.mapStyles) {
    globalThis.mapStyles = new CSSStyleSheet();
    globalThis.mapStyles.replaceSync(css.default);
    document.adoptedStyleSheets.push(globalThis.mapStyles);
  }
  return { ...react, divIcon: (leaflet.default ?? leaflet).divIcon };
};
const MapReady = ({ loading, failed, children }) => {
  const [library, setLibrary] = useState(null);
  const [error, setError] = useState(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let gone = false;
    (async () => {
      for (const pause of [500, 1000, 2000, 0]) {
        try {
          const fetched = await fetchMapLibrary();
          return gone || setLibrary(fetched);
        } catch (problem) {
          if (gone || !pause) return gone || setError(problem);
          await new Promise((done) => setTimeout(done, pause));
        }
      }
    })();
    return () => { gone = true; };
  }, [round]);
  const retry = () => { setError(null); setRound(round + 1); };
  if (error) return failed({ message: error.message, retry });
  return library ? jsx(MapLibrary, { value: library }, children) : loading;
};
"""

# A failed tile is not asked for again by Leaflet itself, so all are when the line is back.
_TILES = """
const MapTiles = ({ url, attribution, children }) => {
  const { TileLayer, useMap } = useContext(MapLibrary);
  const map = useMap();
  const [missing, setMissing] = useState(false);
  const layer = useRef(null);
  const heard = useMemo(
    () => ({ tileerror: () => setMissing(true), tileload: () => setMissing(false) }), []);
  useEffect(() => { map.attributionControl.setPrefix(false); }, [map]);
  useEffect(() => {
    const again = () => layer.current?.redraw();
    window.addEventListener("online", again);
    return () => window.removeEventListener("online", again);
  }, []);
  return jsx(Fragment, {},
    jsx(TileLayer, { ref: layer, url, attribution, eventHandlers: heard }),
    missing && children);
};
"""

# A marker whose face is made of components, with its middle on the place.
_PIN = """
const MapPin = ({ lat, lng, size, front, children }) => {
  const { Marker, divIcon } = useContext(MapLibrary);
  const [face] = useState(() => document.createElement("div"));
  const icon = useMemo(
    () => divIcon({ html: face, className: "", iconSize: [size, size] }), [face, size]);
  const position = useMemo(() => [lat, lng], [lat, lng]);
  return jsx(Fragment, {},
    jsx(Marker, { position, icon, keyboard: false, zIndexOffset: front ? 1000 : 0 }),
    createPortal(children, face));
};
"""

# Moves the map to a place that became known late, unless somebody has moved it meanwhile.
_CENTRE = """
const MapCentre = ({ lat, lng }) => {
  const map = useContext(MapLibrary).useMap();
  const moved = useRef(false);
  useEffect(() => {
    const note = () => { moved.current = true; };
    const box = map.getContainer();
    for (const what of ["pointerdown", "keydown"]) box.addEventListener(what, note);
    return () => {
      for (const what of ["pointerdown", "keydown"]) box.removeEventListener(what, note);
    };
  }, [map]);
  useEffect(() => {
    if (moved.current) return;
    map.setView([lat, lng], map.getZoom(), { animate: false });
    map.fire("recentred");
  }, [map, lat, lng]);
  return null;
};
"""


# Open as long as it is in the page. It moves the map to be seen when it opens, and not at every
# change. It hands the focus back to whatever had it.
_POPUP = """
const MapPopupBody = ({ seen, takeFocus, bringIntoView, onClose, children }) => {
  const map = useContext(MapLibrary).useMap();
  const body = useRef(null);
  const opener = useRef(document.activeElement);
  useEffect(() => {
    const timer = setTimeout(() => {  // the popup takes its size first
      seen();
      if (takeFocus) body.current.focus({ preventScroll: true });
      if (bringIntoView) map.getContainer().scrollIntoView({ block: "nearest" });
    });
    map.on("recentred", seen);
    return () => { clearTimeout(timer); map.off("recentred", seen); };
  }, [map, seen, takeFocus, bringIntoView]);
  useEffect(() => {
    const escape = (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      const inside = body.current.contains(document.activeElement);
      onClose();
      if (inside && opener.current?.isConnected) opener.current.focus();
    };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [onClose]);
  return jsx("div", { ref: body, tabIndex: -1 }, children);
};
const MapPopup = ({ lat, lng, onClose, children, ...props }) => {
  const { Popup } = useContext(MapLibrary);
  const popup = useRef(null);
  const position = useMemo(() => [lat, lng], [lat, lng]);
  const heard = useMemo(() => ({ remove: onClose }), [onClose]);
  const seen = useCallback(() => {
    if (!popup.current) return;
    popup.current.options.autoPan = true;
    popup.current.update();
    popup.current.options.autoPan = false;
  }, []);
  return jsx(Popup, {
      ref: popup, position, eventHandlers: heard, closeOnClick: false, closeOnEscapeKey: false,
      minWidth: 200, maxWidth: 240, maxHeight: 260, autoPan: false,
      autoPanPaddingTopLeft: [64, 12], autoPanPaddingBottomRight: [12, 24],
    },
    jsx(MapPopupBody, { ...props, seen, onClose }, children));
};
"""


class _Leaflet(rx.Component):
    """Part of a map. It stands inside `map_ready`, which fetches the library.

    The library is installed but not imported here, or it would be in the page's own scripts.
    """

    lib_dependencies: list[str] = ["react-leaflet@5.0.0", "leaflet@1.9.4"]

    def add_imports(self) -> rx.ImportDict:
        return {"react": [*_HOOKS, "Fragment", "createContext"], "react-dom": "createPortal"}

    def add_custom_code(self) -> list[str]:
        return [_LIBRARY]


_HOOKS = ["useCallback", "useContext", "useEffect", "useMemo", "useRef", "useState"]


class _MapReady(_Leaflet):
    tag = "MapReady"
    loading: rx.Var[rx.Component]
    failed: rx.Var[Any]


def map_ready(*children: Any, loading: rx.Component, failed: rx.Component) -> rx.Component:
    """Shows `children` as soon as the library is there.

    Args:
        loading: Shows until then.
        failed: Shows when it could not be had; may use `FETCH_PROBLEM` and `FETCH_AGAIN`.
    """
    return _MapReady.create(
        *children,
        loading=loading,
        failed=ArgsFunctionOperation.create(("problem",), rx.Var.create(failed)),
    )


FETCH_PROBLEM = rx.Var("problem.message", _var_type=str)
FETCH_AGAIN = rx.Var("problem.retry", _var_type=rx.EventChain)


class MapContainer(_Leaflet):
    """The map itself. Its centre and zoom are where it starts, not where it stays."""

    tag = "MapContainer"
    center: rx.Var[Sequence[float]]
    zoom: rx.Var[int]
    scroll_wheel_zoom: rx.Var[bool]

    def add_custom_code(self) -> list[str]:
        return ['const MapContainer = fromMapLibrary("MapContainer");']


class Polyline(_Leaflet):
    tag = "Polyline"
    positions: rx.Var[Sequence[Sequence[float]]]
    path_options: rx.Var[dict[str, Any]]

    def add_custom_code(self) -> list[str]:
        return ['const Polyline = fromMapLibrary("Polyline");']


class MapTiles(_Leaflet):
    """The map's ground. Its children show while tiles are missing."""

    tag = "MapTiles"
    url: rx.Var[str]
    attribution: rx.Var[str]

    def add_custom_code(self) -> list[str]:
        return [_TILES]


class MapPin(_Leaflet):
    """Its children, `size` pixels wide and high, with their middle on a place."""

    tag = "MapPin"
    lat: rx.Var[float]
    lng: rx.Var[float]
    size: rx.Var[int]
    front: rx.Var[bool]

    def add_custom_code(self) -> list[str]:
        return [_PIN]


class MapCentre(_Leaflet):
    """Keeps a place in the middle until somebody moves the map."""

    tag = "MapCentre"
    lat: rx.Var[float]
    lng: rx.Var[float]

    def add_custom_code(self) -> list[str]:
        return [_CENTRE]


class MapPopup(_Leaflet):
    """A box that points at a place."""

    tag = "MapPopup"
    lat: rx.Var[float]
    lng: rx.Var[float]
    take_focus: rx.Var[bool]
    bring_into_view: rx.Var[bool]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]

    def add_custom_code(self) -> list[str]:
        return [_POPUP]
