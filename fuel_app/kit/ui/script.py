"""Base of the React components that are written here, each in a `.js` file."""

import sys
from pathlib import Path
from typing import ClassVar

import reflex as rx

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
