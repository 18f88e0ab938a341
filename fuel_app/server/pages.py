"""The prerendered pages: in memory, compressed, each under one clean address."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app.server import html
from fuel_app.server.boot import after_first_paint
from fuel_app.server.negotiation import PLAIN, Compressed, best_coding, is_known
from fuel_app.server.security import page_policy

Router = Callable[[str], str | None]

_SHELL = "/__spa-fallback"  # without content: the browser draws the page
_NOT_FOUND = "/404"
_UNKNOWN_HEAD = (
    '<title>Unexpected Application Error!</title><meta name="robots" content="noindex"/>'
)
_UNKNOWN_BODY = "<noscript><h1>Unexpected Application Error!</h1><p>404 Not Found</p></noscript>"


@dataclass(frozen=True, slots=True)
class Page:
    """An HTML document, ready to be sent."""

    document: str
    policy: str
    content: Compressed

    @classmethod
    def of(cls, document: str) -> Self:
        return cls(document, page_policy(html.inline(document)), Compressed.of(document))

    def with_head(self, tags: str) -> Self:
        """The page with more in its head, as quickly as one answer needs it; no scripts."""
        document = html.with_head(self.document, tags)
        return type(self)(document, self.policy, Compressed.of(document, effort=5))

    def answer(self, headers: Headers, status: int = 200) -> Response:
        """The page in the best coding, or 304 if the browser holds it already."""
        coding = best_coding(headers.get("accept-encoding", ""))
        etag = self.content.etag(coding)
        answer_headers = {
            "Cache-Control": "no-cache",
            "Content-Security-Policy": self.policy,
            "ETag": etag,
            "Vary": "Accept-Encoding",
        }
        if status == 200 and is_known(etag, headers):
            return Response(status_code=304, headers=answer_headers)
        if coding != PLAIN:
            answer_headers["Content-Encoding"] = coding
        return Response(self.content.bodies[coding], status, answer_headers, "text/html")


@dataclass(frozen=True, slots=True)
class Site:
    """What was built: pages by address, the shell and the page for unknown addresses."""

    pages: Mapping[str, Page] = field(default_factory=dict)
    shell: Page | None = None
    not_found: Page | None = None

    @classmethod
    def read(cls, built: Path) -> Self:
        """Read the built pages; none are there in development, and nothing changes then."""

        def stylesheet(address: str) -> str:
            return (built / address.lstrip("/")).read_text()

        documents = {
            _address(file.relative_to(built)): after_first_paint(
                html.with_stylesheet_inside(file.read_text(), stylesheet)
            )
            for file in sorted(built.rglob("*.html"))
        }
        shell, unknown = documents.pop(_SHELL, None), documents.pop(_NOT_FOUND, None)
        return cls(
            pages={address: Page.of(document) for address, document in documents.items()},
            shell=Page.of(shell) if shell else None,
            not_found=Page.of(_without_script(unknown)) if unknown else None,
        )


def _address(file: Path) -> str:
    """`index.html` is `/`; `fleet.html` and `fleet/index.html` are both `/fleet`."""
    parts = file.with_suffix("").parts
    return "/" + "/".join(parts[:-1] if parts[-1] == "index" else parts)


class Pages:
    """Answers for pages, and passes on whatever is none.

    Args:
        router: Returns the app's route for a path, or None.
    """

    def __init__(self, app: ASGIApp, site: Site, router: Router) -> None:
        self._app = app
        self._site = site
        self._router = router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and self._site.pages:
            response = self._response(scope)
            if response is not None:
                await response(scope, receive, send)
                return
            send = self._replacing_404(scope, receive, send)
        await self._app(scope, receive, send)

    def _response(self, scope: Scope) -> Response | None:
        path, headers = scope["path"], Headers(scope=scope)
        if page := self._page(path):
            return page.answer(headers)
        clean = path.rstrip("/")
        if clean != path and self._page(clean):
            # Only an address of ours comes this far, so this leads to no other site.
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(quote(clean) + (f"?{query}" if query else ""), 301)
        if path.endswith(".html") and self._site.not_found:  # files, not addresses
            return self._site.not_found.answer(headers, 404)
        return None

    def _page(self, path: str) -> Page | None:
        if page := self._site.pages.get(path):
            return page
        is_dynamic = not path.endswith("/") and "[" in (self._router(path) or "")
        return self._site.shell if is_dynamic else None

    def _replacing_404(self, scope: Scope, receive: Receive, send: Send) -> Send:
        """Send our page in place of the framework's own for unknown addresses."""
        replaced = False

        async def replacing(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and message["status"] == 404:
                page, kind = self._site.not_found, Headers(scope=message).get("content-type", "")
                if page and kind.startswith("text/"):
                    replaced = True
                    await page.answer(Headers(scope=scope), 404)(scope, receive, send)
            if not replaced:
                await send(message)

        return replacing


def _without_script(document: str) -> str:
    return html.with_last(html.with_head(document, _UNKNOWN_HEAD), _UNKNOWN_BODY)
