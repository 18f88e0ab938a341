// The answer may come late, after the visitor has read the browser's question, or never.
const BrowserPosition = ({ round, onFound, onMissing }) => {
  useEffect(() => {
    let gone = false;
    const found = ({ coords }) => gone || onFound(coords.latitude, coords.longitude);
    const missing = () => gone || onMissing();
    if (!navigator.geolocation) missing();
    else navigator.geolocation.getCurrentPosition(
      found, missing, { timeout: 10000, maximumAge: 60000 });
    return () => { gone = true; };
  }, [round]);
  return null;
};
