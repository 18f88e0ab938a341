// Scrolls what is around it into view as soon as there is a text, such as why a press was refused.
const InView = ({ text }) => {
  const place = useRef(null);
  useEffect(() => {
    if (text) place.current.parentElement.scrollIntoView({ block: "nearest" });
  }, [text]);
  return jsx("span", { ref: place, hidden: true });
};
