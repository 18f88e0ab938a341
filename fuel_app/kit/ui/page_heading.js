// A new page or step begins with its heading, where the focus was lost with the old one: a reader
// says where one is now. The first one that a visitor opens does not: reading begins at the top.
const PageHeading = ({ ref, ...props }) => {
  const own = useRef(null);
  const heading = ref ?? own;
  const moved = useNavigationType() !== "POP";
  useEffect(() => {
    if (moved && document.activeElement === document.body) heading.current.focus();
  }, []);
  return jsx("h1", { ...props, ref: heading, tabIndex: -1 });
};
