"""HTTP of proposals: one version as PDF, for staff."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import staff_only
from fuel_app.kit.http import FRESH, text_answer
from fuel_app.proposals.rules.states import ProposalGone
from fuel_app.proposals.service import drafts


@staff_only
async def proposal_pdf(request: Request) -> Response:
    """Answer with a version as it was sent, with the page of evidence once it is accepted."""
    by = request.state.session.actor
    file = await drafts.pdf_of(request.path_params["proposal_id"], actor=by)
    if file is None:
        return text_answer(ProposalGone.message, 404)
    disposition = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(file.data, headers=FRESH | disposition, media_type="application/pdf")


ROUTES = [Route(routes.PROPOSAL_FILE_PATTERN, proposal_pdf, methods=["GET"])]
