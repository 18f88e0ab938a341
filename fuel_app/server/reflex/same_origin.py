"""Change to the built front end: connect to the page's own host and port."""

import reflex as rx


class SameOriginPlugin(rx.plugins.Plugin):
    """Makes one build serve any host and port.

    The stock front end keeps the port that was known at build time, or takes https' own.
    """

    # In the front end's getBackendURL: the stock text and its replacement.
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
    )

    def pre_compile(self, **context) -> None:
        context["add_modify_task"]("utils/state.js", self._use_page_origin)

    @classmethod
    def _use_page_origin(cls, source: str) -> str:
        for stock, ours in cls._CHANGES:
            if ours in source:  # from the build before
                continue
            if source.count(stock) != 1:
                raise RuntimeError("The front end's getBackendURL changed: see SameOriginPlugin.")
            source = source.replace(stock, ours)
        return source
