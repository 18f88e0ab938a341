"""Reflex's configuration; an installation's settings are in `fuel_app/settings.py`."""

import reflex as rx

from fuel_app.server.reflex.build import SameOriginPlugin
from fuel_app.settings import settings

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
    state_manager_mode=rx.constants.StateManagerMode.REDIS
    if settings.redis_url
    else rx.constants.StateManagerMode.MEMORY,
    trusted_proxy_hops=settings.trusted_proxy_hops,
    # No other site may read ours; `server/security.py` guards the websocket.
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
