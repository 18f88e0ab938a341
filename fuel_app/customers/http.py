"""Photo upload.

No photo is stored: the page passes the scaled one to its tab's state. The framework's upload
would read a body of any size and publish a folder of uploads.
"""

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.customers.rules.vehicles import PHOTO_SENT_MAX, PhotoTooLarge
from fuel_app.customers.service import vehicles
from fuel_app.kit import http as bodies
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import client_address, refused, text_answer

_TIMEOUT_S = 120  # for ten megabytes over a slow phone


async def photo(request: Request) -> Response:
    """Return the photo as a `data:` address, or the reason for its refusal."""
    try:
        bodies.refuse_by_length(request, PHOTO_SENT_MAX, PhotoTooLarge())
        await vehicles.limit_photos(client_address(request))
        async with asyncio.timeout(_TIMEOUT_S):
            file = await bodies.read(request, PHOTO_SENT_MAX, PhotoTooLarge())
        return text_answer(await vehicles.convert_photo(file), 200)
    except Refusal as refusal:
        return refused(refusal)
    except (TimeoutError, ClientDisconnect):
        return text_answer("", 408)


ROUTES = [
    Route(routes.PHOTOS, photo, methods=["POST"]),
]
