"""The download of a person's own data."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires_person
from fuel_app.accounts.rules.security import ReauthenticationNeeded
from fuel_app.kit.http import FRESH, refused
from fuel_app.membership import service


@requires_person
async def account_data(request: Request) -> Response:
    """Return a person's own data as a file."""
    disposition = {"Content-Disposition": 'attachment; filename="your-data.json"'}
    try:
        text = await service.download(request.state.session)
    except ReauthenticationNeeded as refusal:  # the page asks for the password first
        return refused(refusal)
    return Response(text, headers=FRESH | disposition, media_type="application/json")


ROUTES = [Route(routes.ACCOUNT_DATA, account_data, methods=["GET"])]
