// What was typed in a form's last moment would be lost when the form is removed, such as by Escape:
// it is sent before the elements are gone.
const PendingEdit = ({ onRemove }) => {
  const place = useRef(null);
  const send = useRef(onRemove);
  send.current = onRemove;
  useLayoutEffect(() => {
    const form = place.current.closest("form");
    let unsent = false;
    const typed = () => { unsent = true; };
    const sent = () => { unsent = false; };
    form.addEventListener("input", typed);
    form.addEventListener("focusout", sent);
    form.addEventListener("submit", sent);
    return () => { if (unsent) send.current({ currentTarget: form }); };
  }, []);
  return jsx("span", { ref: place, hidden: true });
};
