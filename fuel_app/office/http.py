"""The journal as CSV for the bookkeeper, and what answers a dispute as a ZIP."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires
from fuel_app.accounts.rules import Role
from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.rules.reports import MoneyQuery
from fuel_app.billing.service import reports
from fuel_app.kit import clock
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.http import FRESH, download, text_answer
from fuel_app.office import service as office


@requires(Role.ADMIN)
async def journal(request: Request) -> Response:
    """Answer with the entries of the days in the address."""
    try:
        first, last = MoneyQuery.parse(request.query_params).days(clock.day_of(clock.now()))
    except InvalidForm as error:
        return text_answer(" ".join(error.messages.values()), 422)
    parts = reports.stream_journal(request.state.session.actor, first, last)
    return download(parts, f"journal-{first}-to-{last}.csv")


@requires(Role.ADMIN)
async def evidence(request: Request) -> Response:
    """Answer with the receipt and the photos of a disputed payment."""
    by = request.state.session.actor
    try:
        file = await office.evidence(request.path_params["payment_id"], actor=by)
    except InvoiceGone as gone:
        return text_answer(str(gone), 404)
    disposition = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(file.data, headers=FRESH | disposition, media_type="application/zip")


ROUTES = [
    Route(routes.JOURNAL_EXPORT, journal, methods=["GET"]),
    Route(routes.EVIDENCE_PATTERN, evidence, methods=["GET"]),
]
