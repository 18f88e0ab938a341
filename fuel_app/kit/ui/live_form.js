// A form that goes, such as by Escape, takes along what was typed in the last moment: the fields of
// the next one would not have it. It is told here, before its elements are gone.
const LastWord = ({ onGone }) => {
  const place = useRef(null);
  const tell = useRef(onGone);
  tell.current = onGone;
  useLayoutEffect(() => {
    const form = place.current.closest("form");
    let untold = false;
    const typed = () => { untold = true; };
    const told = () => { untold = false; };
    form.addEventListener("input", typed);
    form.addEventListener("focusout", told);
    form.addEventListener("submit", told);
    return () => { if (untold) tell.current({ currentTarget: form }); };
  }, []);
  return jsx("span", { ref: place, hidden: true });
};
