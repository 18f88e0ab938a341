"""A button that copies a text and says 'Copied!' for two seconds."""

from typing import Any

import reflex as rx

from fuel_app.components.share import COPY_TEXT

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
