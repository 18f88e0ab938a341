// Drag and drop by mouse, arrow keys among the places for a stop, Escape. The buttons on stops and
// places do the same without it. Only data attributes are read: `data-stop` on what can be picked
// up, `data-move` on its button, `data-gap` on a place, inside `data-column`.
const DispatchBoard = ({ held, selected, onPick, onPut, onCancel, children, ...props }) => {
  const box = useRef(null);
  const before = useRef("");
  const dragged = useRef("");
  const over = useRef(null);
  const find = (name, id) => box.current.querySelector(`[data-${name}="${CSS.escape(id)}"]`);
  useEffect(() => {
    if (selected) find("stop", selected)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected]);
  useEffect(() => {
    const last = before.current;
    before.current = held;
    const first = (best) => box.current.querySelector(`[data-gap]${best}`);
    if (held && !dragged.current) (first("[data-best='in time']") ?? first("[data-best]"))?.focus();
    if (!held && last) find("move", last)?.focus();
  }, [held]);
  useEffect(() => {
    if (!held) return undefined;
    const escape = (event) => { if (event.key === "Escape") onCancel(); };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [held]);
  const mark = (gap) => {
    over.current?.removeAttribute("data-over");
    gap?.setAttribute("data-over", "");
    over.current = gap;
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
    const gap = dragged.current ? event.target.closest("[data-gap]") : null;
    if (gap) event.preventDefault();
    mark(gap);
  };
  const drop = (event) => {
    if (!over.current) return;
    event.preventDefault();
    onPut(over.current.dataset.gap);
    dragged.current = "";
  };
  const end = () => {
    if (dragged.current) onCancel();
    dragged.current = "";
    mark(null);
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
    onKeyDown: step,
  }, children);
};
