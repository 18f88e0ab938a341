"""A page's heading, which takes the focus when the page before it has gone."""

from typing import Any

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


def way_back(text: str, href: Any) -> rx.Component:
    """Above a heading: where one has come from."""
    return rx.el.a(
        rx.icon("arrow-left", size=20, aria_hidden=True),
        text,
        href=href,
        class_name="-ml-1 inline-flex min-h-11 items-center gap-2 rounded-control px-1 text-base "
        "font-semibold text-gulf-deep hover:underline",
    )
