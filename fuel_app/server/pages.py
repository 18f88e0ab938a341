"""Prerendered pages: served from memory, compressed, each under one clean address."""

import gzip
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import quote

import brotli
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app import routes
from fuel_app.server.html import inline, with_foot, with_head
from fuel_app.server.reflex.build import after_first_paint, with_stylesheet_inside
from fuel_app.server.security import page_policy

Router = Callable[[str], str | None]
Check = Callable[[str], bool]

PLAIN = "identity"
CODINGS = ("br", "gzip")  # smallest first
FOREVER = "public, max-age=31536000, immutable"
AN_HOUR = "public, max-age=3600"
# Built files have a hash in their names; a changed font gets a new name.
_NEVER_CHANGES = ("/assets/", "/fonts/")

_SHELL = "/__spa-fallback"  # without content: the browser draws the page
_NOT_FOUND = "/404"
_UNKNOWN_HEAD = (
    '<title>Unexpected Application Error!</title><meta name="robots" content="noindex"/>'
)
_UNKNOWN_BODY = "<noscript><h1>Unexpected Application Error!</h1><p>404 Not Found</p></noscript>"


def best_coding(accepted: str) -> str:
    """Return the coding to answer with, by the q values of an `Accept-Encoding` header."""
    wishes = dict(_wish(entry) for entry in accepted.split(",") if entry.strip())
    anything_else = wishes.get("*", 0.0)
    liked = max(CODINGS, key=lambda coding: wishes.get(coding, anything_else))
    wish = wishes.get(liked, anything_else)
    return liked if wish > 0 and wish >= wishes.get(PLAIN, 0.0) else PLAIN


def _wish(entry: str) -> tuple[str, float]:
    coding, _, parameter = entry.partition(";")
    name, _, value = parameter.partition("=")
    try:
        quality = float(value) if name.strip().lower() == "q" else 1.0
    except ValueError:
        quality = 0.0
    return coding.strip().lower(), quality


def is_known(etag: str, headers: Headers) -> bool:
    """Return whether the client holds this version."""
    held = {tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")}
    return etag in held or "*" in held


# For a page whose address is a secret.
_SECRET = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


@dataclass(frozen=True, slots=True)
class Page:
    """An HTML document in every offered content coding, ready to be sent."""

    document: str
    policy: str
    bodies: Mapping[str, bytes]
    digest: str

    @classmethod
    def of(cls, document: str, policy: str = "", *, effort: int = 10) -> Self:
        """Compress a document; `effort` is brotli's quality, 0 to 11."""
        plain = document.encode()
        bodies = {
            "br": brotli.compress(plain, mode=brotli.MODE_TEXT, quality=effort),
            "gzip": gzip.compress(plain, compresslevel=min(effort, 9), mtime=0),
            PLAIN: plain,
        }
        policy = policy or page_policy(inline(document))
        return cls(document, policy, bodies, hashlib.sha256(plain).hexdigest()[:24])

    def with_head(self, tags: str) -> Self:
        """Return the page with tags added to its head; no scripts, since the policy stays."""
        return type(self).of(with_head(self.document, tags), self.policy, effort=5)

    def answer(self, headers: Headers, status: int = 200) -> Response:
        """Return the page in the best coding, or 304 if the browser holds it already."""
        coding = best_coding(headers.get("accept-encoding", ""))
        etag = f'"{self.digest}-{coding}"'
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
        return Response(self.bodies[coding], status, answer_headers, "text/html")


@dataclass(frozen=True, slots=True)
class Site:
    """The built site: pages by address, the shell and the page for unknown addresses."""

    pages: Mapping[str, Page] = field(default_factory=dict)
    shell: Page | None = None
    not_found: Page | None = None

    @classmethod
    def read(cls, built: Path) -> Self:
        """Read the built pages; in development there are none."""

        def stylesheet(address: str) -> str:
            return (built / address.lstrip("/")).read_text()

        documents = {
            _address(file.relative_to(built)): after_first_paint(
                with_stylesheet_inside(file.read_text(), stylesheet)
            )
            for file in sorted(built.rglob("*.html"))
        }
        shell, unknown = documents.pop(_SHELL, None), documents.pop(_NOT_FOUND, None)
        return cls(
            pages={address: Page.of(document) for address, document in documents.items()},
            shell=Page.of(shell) if shell else None,
            not_found=Page.of(_not_found(unknown)) if unknown else None,
        )


def _not_found(document: str) -> str:
    """Return the page for unknown addresses with a text for browsers without scripts."""
    return with_foot(with_head(document, _UNKNOWN_HEAD), _UNKNOWN_BODY)


def _address(file: Path) -> str:
    """Return a file's address: `fleet.html` and `fleet/index.html` are both `/fleet`."""
    parts = file.with_suffix("").parts
    return "/" + "/".join(parts[:-1] if parts[-1] == "index" else parts)


class Pages:
    """Answers requests for pages and passes on the rest."""

    def __init__(self, app: ASGIApp, site: Site, router: Router, is_wrong_link: Check) -> None:
        self._app = app
        self._site = site
        self._router = router
        self._is_wrong_link = is_wrong_link

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
            # The page itself says in words that the link is wrong.
            answer = page.answer(headers, 404 if self._is_wrong_link(path) else 200)
            answer.headers.update(_SECRET if routes.link_in(path) else {})
            return answer
        clean = path.rstrip("/")
        if clean != path and self._page(clean):
            # No open redirect: only known addresses come this far.
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
        """Send our own page for unknown addresses in place of Reflex's."""
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


def caching(path: str, answer: Message) -> dict[str, str]:
    """Return `Cache-Control` for files that were found."""
    headers = Headers(scope=answer)
    if answer["status"] in {200, 206, 304} and ("last-modified" in headers or "etag" in headers):
        return {"Cache-Control": FOREVER if path.startswith(_NEVER_CHANGES) else AN_HOUR}
    return {}
