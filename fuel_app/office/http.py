"""Addresses of the settings that are no pages."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fuel_app import routes


async def settings(_request: Request) -> Response:
    """Lead to the first of the settings."""
    return RedirectResponse(routes.SETTINGS_AREAS)


ROUTES = [Route(routes.SETTINGS, settings)]
