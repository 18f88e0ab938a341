// The dragged entry follows the pointer and the others make room; the DOM changes only with the
// server's new order. An entry is an `li` with `data-entry`, its handle a button with `data-handle`.
// After a move by key the focus follows the entry.
const ReorderList = ({ order, onMove, children, ...props }) => {
  const list = useRef(null);
  const held = useRef(null);
  const kept = useRef(null);
  const entries = () => Array.from(list.current.querySelectorAll(":scope > [data-entry]"));
  useEffect(() => {
    if (!kept.current) return;
    const entry = entries().find((each) => each.dataset.entry === kept.current.entry);
    const again = entry?.querySelector(kept.current.button);
    if (again && !again.disabled) again.focus();
    else entry?.querySelector("[data-handle]")?.focus();
    kept.current = null;
  }, [order.join()]);
  const down = (event) => {
    const entry = event.target.closest("[data-handle]")?.closest("[data-entry]");
    if (!entry || event.button !== 0) return;
    event.preventDefault();
    entry.querySelector("[data-handle]").focus({ preventScroll: true });
    list.current.setPointerCapture(event.pointerId);
    const all = entries();
    const boxes = all.map((each) => each.getBoundingClientRect());
    const from = all.indexOf(entry);
    held.current = { entry, all, boxes, from, to: from, y: event.clientY + window.scrollY };
  };
  const drag = (event) => {
    const now = held.current;
    if (!now) return;
    const by = event.clientY + window.scrollY - now.y;
    const box = now.boxes[now.from];
    const middle = box.top + box.height / 2 + by;
    now.to = now.boxes.filter(
      (other, index) => index !== now.from && other.top + other.height / 2 < middle).length;
    now.all.forEach((each, index) => {
      const shift = index === now.from ? by
        : index > now.from && index <= now.to ? -box.height
        : index < now.from && index >= now.to ? box.height : 0;
      each.style.transform = shift ? `translateY(${shift}px)` : "";
      each.style.zIndex = index === now.from ? 1 : "";
      each.toggleAttribute("data-dragged", index === now.from);
    });
    const edge = 60;
    if (event.clientY < edge) window.scrollBy(0, -12);
    else if (event.clientY > window.innerHeight - edge) window.scrollBy(0, 12);
  };
  const drop = (event) => {
    const now = held.current;
    if (!now) return;
    held.current = null;
    for (const each of now.all) {
      each.style.transform = each.style.zIndex = "";
      each.removeAttribute("data-dragged");
    }
    if (event.type === "pointerup" && now.to !== now.from) {
      onMove(now.entry.dataset.entry, now.to + 1);
    }
  };
  const key = (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const handle = event.target.closest("[data-handle]");
    if (event.key === "Escape" && held.current) return drop(event);
    if (step && handle) { event.preventDefault(); move(handle, step, "[data-handle]"); }
  };
  const click = (event) => {
    const button = event.target.closest("[data-step]");
    if (button) move(button, Number(button.dataset.step), `[data-step="${button.dataset.step}"]`);
  };
  const move = (from, step, button) => {
    const entry = from.closest("[data-entry]").dataset.entry;
    const place = entries().findIndex((each) => each.dataset.entry === entry) + 1 + step;
    if (place < 1 || place > entries().length) return;
    kept.current = { entry, button };
    onMove(entry, place);
  };
  return jsx("ol", {
    ...props, ref: list, onPointerDown: down, onPointerMove: drag, onPointerUp: drop,
    onPointerCancel: drop, onKeyDown: key, onClick: click,
  }, children);
};
