"""Sharing a link: the phone's own share sheet where there is one, else the clipboard."""

from typing import Any

import reflex as rx

COPY_TEXT = """
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
"""
# Sharing and copying work only inside the click itself, so this runs in the browser. It says what
# came of it: shared, copied, cancelled or failed.
_SHARE_BUTTON = """
const ShareButton = ({ text, url, copyOnly, onOutcome, children, ...props }) => {
  const share = async () => {
    try {
      if (navigator.share && !copyOnly) {
        await navigator.share({ text, url });
        onOutcome("shared");
      } else {
        await copyText(copyOnly ? url : text + " " + url);
        onOutcome("copied");
      }
    } catch (error) {
      onOutcome(error.name === "AbortError" ? "cancelled" : "failed");
    }
  };
  return jsx("button", { type: "button", onClick: share, ...props }, children);
};
"""


class ShareButton(rx.Component):
    """A button that shares `text` and `url`; with `copy_only` it copies the link alone."""

    tag = "ShareButton"
    text: rx.Var[str]
    url: rx.Var[str]
    copy_only: rx.Var[bool]
    on_outcome: rx.EventHandler[rx.event.passthrough_event_spec(str)]

    def add_custom_code(self) -> list[str]:
        return [COPY_TEXT, _SHARE_BUTTON]


def share_button(*children: Any, **props: Any) -> rx.Component:
    return ShareButton.create(*children, **props)


_COPY_BUTTON = """
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
"""


class CopyButton(rx.Component):
    tag = "CopyButton"
    text: rx.Var[str]
    label: rx.Var[str]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useState"]}

    def add_custom_code(self) -> list[str]:
        return [COPY_TEXT, _COPY_BUTTON]


def copy_button(*children: Any, text: Any, label: Any, class_name: str = "") -> rx.Component:
    """Args: `text` is what is copied, `label` what the button is called."""
    return CopyButton.create(*children, text=text, label=label, class_name=class_name)
