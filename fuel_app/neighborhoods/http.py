"""The staff's neighborhoods table as CSV."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import staff_only
from fuel_app.kit import clock
from fuel_app.kit.http import download
from fuel_app.neighborhoods import service as neighborhood_export
from fuel_app.neighborhoods.rules import NeighborhoodQuery


@staff_only
async def export(request: Request) -> Response:
    """Answer with the rows under the filters and in the order of the address."""
    asked, actor = request.query_params, request.state.session.actor
    parts = neighborhood_export.matching(NeighborhoodQuery.parse(asked), actor=actor)
    return download(parts, f"neighborhoods-{clock.day_of(clock.now())}.csv")


ROUTES = [Route(routes.NEIGHBORHOODS_EXPORT, export)]
