"""A page's heading, which takes the focus when the page before it has gone."""

import reflex as rx

TITLE = "text-balance text-2xl font-bold tracking-tight text-ink sm:text-3xl"

# A new page or step begins with its heading, where the focus was lost with the old one: a reader
# says where one is now. The first one that a visitor opens does not: reading begins at the top.
_PAGE_HEADING = """
const PageHeading = (props) => {
  const heading = useRef(null);
  const moved = useNavigationType() !== "POP";
  useEffect(() => {
    if (moved && document.activeElement === document.body) heading.current.focus();
  }, []);
  return jsx("h1", { ...props, ref: heading, tabIndex: -1 });
};
"""


class PageHeading(rx.Component):
    tag = "PageHeading"

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useRef"], "react-router": "useNavigationType"}

    def add_custom_code(self) -> list[str]:
        return [_PAGE_HEADING]
