// Drag and drop by mouse, arrow keys among the places for a stop, Escape. The buttons on stops and
// places do the same without it. Only data attributes are read: `data-stop` on what can be picked
// up, `data-move` on its button, `data-gap` on a place, inside `data-column`; `data-jump` names a
// column to show.
const DispatchBoard = ({ held, selected, sought, onPick, onPut, onCancel, children, ...props }) => {
  const box = useRef(null);
  const before = useRef("");
  const dragged = useRef("");
  const over = useRef(null);
  const find = (name, id) => box.current.querySelector(`[data-${name}="${CSS.escape(id)}"]`);
  const show = (element) => {
    const folded = element?.closest("details");
    if (folded) folded.open = true;
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  useEffect(() => { if (selected) show(find("stop", selected)); }, [selected]);
  useEffect(() => {
    if (sought.trim()) show(box.current.querySelector("[data-stop]:not([hidden])"));
  }, [sought]);
  useEffect(() => {
    const last = before.current;
    before.current = held;
    const first = (best) => box.current.querySelector(`[data-gap]${best}`);
    if (held && !dragged.current) (first("[data-best='in time']") ?? first("[data-best]"))?.focus();
    if (!held && last) find("move", last)?.focus({ preventScroll: true });
  }, [held]);
  useEffect(() => {
    if (!held) return undefined;
    const escape = (event) => { if (event.key === "Escape") onCancel(); };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [held]);
  const mark = (gap) => {
    if (gap === over.current) return;
    over.current?.removeAttribute("data-over");
    gap?.setAttribute("data-over", "");
    over.current = gap;
  };
  // A column takes a stop wherever it is dropped, at the place nearest to the pointer.
  const nearest = (event) => {
    const gaps = event.target.closest("[data-column]")?.querySelectorAll("[data-gap]") ?? [];
    const away = (gap) => {
      const { top, bottom } = gap.getBoundingClientRect();
      return Math.abs((top + bottom) / 2 - event.clientY);
    };
    return Array.from(gaps).reduce((best, gap) => (!best || away(gap) < away(best) ? gap : best), null);
  };
  const start = (event) => {
    const stop = event.target.closest?.("[data-stop][draggable=true]");
    if (!stop) return;
    dragged.current = stop.dataset.stop;
    event.dataTransfer.setData("text/plain", stop.dataset.stop);
    event.dataTransfer.effectAllowed = "move";
    onPick(stop.dataset.stop);
  };
  const drag = (event) => {
    if (!dragged.current) return;
    // Over a column whose places are not known yet, too: they wait for a click then.
    if (event.target.closest("[data-column]")) event.preventDefault();
    mark(nearest(event));
  };
  const drop = (event) => {
    if (!dragged.current) return;
    event.preventDefault();
    const gap = nearest(event);
    if (gap) onPut(gap.dataset.gap);
    if (gap || !held) dragged.current = "";
    mark(null);
  };
  const end = () => {
    if (dragged.current) onCancel();
    dragged.current = "";
    mark(null);
  };
  const jump = (event) => {
    const to = event.target.closest("[data-jump]")?.dataset.jump;
    if (to) find("column", to)?.scrollIntoView({ block: "nearest", inline: "start" });
  };
  const step = (event) => {
    const gap = event.target.closest("[data-gap]");
    const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!gap || !by) return;
    event.preventDefault();
    const all = (part, what) => Array.from(part.querySelectorAll(what));
    const column = gap.closest("[data-column]");
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const gaps = all(column, "[data-gap]");
      gaps[gaps.indexOf(gap) + by]?.focus();
      return;
    }
    const columns = all(box.current, "[data-column]").filter((each) => all(each, "[data-gap]").length);
    const next = columns[columns.indexOf(column) + by];
    (next?.querySelector("[data-best]") ?? next?.querySelector("[data-gap]"))?.focus();
  };
  return jsx("div", {
    ...props, ref: box, onDragStart: start, onDragOver: drag, onDrop: drop, onDragEnd: end,
    onClick: jump, onKeyDown: step,
  }, children);
};
