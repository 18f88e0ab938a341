"""What every answer tells the browser not to do."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app.server.html import Inline, source_hash
from fuel_app.settings import settings

YEAR_S = 365 * 24 * 3600

# For answers that are no page: even when opened by themselves they load and run nothing.
_NO_PAGE = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

_UNUSED = (
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "display-capture",
    "encrypted-media",
    "gyroscope",
    "hid",
    "idle-detection",
    "local-fonts",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "screen-wake-lock",
    "serial",
    "usb",
    "xr-spatial-tracking",
)
_PERMISSIONS = ", ".join(
    # Sharing is our own pages' by default; not every browser knows the word and stays quiet.
    ["geolocation=(self)", "clipboard-write=(self)"] + [f"{feature}=()" for feature in _UNUSED]
)


def page_policy(inline: Inline) -> str:
    """The content policy of one page: our own files, and exactly its inline texts."""
    scripts = _hashes(inline.scripts)
    styles = _hashes(inline.styles)
    if inline.style_attributes:  # they count only with this word, and only these
        styles |= {"'unsafe-hashes'": None} | _hashes(inline.style_attributes)
    directives = {
        "default-src": ["'none'"],
        "script-src": ["'self'", *scripts],
        "style-src": ["'self'", *styles],
        "img-src": ["'self'", "data:", "blob:", *_tile_origin()],
        "connect-src": ["'self'"],
        "font-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


def _hashes(texts: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(source_hash(text) for text in texts)


def _tile_origin() -> list[str]:
    """Map tiles are the one thing that a page may fetch from elsewhere."""
    address = urlsplit(settings.tile_url.replace("{s}", "*"))
    return [f"{address.scheme}://{address.netloc}"] if address.netloc else []


def _headers() -> dict[str, str]:
    headers = {
        "Content-Security-Policy": _NO_PAGE,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Permissions-Policy": _PERMISSIONS,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if urlsplit(settings.public_url).scheme == "https":
        headers["Strict-Transport-Security"] = f"max-age={YEAR_S}"
    return headers


class SecurityHeaders:
    """Sets the headers on every HTTP answer; an answer's own policy stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = _headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, guarded if scope["type"] == "http" else send)
