"""Files of companies over plain HTTP, for staff and for the company's own people.

The service decides who may: the guard asks only for a person's session. What was uploaded is
another's: it is never opened as a page of ours.
"""

import asyncio
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import SIGN_IN, requires_person
from fuel_app.accounts.service import sessions
from fuel_app.companies.rules.documents import FILE_MAX_BYTES, DocumentTooLarge
from fuel_app.companies.service import documents
from fuel_app.kit import http as bodies
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH, refused, text_answer

_TIMEOUT_S = 120  # for five megabytes over a weak line
_HEADERS = FRESH | {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


@requires_person
async def upload(request: Request) -> Response:
    """Keep a file of a company: answer with its id or, in words, why not.

    The address says whose (`company`), of which `kind`, of which `site`, and its `name`.
    """
    asked, by = request.query_params, request.state.session.actor
    company_id, kind = asked.get("company"), asked.get("kind")
    try:
        bodies.refuse_by_length(request, FILE_MAX_BYTES, DocumentTooLarge())
        await documents.check_upload(by, company_id, kind)
        async with asyncio.timeout(_TIMEOUT_S):
            file = await bodies.read(request, FILE_MAX_BYTES, DocumentTooLarge())
        session = await sessions.find(request.state.session.id)  # it may have ended meanwhile
        if session is None:
            return text_answer(SIGN_IN, 401)
        document_id = await documents.add_document(
            session.actor, company_id, kind, asked.get("name"), file, asked.get("site")
        )
        return text_answer(document_id, 201)
    except Refusal as refusal:
        return refused(refusal)
    except (TimeoutError, ClientDisconnect):
        return text_answer("", 408)


@requires_person
async def document(request: Request) -> Response:
    """Send a file: a picture to look at, a PDF to keep."""
    by = request.state.session.actor
    try:
        found = await documents.open_document(by, request.path_params["document_id"])
    except Refusal as refusal:
        return refused(refusal)
    how = "inline" if found.media_type.startswith("image/") else "attachment"
    disposition = {"Content-Disposition": f"{how}; filename*=UTF-8''{quote(found.name, safe='')}"}
    return Response(found.file, headers=_HEADERS | disposition, media_type=found.media_type)


ROUTES = [
    Route(routes.COMPANY_DOCUMENTS, upload, methods=["POST"]),
    Route(routes.COMPANY_DOCUMENT_PATTERN, document, methods=["GET"]),
]
