// Arrow keys lead from field to field of the table before it: up and down always, left and right
// from the ends of what is typed. A field that is refused takes the focus.
const GridKeys = ({ firstWrong }) => {
  const place = useRef(null);
  useEffect(() => {
    const table = place.current.previousElementSibling;
    const move = (event) => {
      const { key, target } = event;
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
      if (!step || target.tagName !== "INPUT" || event.altKey || event.ctrlKey || event.metaKey) return;
      const { selectionStart, selectionEnd, value } = target;
      const isWhole = selectionStart === 0 && selectionEnd === value.length;
      if (step[1] < 0 && !isWhole && selectionEnd > 0) return;
      if (step[1] > 0 && !isWhole && selectionStart < value.length) return;
      const cell = target.closest("td");
      const row = table.rows[cell.parentElement.rowIndex + step[0]];
      const next = row?.cells[cell.cellIndex + step[1]]?.querySelector("input");
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.select();
    };
    table.addEventListener("keydown", move);
    return () => table.removeEventListener("keydown", move);
  }, []);
  useEffect(() => { if (firstWrong) document.getElementById(firstWrong)?.focus(); }, [firstWrong]);
  return jsx("span", { ref: place, hidden: true });
};
