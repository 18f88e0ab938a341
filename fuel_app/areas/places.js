// Keys are handled in the browser.
const LocationInput = ({
  ref, suggestions, asked, onAsk, onPick, listClass, optionClass, ...props
}) => {
  const own = useRef(null);
  const field = ref ?? own;
  const list = useRef(null);
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
  // It comes late, perhaps as the form's button is being pressed: it ends above that.
  useLayoutEffect(() => {
    const submit = shown && field.current.form?.querySelector("[type=submit]");
    if (!submit) return;
    const room = submit.getBoundingClientRect().top - list.current.getBoundingClientRect().top;
    list.current.style.maxHeight = room > 0 ? `min(15rem, ${room - 8}px)` : "";
  }, [shown]);
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
    setOpen(!picking.current && document.activeElement === field.current);  // or it is autofilled
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
        ref: list, id: props.id + "-list", role: "listbox", "aria-label": "Suggestions", hidden: !shown,
        className: listClass, onMouseDown: (event) => event.preventDefault(),
      },
      options.map((option, index) => jsx("li", {
        key: option, id: optionId(index), role: "option", "aria-selected": index === active,
        className: optionClass, onClick: () => pick(option),
      }, option))),
    jsx("span", { role: "status", className: "sr-only" }, !shown ? ""
      : options.length === 1 ? "1 suggestion" : options.length + " suggestions"));
};
