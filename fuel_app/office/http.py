"""The journal as CSV for the bookkeeper."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires
from fuel_app.accounts.rules import Role
from fuel_app.billing.rules.reports import MoneyQuery
from fuel_app.billing.service import reports
from fuel_app.kit import clock
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.http import download, text_answer


@requires(Role.ADMIN)
async def journal(request: Request) -> Response:
    """Answer with the entries of the days in the address."""
    try:
        first, last = MoneyQuery.parse(request.query_params).days(clock.day_of(clock.now()))
    except InvalidForm as error:
        return text_answer(" ".join(error.messages.values()), 422)
    parts = reports.stream_journal(request.state.session.actor, first, last)
    return download(parts, f"journal-{first}-to-{last}.csv")


ROUTES = [Route(routes.JOURNAL_EXPORT, journal, methods=["GET"])]
