"""Files that are written while they are sent."""

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from fuel_app.kit.errors import Refusal
from fuel_app.settings import settings

FRESH = {"Cache-Control": "no-store"}


def download(parts: AsyncIterator[str], name: str) -> Response:
    """A CSV file, as its parts come."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, headers=FRESH | disposition, media_type="text/csv")


def refuse_by_length(request: Request, most: int, too_large: Refusal) -> None:
    """Before a byte of it is read. What lies about its length is cut off while it comes in."""
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


def client_address(request: Request) -> str:
    """The visitor's network address: by the proxies that we trust, else the connection's own.

    The same rule by which the framework finds it for events.
    """
    hops = settings.trusted_proxy_hops
    forwarded = request.headers.get("x-forwarded-for", "").split(",") if hops else []
    known = [address.strip() for address in forwarded if address.strip()]
    if hops and len(known) >= hops:
        return known[-hops]
    return request.client.host if request.client else ""
