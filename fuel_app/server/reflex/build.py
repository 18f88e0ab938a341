"""Changes to the built pages: first paint, own host and port, and a page that is not the app's."""

import re
from collections.abc import Callable

import reflex as rx

from fuel_app import routes
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
    script = _MODULE_SCRIPT.search(document)
    if not script or not _IMPORT.search(script[2]):
        return document
    modules = list(_IMPORT.finditer(script[2]))
    boot = _BOOT % {
        "names": ", ".join(module["name"] or f"_{n}" for n, module in enumerate(modules)),
        "imports": ", ".join(f'import("{module["address"]}")' for module in modules),
        "rest": _IMPORT.sub("", script[2]).strip(),
    }
    document = document[: script.start(2)] + boot + document[script.end(2) :]
    return document.replace(_PRELOAD, _WAITING)


def with_stylesheet_inside(document: str, text_of: Callable[[str], str]) -> str:
    """Inline the stylesheets, so that the first paint waits for one file.

    The links stay, but load nothing: without them React's hydration would render the page anew.
    """
    reader = read(document)
    for tag, address in reader.stylesheets:
        idle = f"{_open(tag)} disabled=''/>"
        document = document.replace(tag, f"<style>{text_of(address)}</style>{idle}", 1)
    for tag in reader.style_preloads:
        document = document.replace(tag, f"{_open(tag)} media='not all'/>", 1)
    return document


def _open(tag: str) -> str:
    return tag.removesuffix(">").removesuffix("/")


class SameOriginPlugin(rx.plugins.Plugin):
    """Makes one build serve any host and port, and loads the stand-in's checkout as a page.

    The stock front end keeps the port that was known at build time, or takes https' own. It looks
    for a redirect to its own host among the app's pages.
    """

    # In the front end's getBackendURL and _redirect: the stock text and its replacement.
    _CHANGES = (
        (
            "endpoint.hostname = frontend_hostname;\n",
            "endpoint.hostname = frontend_hostname;"
            " if (import.meta.env.PROD) endpoint.port = window.location.port;\n",
        ),
        (
            'endpoint.port = ""; // Assume',
            'if (!import.meta.env.PROD) endpoint.port = ""; // Assume',
        ),
        (
            "if (url.host !== window.location.host) {",
            "if (url.host !== window.location.host"
            f' || url.pathname.startsWith("{routes.TEST_CHECKOUT}/")) {{',
        ),
    )

    def pre_compile(self, **context) -> None:
        context["add_modify_task"]("utils/state.js", self._use_page_origin)

    @classmethod
    def _use_page_origin(cls, source: str) -> str:
        for stock, ours in cls._CHANGES:
            if ours in source:  # from the build before
                continue
            if source.count(stock) != 1:
                raise RuntimeError("The front end's state.js changed: see SameOriginPlugin.")
            source = source.replace(stock, ours)
        return source
