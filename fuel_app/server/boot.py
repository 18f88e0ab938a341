"""Starts a page's scripts after its first paint: a prerendered page is whole without them.

The framework asks for all of its scripts at once and first of all, so on a slow phone they share
the line with what is to be seen. Here the same modules are asked for one frame later.
"""

import re

_MODULE_SCRIPT = re.compile(r'(<script type="module" async="">)(.*?)(</script>)', re.DOTALL)
_IMPORT = re.compile(r'^import (?:\* as (?P<name>\w+) from )?"(?P<address>/[^"]+)";$', re.MULTILINE)
_PRELOAD = '<link rel="modulepreload"'
_WAITING = '<link rel="waiting-modulepreload"'

# A frame is asked for, and what waits runs after that frame has been painted.
_BOOT = """
requestAnimationFrame(() => setTimeout(async () => {
  for (const link of document.querySelectorAll("link[rel=waiting-modulepreload]")) {
    link.rel = "modulepreload";
  }
  const [%(names)s] = await Promise.all([%(imports)s]);
  %(rest)s
}));
"""


def after_first_paint(document: str) -> str:
    """The document with its scripts asked for one frame later; unchanged if it has none."""
    found = _MODULE_SCRIPT.search(document)
    if not found or not _IMPORT.search(found[2]):
        return document
    modules = list(_IMPORT.finditer(found[2]))
    boot = _BOOT % {
        "names": ", ".join(module["name"] or f"_{n}" for n, module in enumerate(modules)),
        "imports": ", ".join(f'import("{module["address"]}")' for module in modules),
        "rest": _IMPORT.sub("", found[2]).strip(),
    }
    document = document[: found.start(2)] + boot + document[found.end(2) :]
    return document.replace(_PRELOAD, _WAITING)
