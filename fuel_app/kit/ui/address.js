// Whether the document shows another address than the one that it was loaded with. It stands in the
// frame of every page, before what it shows.
const Moves = () => {
  const { key } = useLocation();
  const first = useRef(key);
  if (key !== first.current) window.hasMoved = true;
  return null;
};
// Whether the state has answered the address that the router shows. Its `arrival` as the address
// changes is of the one before; it is another one once the new one is answered. A page's code can
// come after the answer to the document's first address: there all that has settled is an answer. A
// link to a place on the page asks nothing. The framework sends the address as the browser shows it.
const useArrived = (arrival, settled) => {
  const known = useLocation();
  const [seen, setSeen] = useState({ known, arrival, arrived: false });
  const at = ({ pathname, search }) => pathname + search;
  const stays = at(seen.known) === at(known) && (seen.known.key === known.key || known.hash !== "");
  const answered = arrival.slice(arrival.indexOf(" ") + 1) === at(known) || settled;
  const isNew = arrival !== seen.arrival || (settled && !window.hasMoved);
  if (!stays) setSeen({ known, arrival, arrived: false });
  else if (!seen.arrived && arrival && isNew && answered) setSeen({ ...seen, arrived: true });
  return stays && seen.arrived;
};
// The first child until then, the second one from then on.
const Arrived = ({ arrival, settled, children }) => children[useArrived(arrival, settled) ? 1 : 0];
// While the page arrives, by a link or by Back, the address is read, not written; a Back changes it
// some milliseconds before the router knows, hence `last`. What the router keeps in the history's
// state stays there: it needs its `idx` and `key` for Back. It takes an entry with the key that it
// knows for the one that it shows, so that key moves on to the new entry.
const AddressMirror = ({ address, arrival, replaces, settled }) => {
  const known = useLocation();
  const arrived = useArrived(arrival, settled);
  const last = useRef("");
  useEffect(() => { last.current = window.location.search; }, [known]);
  useEffect(() => {
    const { pathname, search } = window.location;
    if (!settled || !arrived || search !== last.current) return;
    const [path, asked = ""] = address.split("?");
    if (path !== pathname.replace(/\/$/, "") || search === (asked && `?${asked}`)) return;
    const state = window.history.state ?? {};
    if (replaces) window.history.replaceState(state, "", address);
    else {
      const key = Math.random().toString(36).slice(2, 10);
      window.history.replaceState({ ...state, key }, "");
      window.history.pushState({ ...state, idx: (state.idx ?? 0) + 1 }, "", address);
    }
    last.current = window.location.search;
    const page = (query) => new URLSearchParams(query).get("page");
    if (page(search) !== page(asked)) window.scrollTo(0, 0);
  }, [address, settled, arrived]);
  // A link to the address that the router knows replaces the entry that is shown: keep a copy of it.
  useEffect(() => {
    const keep = ({ target }) => {
      const { pathname, search, href } = window.location;
      const link = target.closest?.("a[href]");
      const repeats = link?.pathname === known.pathname && link.search === known.search;
      if (!repeats || pathname !== known.pathname || search === known.search) return;
      const state = window.history.state ?? {};
      window.history.pushState({ ...state, idx: (state.idx ?? 0) + 1 }, "", href);
    };
    window.addEventListener("click", keep, true);
    return () => window.removeEventListener("click", keep, true);
  }, [known]);
  return null;
};
