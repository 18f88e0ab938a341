// A browser takes the focus from a button that is disabled. One that had it when it became busy gets
// it back afterwards, unless it has gone elsewhere meanwhile; one that stays disabled passes it on to
// the first button beside it.
const KeptFocus = ({ busy }) => {
  const place = useRef(null);
  const had = useRef(false);
  useLayoutEffect(() => {
    const button = place.current.closest("button");
    if (busy) had.current = document.activeElement === button;
    else if (had.current) {
      had.current = false;
      const next = button.disabled ? button.parentElement.querySelector("button:enabled") : button;
      if (document.activeElement === document.body) next?.focus({ preventScroll: true });
    }
  }, [busy]);
  return jsx("span", { ref: place, hidden: true });
};
