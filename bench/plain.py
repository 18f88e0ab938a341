"""A plain handler for each page: Starlette makes the same reads and answers them as JSON.

`python -m bench.plain PORT` takes a line of JSON, the addresses of pages with their cookies, opens
each page once to learn its reads, and then serves those of page N at `/N`.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

import uvicorn
import uvloop
from sqlalchemy import Executable, event
from sqlalchemy.orm import ORMExecuteState, Session
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app.accounts.state.page_parts import open_parts
from fuel_app.kit.db.session import reading
from fuel_app.pages import PARTS, PageState
from tests.helpers.tabs import tab_at

Read = tuple[Executable, Any]  # a statement and its parameters


async def _reads(path: str, cookie: str) -> Sequence[Read]:
    """Open a page a second time in a tab without a browser. Return its reads."""
    tab = tab_at(path, cookie=cookie)
    state = await tab.get_state(PageState)
    opens, _ = PARTS[path]
    await open_parts(state, opens)
    reads: list[Read] = []

    def note(asked: ORMExecuteState) -> None:
        reads.append((asked.statement, asked.parameters))

    event.listen(Session, "do_orm_execute", note)
    await open_parts(state, opens)
    event.remove(Session, "do_orm_execute", note)
    return reads


def _app(pages: Sequence[Sequence[Read]]) -> Starlette:
    async def answer(request: Request) -> Response:
        async with reading() as session:
            found = [
                [list(row) for row in await session.execute(*read)]
                for read in pages[request.path_params["page"]]
            ]
        return Response(json.dumps(found, default=str), media_type="application/json")

    return Starlette(routes=[Route("/{page:int}", answer)])


async def _serve(port: int) -> None:
    asked = json.loads(sys.stdin.readline())
    pages = [await _reads(path, cookie) for path, cookie in asked]
    config = uvicorn.Config(_app(pages), port=port, log_level="warning")
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1])))
