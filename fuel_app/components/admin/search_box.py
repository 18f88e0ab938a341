"""The search box of a staff screen; the key '/' leads to it from anywhere on the page."""

from typing import Any

import reflex as rx

from fuel_app.components.fields import CONTROL

_SLASH_KEY = """
const SlashKey = ({ field }) => {
  useEffect(() => {
    const listen = (event) => {
      const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
      const box = document.getElementById(field);
      if (!box || document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      box.focus();
      box.select();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [field]);
  return null;
};
"""


class _SlashKey(rx.Component):
    tag = "SlashKey"
    field: rx.Var[str]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect"]}

    def add_custom_code(self) -> list[str]:
        return [_SLASH_KEY]


def search_box(
    label: str,
    *,
    box_id: str,
    value: Any,
    epoch: Any,
    placeholder: str,
    on_change: Any = None,
    name: str = "",
) -> rx.Component:
    """A search box that tells what is typed after a pause.

    Args:
        value: What it holds when it appears.
        epoch: Changes when `value` has changed other than by typing (such as by Back), and only
            then: the box appears anew, which it must not while somebody types.
        on_change: Takes what is typed.
        name: Instead of that, where the box is a field of a form that tells what is typed.
    """
    tells = {"on_change": on_change.debounce(300)} if on_change else {"name": name}
    return rx.el.div(
        _SlashKey.create(field=box_id),
        rx.el.label(label, html_for=box_id, class_name="sr-only"),
        rx.icon(
            "search",
            size=18,
            aria_hidden=True,
            class_name="pointer-events-none absolute left-3 top-1/2 -translate-y-1/2 text-muted",
        ),
        rx.el.input(
            id=box_id,
            key=epoch.to_string(),
            type="search",
            default_value=value,
            placeholder=placeholder,
            max_length=200,
            auto_complete="off",
            spell_check=False,
            custom_attrs={"aria-keyshortcuts": "/"},
            class_name=CONTROL + " pl-10",
            **tells,
        ),
        class_name="relative min-w-0 flex-1",
    )
