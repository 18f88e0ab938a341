"""HTTP helpers: downloads, bounded bodies, the client's address."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from fuel_app.kit.errors import Refusal, words
from fuel_app.settings import settings

_WEBHOOK_S = 10
_HOST_MAX = 255  # characters; no name is longer
FRESH = {"Cache-Control": "no-store"}

Endpoint = Callable[[Request], Awaitable[Response]]


def download(parts: AsyncIterator[str], name: str) -> Response:
    """Stream a CSV file."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, headers=FRESH | disposition, media_type="text/csv")


def text_answer(text: str, status: int) -> Response:
    return PlainTextResponse(text, status, headers=FRESH)


def refused(refusal: Refusal) -> Response:
    """Return the answer of a refusal: its words, with its status."""
    return text_answer(words(refusal), refusal.http_status)


def refuse_by_length(request: Request, most: int, too_large: Refusal) -> None:
    """Refuse a body by its declared length, before reading; `read` refuses a false one."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > most:
        raise too_large


async def read(request: Request, most: int, too_large: Refusal) -> bytes:
    body = bytearray()
    async for part in request.stream():
        if len(body) + len(part) > most:
            raise too_large
        body += part
    return bytes(body)


async def body_of(request: Request, most: int) -> bytes | Response:
    """Return a short body, or the answer to one that is too large or too slow."""
    too_large = Refusal()
    try:
        refuse_by_length(request, most, too_large)
        async with asyncio.timeout(_WEBHOOK_S):
            return await read(request, most, too_large)
    except Refusal:
        return text_answer("", 413)
    except (TimeoutError, ClientDisconnect):
        return text_answer("", 408)


def site_address(request: Request) -> str:
    """Return the site's address as it is set, else as the visitor has reached it."""
    if settings.site_url:
        return settings.site_url
    headers, scheme = request.headers, request.scope["scheme"]
    if settings.trusted_proxy_hops:
        scheme = headers.get("x-forwarded-proto", scheme).partition(",")[0].strip()
    host = headers.get("host", "")
    return f"{scheme}://{host}" if 0 < len(host) <= _HOST_MAX else settings.public_url


def client_address(request: Request) -> str:
    """Return the visitor's network address, by the trusted proxies, else by the connection.

    Reflex finds an event's address by the same rule.
    """
    hops = settings.trusted_proxy_hops
    forwarded = request.headers.get("x-forwarded-for", "").split(",") if hops else []
    addresses = [address.strip() for address in forwarded if address.strip()]
    if hops and len(addresses) >= hops:
        return addresses[-hops]
    return request.client.host if request.client else ""
