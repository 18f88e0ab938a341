"""Security: content policy and headers of every answer, and refusal of other sites' origins."""

from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app.server.html import Inline, source_hash
from fuel_app.settings import settings

log = structlog.get_logger()

YEAR_S = 365 * 24 * 3600

# For answers that are not pages: opened by themselves they load and run nothing.
_NO_PAGE = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

_UNUSED = (
    *("accelerometer", "autoplay", "browsing-topics", "camera", "display-capture"),
    *("encrypted-media", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer"),
    *("microphone", "midi", "payment", "screen-wake-lock", "serial", "usb"),
    "xr-spatial-tracking",
)
_PERMISSIONS = ", ".join(
    # web-share is left out: 'self' is its default, and some browsers warn about the name.
    ["geolocation=(self)", "clipboard-write=(self)"] + [f"{feature}=()" for feature in _UNUSED]
)

_READ_METHODS = {"GET", "HEAD", "OPTIONS"}
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def page_policy(inline: Inline) -> str:
    """Return the content policy of one page: our own files, and exactly its inline texts."""
    scripts = _hashes(inline.scripts)
    styles = _hashes(inline.styles)
    if inline.style_attributes:  # allows these alone
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
    """Return the host of the map tiles, the only one that a page may fetch from."""
    address = urlsplit(settings.tile_url.replace("{s}", "*"))
    return [f"{address.scheme}://{address.netloc}"] if address.netloc else []


def security_headers() -> dict[str, str]:
    """Return the headers of every answer; a page brings its own policy."""
    headers = {
        "Content-Security-Policy": _NO_PAGE,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Permissions-Policy": _PERMISSIONS,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if settings.is_https:
        headers["Strict-Transport-Security"] = f"max-age={YEAR_S}"
    return headers


class DefaultHeaders:
    """Sets headers that an answer does not set itself, by its path and its start."""

    def __init__(self, app: ASGIApp, choose: Callable[[str, Message], Mapping[str, str]]) -> None:
        self._app, self._choose = app, choose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                chosen = self._choose(scope["path"], message)
                headers = MutableHeaders(scope=message)
                for name, value in chosen.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class OwnOriginOnly:
    """Refuses websockets and writes from other sites' pages with 403.

    Browsers let any site open a websocket to ours with the visitor's cookies, and send an `Origin`
    that no script can change. A handshake without one comes from no browser and carries no
    session cookie: monitors and load tests pass.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_guarded(scope) or _is_own(Headers(scope=scope), scope):
            await self._app(scope, receive, send)
            return
        log.warning("origin.refused", kind=scope["type"])
        if scope["type"] == "websocket":  # closing before accepting answers 403
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse("Forbidden", 403)(scope, receive, send)


def _is_guarded(scope: Scope) -> bool:
    return scope["type"] == "websocket" or (
        scope["type"] == "http"
        # Socket.IO's long polling is plain HTTP at the same address.
        and (scope["method"] not in _READ_METHODS or scope["path"].startswith("/_event"))
    )


def _is_own(headers: Headers, scope: Scope) -> bool:
    origins = headers.getlist("origin")
    if not origins:
        return True
    hosts, scheme = {headers.get("host", "").lower()}, _scheme(headers, scope)
    if settings.trusted_proxy_hops:  # else any client could have sent it
        hosts.add(headers.get("x-forwarded-host", "").partition(",")[0].strip().lower())
    own = {(scheme, host) for host in hosts - {""}} | {_origin(settings.public_url)}
    return all(_origin(origin) in own for origin in origins)


def _scheme(headers: Headers, scope: Scope) -> str:
    """Return the scheme of the site as it is set, else as the visitor has reached it."""
    if settings.is_https:
        return "https"
    forwarded = headers.get("x-forwarded-proto", "") if settings.trusted_proxy_hops else ""
    reached = forwarded.partition(",")[0].strip().lower() or scope.get("scheme", "http")
    return {"ws": "http", "wss": "https"}.get(reached, reached)


def _origin(address: str) -> tuple[str, str]:
    """Return scheme and host, with its port as in a `Host` header; empty for `null` and such."""
    try:
        parts = urlsplit(address.lower())
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.removesuffix(_DEFAULT_PORTS.get(parts.scheme, ""))
