"""The staff's files over plain HTTP, since an event holds no megabytes: leads out, a file in."""

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import SIGN_IN, staff_only
from fuel_app.accounts.service import sessions
from fuel_app.kit import clock
from fuel_app.kit import http as bodies
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import download, refused, text_answer
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.table_file import BYTES_MAX, FileTooLarge, check_name
from fuel_app.leads.rules import LeadQuery
from fuel_app.submissions import service as submissions

_TIMEOUT_S = 300  # for twenty megabytes over a slow line


@staff_only
async def export(request: Request) -> Response:
    """Send the leads that a search finds or, where the address has their ids, the chosen ones.

    With `all` in the address, all their fields.
    """
    asked, actor = request.query_params, request.state.session.actor
    whole = "all" in asked
    if "ids" in asked:
        ids = list(filter(None, map(well_formed_id, asked["ids"].split(","))))
        parts = submissions.export_chosen(ids, LeadQuery.parse(asked), whole=whole, actor=actor)
    else:
        parts = submissions.export_leads(LeadQuery.parse(asked), whole=whole, actor=actor)
    name = "submissions-all-fields" if whole else "submissions"
    return download(parts, f"{name}-{clock.day_of(clock.now())}.csv")


@staff_only
async def rejected(request: Request) -> Response:
    """Send the rows of an import that were not imported, to correct and import again."""
    import_id = well_formed_id(request.path_params["import_id"])
    actor = request.state.session.actor
    parts = await submissions.export_rejected(import_id or "", actor=actor)
    if parts is None:
        return text_answer("There is no such import.", 404)
    return download(parts, "rejected-rows.csv")


@staff_only
async def bring(request: Request) -> Response:
    """Keep a file to look at before its import: answer with its id or, in words, why not.

    With `begin` in the address, as a script has it, the file is imported as its columns are named,
    and the answer is the import's id.

    The framework's own upload would read a body of any size before it checks the session.
    """
    try:
        name = check_name(request.query_params.get("name"))
        bodies.refuse_by_length(request, BYTES_MAX, FileTooLarge())
        async with asyncio.timeout(_TIMEOUT_S):
            file = await bodies.read(request, BYTES_MAX, FileTooLarge())
        session = await sessions.find(request.state.session.id)  # it may have ended meanwhile
        if session is None:
            return text_answer(SIGN_IN, 401)
        own_id = await submissions.keep_file(name, file, actor=session.actor)
        if "begin" in request.query_params:
            own_id = await submissions.start_import(own_id, actor=session.actor)
        return text_answer(own_id, 202)
    except Refusal as refusal:
        return refused(refusal)
    except (TimeoutError, ClientDisconnect):
        return text_answer("", 408)


ROUTES = [
    Route(routes.LEADS_EXPORT, export),
    Route(routes.LEAD_IMPORTS, bring, methods=["POST"]),
    Route(routes.REJECTED_ROWS_PATTERN, rejected),
]
