const copyText = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");  // a site without https has no clipboard
  area.value = text;
  document.activeElement.after(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("copying is not allowed");
};

// Sharing and copying work only inside the click itself, so this runs in the browser. It says what
// came of it: shared, copied, cancelled or failed.
const ShareButton = ({ text, url, onOutcome, children, ...props }) => {
  const share = async () => {
    try {
      if (navigator.share) {
        await navigator.share({ text, url });
        onOutcome("shared");
      } else {
        await copyText(text + " " + url);
        onOutcome("copied");
      }
    } catch (error) {
      onOutcome(error.name === "AbortError" ? "cancelled" : "failed");
    }
  };
  return jsx("button", { type: "button", onClick: share, ...props }, children);
};

const CopyButton = ({ text, label, children, ...props }) => {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (event) => {
    event.stopPropagation();  // it may stand in a row that opens on a click
    try {
      await copyText(text);
      setSaid("Copied!");
    } catch {
      setSaid("Not allowed");
    }
  };
  return jsx(
    "button", { type: "button", onClick: copy, "aria-label": label, title: label, ...props },
    said ? said : children, jsx("span", { role: "status", className: "sr-only" }, said)
  );
};
