"""QR code of a join link."""

import asyncio
from functools import lru_cache
from io import BytesIO

import segno
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from fuel_app import routes
from fuel_app.joining.http.links import find_group
from fuel_app.kit.http import site_address

_QUIET = 4  # empty modules around the code, without which cameras do not find it: ISO/IEC 18004
_KEEP = {"Cache-Control": "public, max-age=300"}


async def join_code(request: Request) -> Response:
    """Return the neighborhood's QR code."""
    group = await find_group(request.path_params["neighborhood_id"])
    if group is None:
        return PlainTextResponse("Neighborhood not found", 404)
    return Response(await drawn(link(request, group.id)), media_type="image/svg+xml", headers=_KEEP)


async def drawn(address: str) -> str:
    """Draw an address as SVG, beside the event loop."""
    return await asyncio.to_thread(_draw, address)


def link(request: Request, neighborhood_id: str) -> str:
    """Return the whole join link, which the code holds."""
    return site_address(request) + routes.join_neighborhood(neighborhood_id)


@lru_cache(maxsize=256)
def _draw(address: str) -> str:
    """Draw black on white; error correction M tolerates 15 % damage."""
    file = BytesIO()
    code = segno.make_qr(address, error="m")
    code.save(file, kind="svg", border=_QUIET, light="#fff", xmldecl=False, omitsize=True, nl=False)
    return file.getvalue().decode()
