"""Files that are written while they are sent."""

from collections.abc import AsyncIterator

from starlette.responses import Response, StreamingResponse

FRESH = {"Cache-Control": "no-store"}


def download(parts: AsyncIterator[str], name: str) -> Response:
    """A CSV file, as its parts come."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, headers=FRESH | disposition, media_type="text/csv")
