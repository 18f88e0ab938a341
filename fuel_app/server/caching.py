"""How long browsers may keep files without asking again."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FOREVER = "public, max-age=31536000, immutable"
AN_HOUR = "public, max-age=3600"

# Built files carry a hash in their names; a changed font gets a new name.
_NEVER_CHANGES = ("/assets/", "/fonts/")


class FileCaching:
    """Sets `Cache-Control` on files; an answer that has its own keeps it.

    Only what was found is kept: a missing file may be there after the next release.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def keeping(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in {200, 206, 304}:
                headers = MutableHeaders(scope=message)
                if "last-modified" in headers or "etag" in headers:  # so it is a file
                    never_changes = scope["path"].startswith(_NEVER_CHANGES)
                    headers.setdefault("Cache-Control", FOREVER if never_changes else AN_HOUR)
            await send(message)

        await self._app(scope, receive, keeping if scope["type"] == "http" else send)
