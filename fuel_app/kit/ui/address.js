// While the page arrives, by a link or by Back, the address is read, not written; a Back changes it
// some milliseconds before the router knows, hence `last`. What the router keeps in the history's
// state stays there: it needs its `idx` and `key` for Back. It takes an entry with the key that it
// knows for the one that it shows, so that key moves on to the new entry.
const AddressMirror = ({ address, replaces, settled, dialog, onLeave }) => {
  const open = useRef(false);
  open.current = dialog;
  useEffect(() => () => { if (open.current) onLeave(); }, []);
  const known = useLocation();
  const last = useRef("");
  useEffect(() => { last.current = window.location.search; }, [known]);
  useEffect(() => {
    const { pathname, search } = window.location;
    if (!settled || search !== last.current) return;
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
  }, [address, settled]);
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
