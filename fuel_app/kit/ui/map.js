// Leaflet as React components. The compiler may copy this file into two modules of one page, so
// the contexts are global: one holds Leaflet's module, the other the map.
const Leaflet = (globalThis.leafletModule ??= createContext(null));
const LeafletMap = (globalThis.leafletMap ??= createContext(null));

// The stylesheet is adopted as an object: the content policy forbids style elements.
const fetchLeaflet = async () => {
  const [leaflet, css] = await Promise.all([
    import("leaflet"), import("leaflet/dist/leaflet.css?inline"),
  ]);
  if (!globalThis.leafletStyles) {
    globalThis.leafletStyles = new CSSStyleSheet();
    globalThis.leafletStyles.replaceSync(css.default);
    document.adoptedStyleSheets.push(globalThis.leafletStyles);
  }
  return leaflet.default ?? leaflet;
};

// Fetches Leaflet, with retries: phones lose the connection.
const MapReady = ({ loading, failed, children }) => {
  const [leaflet, setLeaflet] = useState(null);
  const [error, setError] = useState(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let gone = false;
    (async () => {
      for (const pause of [500, 1000, 2000, 0]) {
        try {
          const fetched = await fetchLeaflet();
          return gone || setLeaflet(fetched);
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
  return leaflet ? jsx(Leaflet, { value: leaflet }, children) : loading;
};

// Fits the map to `places`, also when they change, until the visitor moves the map. The padding
// leaves room for the zoom buttons, half a marker and the attribution.
const MapContainer = ({ places, zoom, className, children }) => {
  const leaflet = useContext(Leaflet);
  const [map, setMap] = useState(null);
  const box = useRef(null);
  const moved = useRef(false);
  const bounds = JSON.stringify(places);
  const [size, setSize] = useState("");  // nothing while the map is hidden
  useEffect(() => {
    const watch = new ResizeObserver(([{ contentRect: { width, height } }]) => {
      setSize(`${width} ${height}`);
    });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const created = leaflet.map(box.current, { scrollWheelZoom: false });
    created.attributionControl.setPrefix(false);
    setMap(created);
    return () => { setMap(null); created.remove(); };
  }, [leaflet]);
  useLayoutEffect(() => {
    if (!map) return;
    map.invalidateSize({ animate: false });
    if (moved.current) return;
    map.fitBounds(JSON.parse(bounds), {
      maxZoom: zoom, paddingTopLeft: [64, 24], paddingBottomRight: [24, 36], animate: false,
    });
    map.fire("fitted");
  }, [map, bounds, zoom, size]);
  const onMove = () => { moved.current = map !== null; };
  return jsx("div",
    { ref: box, className, onPointerDownCapture: onMove, onKeyDownCapture: onMove },
    map && jsx(LeafletMap, { value: map }, children));
};

// Its children show while tiles are missing. Leaflet does not retry a failed tile: all tiles are
// fetched again when the connection is back.
const MapTiles = ({ url, attribution, children }) => {
  const leaflet = useContext(Leaflet);
  const map = useContext(LeafletMap);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    const tiles = leaflet.tileLayer(url, { attribution }).addTo(map);
    tiles.on({ tileerror: () => setMissing(true), tileload: () => setMissing(false) });
    const retry = () => tiles.redraw();
    window.addEventListener("online", retry);
    return () => { window.removeEventListener("online", retry); tiles.remove(); };
  }, [leaflet, map, url, attribution]);
  return missing && children;
};

const MapLine = ({ positions, color, weight, opacity, dashes }) => {
  const leaflet = useContext(Leaflet);
  const map = useContext(LeafletMap);
  useEffect(() => {
    const line = leaflet.polyline(positions, { color, weight, opacity, dashArray: dashes });
    line.addTo(map);
    return () => { line.remove(); };
  }, [leaflet, map, positions, color, weight, opacity, dashes]);
  return null;
};

// Pins that would lie on each other become one with their number, which zooms in on them; close by
// all are shown.
const TOGETHER = 24, CLOSE = 17;
const groupsOf = (leaflet, map) => {
  if (map.pinGroups) return map.pinGroups;
  const pins = new Set();
  let shown = [];
  let frame = 0;
  let isGone = false;
  const face = (members) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = members.length;
    button.setAttribute("aria-label", `${members.length} stops: zoom in`);
    button.className = "flex h-8 w-8 cursor-pointer items-center justify-center rounded-full border-2 "
      + "border-white bg-ink text-xs font-bold text-white shadow-soft";
    button.onclick = () => map.fitBounds(
      leaflet.latLngBounds(members.map((pin) => pin.getLatLng())).pad(0.2), { maxZoom: CLOSE });
    return button;
  };
  const group = () => {
    shown.forEach((each) => each.remove());
    const groups = [];
    for (const pin of pins) {
      const at = map.latLngToLayerPoint(pin.getLatLng());
      const isAlone = pin.isFront || map.getZoom() >= CLOSE;
      const near = isAlone ? null : groups.find((each) => each.at?.distanceTo(at) < TOGETHER);
      if (near) near.pins.push(pin);
      else groups.push({ at: isAlone ? null : at, pins: [pin] });
    }
    for (const { pins: members } of groups) {
      for (const pin of members) pin.getElement().style.display = members.length > 1 ? "none" : "";
    }
    shown = groups.filter((each) => each.pins.length > 1).map(({ pins: members }) => {
      const icon = leaflet.divIcon({ html: face(members), className: "", iconSize: [32, 32] });
      return leaflet.marker(members[0].getLatLng(), { icon, keyboard: false }).addTo(map);
    });
  };
  const later = () => {
    cancelAnimationFrame(frame);
    if (!isGone) frame = requestAnimationFrame(group);
  };
  map.on("zoomend", later);
  map.on("unload", () => { isGone = true; cancelAnimationFrame(frame); });
  map.pinGroups = {
    add: (pin) => { pins.add(pin); later(); },
    remove: (pin) => { pins.delete(pin); later(); },
    later,
  };
  return map.pinGroups;
};

// Leaflet positions an empty box; React renders the children into it.
const MapPin = ({ lat, lng, size, front, grouped, children }) => {
  const leaflet = useContext(Leaflet);
  const map = useContext(LeafletMap);
  const [face] = useState(() => document.createElement("div"));
  const pin = useRef(null);
  useEffect(() => {
    const icon = leaflet.divIcon({ html: face, className: "", iconSize: [size, size] });
    const marker = leaflet.marker([lat, lng], { icon, keyboard: false }).addTo(map);
    pin.current = marker;
    if (grouped) groupsOf(leaflet, map).add(marker);
    return () => {
      if (grouped) groupsOf(leaflet, map).remove(marker);
      marker.remove();
    };
  }, [leaflet, map, face, lat, lng, size, grouped]);
  useEffect(() => {
    pin.current.setZIndexOffset(front ? 1000 : 0);
    pin.current.isFront = front;
    if (grouped) groupsOf(leaflet, map).later();
  }, [leaflet, map, face, lat, lng, size, front, grouped]);
  return createPortal(children, face);
};

// Dragged, put where the map is pressed, or moved by the arrow keys: eight pixels, with Shift 40.
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MovablePin = ({ lat, lng, size, label, onMove, children }) => {
  const leaflet = useContext(Leaflet);
  const map = useContext(LeafletMap);
  const [face] = useState(() => document.createElement("div"));
  const pin = useRef(null);
  const tell = useRef(onMove);
  tell.current = onMove;
  useEffect(() => {
    const icon = leaflet.divIcon({
      html: face, className: "", iconSize: [size, size], iconAnchor: [size / 2, size],
    });
    const marker = leaflet.marker([lat, lng], { icon, draggable: true, autoPan: true }).addTo(map);
    const told = () => { const at = marker.getLatLng().wrap(); tell.current(at.lat, at.lng); };
    const put = (at) => { marker.setLatLng(at); map.panInside(at, { padding: [40, 40] }); told(); };
    const press = (event) => { put(event.latlng); marker.getElement().focus(); };
    const step = (event) => {
      if (!STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const by = leaflet.point(STEPS[event.key]).multiplyBy(event.shiftKey ? 40 : 8);
      put(map.layerPointToLatLng(map.latLngToLayerPoint(marker.getLatLng()).add(by)));
    };
    pin.current = marker;
    marker.getElement().setAttribute("aria-label", label);
    marker.on("dragend", told);
    marker.getElement().addEventListener("keydown", step);
    map.on("click", press);
    map.keyboard.disable();  // the arrows are the pin's
    map.getContainer().tabIndex = -1;
    return () => { map.off("click", press); marker.remove(); };
  }, [leaflet, map, face, size, label]);
  useEffect(() => { pin.current.setLatLng([lat, lng]); }, [leaflet, map, face, size, label, lat, lng]);
  return createPortal(children, face);
};

// Open while it is in the page. It pans the map only when it opens, and gives the focus back to
// the element that had it.
const MapPopup = ({ lat, lng, takeFocus, bringIntoView, onClose, children }) => {
  const leaflet = useContext(Leaflet);
  const map = useContext(LeafletMap);
  const [body] = useState(() => Object.assign(document.createElement("div"), { tabIndex: -1 }));
  const opener = useRef(document.activeElement);
  useEffect(() => {
    const popup = leaflet.popup([lat, lng], {
      content: body, closeOnClick: false, closeOnEscapeKey: false,
      minWidth: 200, maxWidth: 240, maxHeight: 260, autoPan: false,
      autoPanPaddingTopLeft: [64, 12], autoPanPaddingBottomRight: [12, 24],
    }).openOn(map);
    const pan = () => {
      popup.options.autoPan = true;
      popup.update();
      popup.options.autoPan = false;
    };
    const timer = setTimeout(pan);  // the popup takes its size first
    map.on("fitted", pan);
    popup.on("remove", onClose);
    return () => {
      clearTimeout(timer);
      map.off("fitted", pan);
      popup.off("remove", onClose).remove();
    };
  }, [leaflet, map, body, lat, lng, onClose]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (takeFocus) body.focus({ preventScroll: true });
      if (bringIntoView) map.getContainer().scrollIntoView({ block: "nearest" });
    });
    return () => clearTimeout(timer);
  }, [map, body, takeFocus, bringIntoView]);
  useEffect(() => {
    const escape = (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      const inside = body.contains(document.activeElement);
      onClose();
      if (inside && opener.current?.isConnected) opener.current.focus();
    };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [body, onClose]);
  return createPortal(children, body);
};
