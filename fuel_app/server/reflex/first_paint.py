"""Changes to the built pages for a faster first paint.

Reflex loads all of its scripts first, although a prerendered page is complete without them. Here
the same modules are loaded one frame after the first paint, and the stylesheet is inline.
"""

import re
from collections.abc import Callable

from fuel_app.server.html import read

_MODULE_SCRIPT = re.compile(r'(<script type="module" async="">)(.*?)(</script>)', re.DOTALL)
_IMPORT = re.compile(r'^import (?:\* as (?P<name>\w+) from )?"(?P<address>/[^"]+)";$', re.MULTILINE)
_PRELOAD = '<link rel="modulepreload"'
_WAITING = '<link rel="waiting-modulepreload"'

# The timeout runs after the next frame has been painted.
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
    """Load the document's module scripts after the first paint."""
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


def with_stylesheet_inside(document: str, text_of: Callable[[str], str]) -> str:
    """Inline the stylesheets, so that the first paint waits for one file.

    The links stay, but load nothing: without them React's hydration would render the page anew.
    """
    found = read(document)
    for tag, address in found.stylesheets:
        idle = f"{_open(tag)} disabled=''/>"
        document = document.replace(tag, f"<style>{text_of(address)}</style>{idle}", 1)
    for tag in found.style_preloads:
        document = document.replace(tag, f"{_open(tag)} media='not all'/>", 1)
    return document


def _open(tag: str) -> str:
    return tag.removesuffix(">").removesuffix("/")
