"""Public pages as they are sent: the built document, with what follows the opening.

The build knows no opening. A page holds the parts of both times (`ui/opening.py`), and the mark
that is set here shows those of one before any script runs. What only robots read is written here.
"""

import asyncio
from functools import lru_cache
from html import escape

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.marketing import service
from fuel_app.marketing.http.structured_data import json_ld, things
from fuel_app.marketing.rules import DESCRIPTION, DESCRIPTION_ONCE_OPEN, Opening
from fuel_app.server import html
from fuel_app.server.pages import Page, Site

log = structlog.get_logger(__name__)

# The pages that search engines may list: add the address of a new public page here.
PUBLIC_PAGES = (
    routes.HOME,
    routes.PLANS,
    routes.FLEET,
    routes.BUSINESS,
    routes.PRIVACY,
    routes.TERMS,
)
TIMEOUT_S = 2  # a page as it was last beats a late page
_MARK = ('<html lang="en"', '<html lang="en" data-company="open"')


class PublicPages:
    """The public pages of the built site; in development Vite serves them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._opening = Opening()  # the last that was read
        self._page = lru_cache(2 * len(PUBLIC_PAGES))(self._written)

    def routes(self) -> list[Route]:
        return [Route(each, self._answer) for each in PUBLIC_PAGES if each in self._site.pages]

    async def _answer(self, request: Request) -> Response:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                self._opening = await service.opening()
        except Exception as error:
            log.error("public_page.database_unavailable", error=type(error).__name__)
        return self._page(request.url.path, self._opening).answer(request.headers)

    def _written(self, address: str, opening: Opening) -> Page:
        built = self._site.pages[address]  # data is no script: the policy stays
        return Page.of(written(address, built.document, opening), built.policy, effort=5)


def written(address: str, document: str, opening: Opening) -> str:
    """Return a built document with structured data and, once open, marked and described so."""
    if about := things(address, opening):
        document = html.with_foot(document, json_ld(*about))
    if not opening.is_open:
        return document
    document = document.replace(*_MARK, 1)
    return document.replace(escape(DESCRIPTION), escape(DESCRIPTION_ONCE_OPEN))
