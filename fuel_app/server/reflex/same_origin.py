"""Changes to the built front end: its own host and port, and a page that is not the app's."""

import reflex as rx

from fuel_app import routes


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
