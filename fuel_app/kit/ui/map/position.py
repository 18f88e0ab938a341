"""Where the visitor is, as the browser tells it, if it may."""

from typing import Any

import reflex as rx

# The answer may come late, after the visitor has thought about it, or never.
_BROWSER_POSITION = """
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
"""


class _BrowserPosition(rx.Component):
    tag = "BrowserPosition"
    round: rx.Var[int]
    on_found: rx.EventHandler[rx.event.passthrough_event_spec(float, float)]
    on_missing: rx.EventHandler[rx.event.no_args_event_spec]

    def add_imports(self) -> rx.ImportDict:
        return {"react": "useEffect"}

    def add_custom_code(self) -> list[str]:
        return [_BROWSER_POSITION]


def browser_position(*, round: Any, on_found: Any, on_missing: Any) -> rx.Component:
    """Asks the browser when it comes into the page, and again whenever `round` changes.

    Args:
        round: Anything that changes when the question is to be asked again.
        on_found: Takes latitude and longitude in degrees.
        on_missing: The visitor said no, or the browser does not know.
    """
    return _BrowserPosition.create(round=round, on_found=on_found, on_missing=on_missing)
