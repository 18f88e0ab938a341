"""How the site is built; what an installation chooses is in `fuel_app/settings.py`."""

import reflex as rx

from fuel_app.settings import settings


class SameOriginPlugin(rx.plugins.Plugin):
    """Connect to wherever the page came from, so that one build serves any host and port.

    The stock front end keeps the port that was known at build time, or takes https' own.
    """

    # In the front end's getBackendURL: what stands there, and what it becomes.
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

    # What earlier releases have left in a front end that was built before.
    _BEFORE = "if (import.meta.env.PROD) endpoint.host = window.location.host; else "

    def pre_compile(self, **context) -> None:
        context["add_modify_task"]("utils/state.js", self._use_page_origin)

    @classmethod
    def _use_page_origin(cls, source: str) -> str:
        source = source.replace(cls._BEFORE, "")
        for stock, ours in cls._CHANGES:
            if ours in source:  # from the build before
                continue
            if source.count(stock) != 1:
                raise RuntimeError("The front end's getBackendURL changed: see SameOriginPlugin.")
            source = source.replace(stock, ours)
        return source


# Colours by role (AA contrast on their grounds); every class name comes from here.
COLORS = {
    "ink": "#0B2530",
    "muted": "#4B6470",
    "line": "#DCE7EA",
    "surface": "#FFFFFF",
    "sand": "#F7FAFA",
    "gulf": "#0E7C86",
    "gulf-deep": "#0A5961",
    "seafoam": "#E6F4F1",
    "sun": "#FFB224",
    "danger": "#B42318",
    "ok": "#157347",
}

config = rx.Config(
    app_name="fuel_app",
    frontend_port=settings.port,
    backend_port=settings.port,
    redis_url=settings.redis_url,
    # The stock default writes every tab to disk and lists all those files every two seconds. Once
    # it is said at all, Redis has to be said, too.
    state_manager_mode=rx.constants.StateManagerMode.REDIS
    if settings.redis_url
    else rx.constants.StateManagerMode.MEMORY,
    trusted_proxy_hops=settings.trusted_proxy_hops,
    # No other site may read ours; `web/origin.py` guards the websocket.
    cors_allowed_origins=[],
    telemetry_enabled=False,
    show_built_with_reflex=False,
    default_color_mode="light",
    frontend_compression_formats=["brotli", "gzip"],
    frontend_lazy_bundled_libraries=True,
    plugins=[
        rx.plugins.TailwindV4Plugin(
            config={
                "theme": {
                    "extend": {
                        "colors": COLORS,
                        "fontSize": {"3xl": ["2rem", "1.25"]},  # 12, 14, 16, 18, 24, 32, 48
                        "borderRadius": {"card": "12px", "control": "10px"},
                        "boxShadow": {"soft": "0 8px 24px -12px rgb(11 37 48 / 0.18)"},
                    }
                }
            }
        ),
        SameOriginPlugin(),
    ],
    disable_plugins=[rx.plugins.RadixThemesPlugin, rx.plugins.SitemapPlugin],
)
