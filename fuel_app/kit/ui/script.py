"""Base of the React components that are written here, each in a `.js` file.

Also a page's heading, which takes the focus, and what has to be seen at once.
"""

import sys
from pathlib import Path
from typing import Any, ClassVar

import reflex as rx

from fuel_app.kit.ui.cards import alert

_HOOKS = ("createContext", "useContext", "useEffect", "useLayoutEffect", "useRef", "useState")


class Script(rx.Component):
    """A component that the JavaScript in `FILE` defines as `tag`.

    The file lies beside the module of the class that names it.
    """

    FILE: ClassVar[str]

    def add_imports(self) -> rx.ImportDict:
        return {"react": [*_HOOKS], "@emotion/react": "jsx"}

    def add_custom_code(self) -> list[str]:
        named_by = next(base for base in type(self).__mro__ if "FILE" in vars(base))
        module = sys.modules[named_by.__module__].__file__ or ""
        return [Path(module).with_name(self.FILE).read_text()]


class _InView(Script):
    tag = "InView"
    FILE = "in_view.js"
    text: rx.Var[str]


def alert_in_view(text: Any, *more: Any, class_name: str = "") -> rx.Component:
    """Return an alert with what can be done about it; it is read out, and scrolled into view."""
    return rx.cond(
        text != "",
        rx.el.div(
            alert(text),
            *more,
            _InView.create(text=text),
            class_name=f"scroll-my-24 {class_name}",
        ),
    )


def revealed() -> rx.Component:
    """Return what scrolls the element that it stands in into view, as that appears."""
    return _InView.create(text="shown")


TITLE = "text-balance text-2xl font-bold tracking-tight text-ink sm:text-3xl"


class PageHeading(Script):
    tag = "PageHeading"
    FILE = "page_heading.js"

    def add_imports(self) -> rx.ImportDict:
        return {"react-router": "useNavigationType"}


def way_back(text: str, href: Any) -> rx.Component:
    """Render a link back, above a heading."""
    return rx.el.a(
        rx.icon("arrow-left", size=20, aria_hidden=True),
        text,
        href=href,
        class_name="-ml-1 inline-flex min-h-11 items-center gap-2 rounded-control px-1 text-base "
        "font-semibold text-gulf-deep hover:underline",
    )
