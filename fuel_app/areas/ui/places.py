"""The location field: an ARIA combobox with list autocomplete. Typed text counts as it is."""

from typing import Any

import reflex as rx
from reflex_components_core.el.elements.forms import BaseInput

from fuel_app.areas.state.places import LocationSearch
from fuel_app.kit.ui.fields import CONTROL, described, field_id, framed

# Keys are handled in the browser.
_LOCATION_INPUT = """
const LocationInput = ({
  ref, suggestions, asked, onAsk, onPick, listClass, optionClass, ...props
}) => {
  const own = useRef(null);
  const field = ref ?? own;
  const picking = useRef(false);
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [marked, setMarked] = useState("");  // its text: the list may change under the arrows
  const fits = open && asked && text.trim().toLowerCase().startsWith(asked.trim().toLowerCase());
  const options = fits ? suggestions : [];
  const shown = options.length > 0;
  const active = options.indexOf(marked);
  const optionId = (index) => props.id + "-option-" + index;
  useEffect(() => {
    const option = active >= 0 && document.getElementById(optionId(active));
    if (option) option.scrollIntoView({ block: "nearest" });
  }, [active]);
  useEffect(() => {
    if (!shown) return;
    // Before the dialog hears it, which would close.
    const escape = (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      setOpen(false);
    };
    window.addEventListener("keydown", escape, true);
    return () => window.removeEventListener("keydown", escape, true);
  }, [shown]);
  const change = (event) => {
    setText(event.target.value);
    setOpen(!picking.current);
    setMarked("");
    if (!picking.current) onAsk(event.target.value);
  };
  const pick = (option) => {
    const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    write.call(field.current, option);
    picking.current = true;
    field.current.dispatchEvent(new Event("input", { bubbles: true }));
    picking.current = false;
    onPick();
  };
  const key = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !event.altKey) {
      event.preventDefault();
      if (!shown) { setOpen(true); onAsk(event.target.value); setText(event.target.value); return; }
      const count = options.length + 1;  // one place is the field itself
      setMarked(options[((active + 1 + step + count) % count) - 1] ?? "");
    } else if ((event.key === "Enter" || event.key === "Tab") && shown) {
      if (event.key === "Enter") event.preventDefault();  // it answers the list, not the form
      if (active >= 0) pick(options[active]);
      else setOpen(false);
    }
  };
  return jsx("div", { className: "relative" },
    jsx("input", {
      ...props, ref: field, type: "text", role: "combobox", autoComplete: "off",
      "aria-autocomplete": "list", "aria-expanded": shown, "aria-controls": props.id + "-list",
      "aria-activedescendant": shown && active >= 0 ? optionId(active) : undefined,
      onChange: change, onKeyDown: key, onBlur: () => setOpen(false),
    }),
    jsx("ul", {
        id: props.id + "-list", role: "listbox", "aria-label": "Suggestions", hidden: !shown,
        className: listClass, onMouseDown: (event) => event.preventDefault(),
      },
      options.map((option, index) => jsx("li", {
        key: option, id: optionId(index), role: "option", "aria-selected": index === active,
        className: optionClass, onClick: () => pick(option),
      }, option))),
    jsx("span", { role: "status", className: "sr-only" }, !shown ? ""
      : options.length === 1 ? "1 suggestion" : options.length + " suggestions"));
};
"""
_LIST = (
    "absolute inset-x-0 top-full z-10 mt-1 max-h-60 overflow-y-auto rounded-control border "
    "border-line bg-surface p-1 shadow-soft"
)
_OPTION = (
    "flex min-h-11 cursor-pointer items-center rounded-lg px-3 py-2 text-base text-ink "
    "hover:bg-sand aria-selected:bg-seafoam aria-selected:text-gulf-deep"
)


class _LocationInput(BaseInput):
    tag = "LocationInput"
    _is_tag_in_global_scope = False

    suggestions: rx.Var[list[str]]
    asked: rx.Var[str]
    list_class: rx.Var[str]
    option_class: rx.Var[str]
    on_ask: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_pick: rx.EventHandler[rx.event.no_args_event_spec]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useRef", "useState"]}

    def add_custom_code(self) -> list[str]:
        return [_LOCATION_INPUT]


def location_field(
    label: str, name: str, *, form: str, error: Any = "", default_value: Any = ""
) -> rx.Component:
    """Render the field. Picking a suggestion fires the form's events as typing does."""
    control_id = field_id(form, name)
    hint = rx.cond(
        LocationSearch.ready,
        "An address, a city or a ZIP code in the US",
        "Loading location search...",
    )
    control = _LocationInput.create(
        id=control_id,
        name=name,
        default_value=default_value,
        suggestions=LocationSearch.suggestions,
        asked=LocationSearch.asked,
        on_ask=LocationSearch.suggest.debounce(200),
        on_pick=LocationSearch.pick,
        list_class=_LIST,
        option_class=_OPTION,
        aria_describedby=described(control_id, hint),
        aria_invalid=rx.cond(error != "", "true", "false"),
        aria_required=True,
        class_name=CONTROL,
    )
    return rx.el.div(
        framed(control, control_id, label, error, hint, optional=False),
        on_mount=LocationSearch.prepare,
    )
