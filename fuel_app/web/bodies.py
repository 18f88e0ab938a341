"""What a browser sends, read no further than it may be long."""

from starlette.requests import Request

from fuel_app.domain.errors import Refusal


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
