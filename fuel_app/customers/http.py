"""Takes a visitor's photo and answers with the small one, which the visitor's page keeps.

Nothing stays here: the page hands the small photo to its own tab's state. The framework's upload
would read a body of any size to its end, and open a folder of uploads to everybody.
"""

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.customers.rules.photos import SENT_MAX, NoPhoto, PhotoTooLarge
from fuel_app.customers.service import photos
from fuel_app.kit import http as bodies
from fuel_app.kit.errors import Refusal, TooManyRequests
from fuel_app.kit.http import client_address

_PATIENCE_S = 120  # for ten megabytes over a slow phone
_STATUS = {PhotoTooLarge: 413, NoPhoto: 415, TooManyRequests: 429}


async def photo(request: Request) -> Response:
    """The photo as an address, or why it is refused, in words for the visitor."""
    try:
        bodies.refuse_by_length(request, SENT_MAX, PhotoTooLarge())
        await photos.admit(client_address(request))
        async with asyncio.timeout(_PATIENCE_S):
            file = await bodies.read(request, SENT_MAX, PhotoTooLarge())
        return _said(await photos.develop(file), 200)
    except Refusal as refusal:
        return _said(str(refusal), _STATUS[type(refusal)])
    except (TimeoutError, ClientDisconnect):
        return _said("", 408)


def _said(text: str, status: int) -> Response:
    return PlainTextResponse(text, status, headers={"Cache-Control": "no-store"})


ROUTES = [Route(routes.PHOTOS, photo, methods=["POST"])]
