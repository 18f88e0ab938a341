// Between two parts of the board: dragged, or moved by the arrow keys, it makes the first one wider.
// Its value is that part's share of both, in per cent.
const Separator = ({ controls, min, max, ...props }) => {
  const [share, setShare] = useState(min);
  const part = () => document.getElementById(controls);
  const room = () => part().parentElement.clientWidth;
  useEffect(() => setShare(Math.round((100 * part().offsetWidth) / room())), []);
  const put = (wanted) => {
    const next = Math.round(Math.min(max, Math.max(min, wanted)));
    part().style.width = `${next}%`;
    setShare(next);
  };
  const step = (event) => {
    const to = { ArrowLeft: share - 5, ArrowRight: share + 5, Home: min, End: max }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    put(to);
  };
  const drag = (event) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    put((100 * (event.clientX - part().getBoundingClientRect().left)) / room());
  };
  return jsx("div", {
    ...props, role: "separator", tabIndex: 0, "aria-orientation": "vertical",
    "aria-controls": controls, "aria-valuemin": min, "aria-valuemax": max, "aria-valuenow": share,
    "aria-valuetext": `${share} %`, onKeyDown: step, onPointerMove: drag,
    onPointerDown: (event) => event.currentTarget.setPointerCapture(event.pointerId),
  });
};
