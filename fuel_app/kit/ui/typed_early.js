// What is typed before the page has arrived, or while the connection is lost, would be lost: before
// React has taken over nothing listens, and the answer to the address makes the fields anew. Here it
// is typed once more when the page has arrived.
const TypedEarly = ({ settled, failing }) => {
  const { key } = useLocation();
  const typed = useRef(new Map());
  const now = useRef();
  now.current = { key, early: !settled || failing };
  useEffect(() => {
    const fields = "textarea[id], input[id]:is([type=search], [type=text], [type=tel], [type=email])";
    const note = (field) => typed.current.set(field.id, {
      value: field.value, key: now.current.key, focused: document.activeElement === field,
    });
    for (const field of document.querySelectorAll(fields))
      if (field.value !== field.defaultValue) note(field);
    const listen = ({ target }) => { if (now.current.early && target.matches(fields)) note(target); };
    window.addEventListener("input", listen, true);
    return () => window.removeEventListener("input", listen, true);
  }, []);
  useEffect(() => {
    if (!settled) return;
    for (const [id, early] of typed.current) {
      const field = document.getElementById(id);
      if (!field || early.key !== key) continue;
      if (early.focused && document.activeElement === document.body) field.focus();
      const at = field.value === early.value && field.selectionStart;
      const write = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set;
      field.value = early.value ? "" : " ";  // React notes it, and takes what follows for typed
      write.call(field, early.value);
      if (Number.isInteger(at)) field.setSelectionRange(at, at);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    typed.current.clear();
  }, [settled]);
  return null;
};
