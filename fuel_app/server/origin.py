"""Only our own pages talk to the server: another site in the same browser does not."""

from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from fuel_app.settings import settings

log = structlog.get_logger()

_READING = {"GET", "HEAD", "OPTIONS"}
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class OwnOriginOnly:
    """Refuses the websockets and the writes of other sites with 403.

    Browsers let any site open a websocket to ours, the visitor's cookies included; what stops it
    is the `Origin` that they send along and that no script can change. A handshake without one
    comes from no browser, so it has nobody's session to misuse: monitors and load tests pass.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _acts(scope) or _is_own(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        log.warning("origin.refused", kind=scope["type"])
        if scope["type"] == "websocket":  # closing before accepting answers 403
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse("Forbidden", 403)(scope, receive, send)


def _acts(scope: Scope) -> bool:
    return scope["type"] == "websocket" or (
        scope["type"] == "http"
        # A websocket's stand-in for old networks is plain HTTP at the same address.
        and (scope["method"] not in _READING or scope["path"].startswith("/_event"))
    )


def _is_own(headers: Headers) -> bool:
    origins = headers.getlist("origin")
    if not origins:
        return True
    own = {headers.get("host", "").lower(), _place(settings.public_url)}
    if settings.trusted_proxy_hops:  # else anybody could have written it
        own.add(headers.get("x-forwarded-host", "").partition(",")[0].strip().lower())
    return all(_place(origin) in own - {""} for origin in origins)


def _place(address: str) -> str:
    """Host and port as a `Host` header has them; empty for `null` and for nonsense."""
    try:
        parts = urlsplit(address.lower())
    except ValueError:
        return ""
    return parts.netloc.removesuffix(_DEFAULT_PORTS.get(parts.scheme, ""))
