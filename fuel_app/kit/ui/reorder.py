"""A list that is reordered by pointer, arrow keys or buttons."""

from typing import Any

import reflex as rx

# The dragged entry follows the pointer and the others make room; the DOM changes only with the
# server's new order. An entry is an `li` with `data-entry`, its handle a button with `data-handle`.
# After a move by key the focus follows the entry.
_REORDER = """
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
"""


class _ReorderList(rx.Component):
    tag = "ReorderList"
    order: rx.Var[list[str]]
    on_move: rx.EventHandler[rx.event.passthrough_event_spec(str, int)]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useRef"]}

    def add_custom_code(self) -> list[str]:
        return [_REORDER]


def reorder_list(*entries: Any, order: Any, on_move: Any, class_name: str) -> rx.Component:
    """Render the list of `reorder_entry` entries.

    Args:
        order: The entries' ids as they stand.
        on_move: Takes an id and its new place, counted from 1.
    """
    return _ReorderList.create(*entries, order=order, on_move=on_move, class_name=class_name)


def reorder_entry(
    *children: Any, id: Any, name: Any, first: Any, last: Any, class_name: str
) -> rx.Component:
    """Render an entry with its handle, a button up and one down."""
    return rx.el.li(
        rx.el.button(
            rx.icon("grip-vertical", size=20, aria_hidden=True),
            type="button",
            aria_label=f"Move {name}: drag, or press the arrow keys",
            custom_attrs={"data-handle": ""},
            class_name="inline-flex min-h-11 w-6 shrink-0 cursor-grab touch-none items-center "
            "justify-center self-stretch rounded-control text-muted hover:bg-seafoam",
        ),
        *children,
        rx.el.div(
            _step("chevron-up", f"Move up {name}", -1, disabled=first),
            _step("chevron-down", f"Move down {name}", 1, disabled=last),
            class_name="flex shrink-0 flex-col",
        ),
        key=id,
        custom_attrs={"data-entry": id},
        class_name=class_name,
    )


def _step(icon: str, label: Any, step: int, *, disabled: Any) -> rx.Component:
    return rx.el.button(
        rx.icon(icon, size=20, aria_hidden=True),
        type="button",
        aria_label=label,
        disabled=disabled,
        custom_attrs={"data-step": str(step)},
        class_name="inline-flex h-11 w-11 max-sm:w-9 cursor-pointer items-center justify-center "
        "rounded-control text-muted hover:bg-seafoam hover:text-gulf-deep "
        "disabled:cursor-default disabled:opacity-30",
    )
