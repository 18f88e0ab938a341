"""The mail of an announcement, as a page of its own."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires
from fuel_app.accounts.rules import Role
from fuel_app.announcements import service as announcements
from fuel_app.announcements.rules import AnnouncementGone
from fuel_app.kit.http import FRESH, text_answer


@requires(Role.ADMIN)
async def mail(request: Request) -> Response:
    """Answer with an announcement's mail as its recipients see it."""
    by = request.state.session.actor
    try:
        page = await announcements.mail_page(request.path_params["announcement_id"], actor=by)
    except AnnouncementGone as gone:
        return text_answer(str(gone), 404)
    return HTMLResponse(page, headers=FRESH)


ROUTES = [Route(routes.ANNOUNCEMENT_MAIL_PATTERN, mail, methods=["GET"])]
