"""A step's heading, which takes the focus when the step before it has gone."""

import reflex as rx

# A new step begins with its heading, wherever the focus was lost with the old step. The first one
# that a visitor opens does not: there, reading begins at the top.
_STEP_HEADING = """
const StepHeading = (props) => {
  const heading = useRef(null);
  const moved = useNavigationType() !== "POP";
  useEffect(() => {
    if (moved && document.activeElement === document.body) heading.current.focus();
  }, []);
  return jsx("h1", { ...props, ref: heading, tabIndex: -1 });
};
"""


class StepHeading(rx.Component):
    tag = "StepHeading"

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useRef"], "react-router": "useNavigationType"}

    def add_custom_code(self) -> list[str]:
        return [_STEP_HEADING]
