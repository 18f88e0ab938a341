"""How the site is built; what an installation chooses is in `fuel_app/settings.py`."""

import reflex as rx

from fuel_app.settings import settings


class SameOriginPlugin(rx.plugins.Plugin):
    """Connect to wherever the page came from, so that one build serves any host and port.

    The stock front end keeps the port that was known at build time.
    """

    def pre_compile(self, **context) -> None:
        context["add_modify_task"]("utils/state.js", self._use_page_origin)

    @staticmethod
    def _use_page_origin(source: str) -> str:
        stock = "endpoint.hostname = frontend_hostname;"
        if stock not in source and "window.location.host;" not in source:
            raise RuntimeError("The front end's getBackendURL changed: see SameOriginPlugin.")
        return source.replace(
            stock, "if (import.meta.env.PROD) endpoint.host = window.location.host; else " + stock
        )


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
    # The stock default writes every tab to disk and lists all those files every two seconds.
    state_manager_mode=rx.constants.StateManagerMode.MEMORY,
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
