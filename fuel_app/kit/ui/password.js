// What is typed is shown as long as its owner wants to see it, and hidden as it is sent.
const PasswordInput = ({ ref, toggleClass, ...props }) => {
  const own = useRef(null);
  const field = ref ?? own;
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const form = field.current?.form;
    if (!form) return;
    const hide = () => setShown(false);
    form.addEventListener("submit", hide);
    return () => form.removeEventListener("submit", hide);
  }, []);
  return jsx(
    "div",
    { className: "relative" },
    jsx("input", { ...props, ref: field, type: shown ? "text" : "password" }),
    jsx(
      "button",
      {
        type: "button",
        className: toggleClass,
        "aria-controls": props.id,
        onClick: () => setShown(!shown),
      },
      shown ? "Hide" : "Show",
      jsx("span", { className: "sr-only" }, " password"),
    ),
  );
};
