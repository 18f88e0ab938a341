// What this browser allows is asked of it alone; permission only at a press.
const PushSwitch = ({ address, worker, scope, words, buttonClass, onChange }) => {
  const [state, setState] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const device = useRef(null);
  useEffect(() => {
    device.current = pushDevice(address, worker, scope);
    device.current.state().then(setState, () => setState("off"));
  }, []);
  const press = async () => {
    if (busy) return;
    setBusy(true);
    setProblem("");
    try {
      setState(await (state === "on" ? device.current.turnOff() : device.current.turnOn()));
      onChange();
    } catch (error) {
      setProblem(error.said || words.failed);
    }
    setBusy(false);
  };
  const isPossible = state === "on" || state === "off";
  return jsx("div", {},
    jsx("p", { role: "status", className: "text-base text-muted empty:hidden" }, words["is_" + state] || ""),
    isPossible && jsx("button", { type: "button", className: buttonClass, disabled: busy,
      "aria-busy": busy, onClick: press }, busy ? words.busy : words["turn_" + (state === "on" ? "off" : "on")]),
    jsx("p", { role: "alert", className: "mt-2 text-base font-medium text-danger empty:mt-0" }, problem));
};
