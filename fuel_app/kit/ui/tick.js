// Ticks at once; once the server has answered, or has not for a while, its answer counts.
const Tick = ({ checked, onChange, ...props }) => {
  const [pressed, setPressed] = useState(null);
  useEffect(() => setPressed(null), [checked]);
  useEffect(() => {
    if (pressed === null) return undefined;
    const timer = setTimeout(() => setPressed(null), 5000);
    return () => clearTimeout(timer);
  }, [pressed]);
  const press = (event) => {
    setPressed(event.target.checked);
    onChange(event);
  };
  return jsx("input", { ...props, type: "checkbox", checked: pressed ?? checked, onChange: press });
};
