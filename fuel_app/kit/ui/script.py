"""Base of the React components that are written here, each in a `.js` file of this folder."""

from pathlib import Path
from typing import ClassVar

import reflex as rx

_HOOKS = ("createContext", "useContext", "useEffect", "useLayoutEffect", "useRef", "useState")


class Script(rx.Component):
    """A component that the JavaScript in `FILE` defines under the name in `tag`."""

    FILE: ClassVar[str]

    def add_imports(self) -> rx.ImportDict:
        return {"react": [*_HOOKS], "@emotion/react": "jsx"}

    def add_custom_code(self) -> list[str]:
        return [Path(__file__).with_name(self.FILE).read_text()]
