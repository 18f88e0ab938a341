"""HTTP of repeats: skipping a visit and pausing a series by a mail's link, without signing in.

A GET shows what the link does, which a mail scanner may open; only a POST by the page's button does
it. It needs neither cookie nor Origin: the link's token is enough, and reaches nothing else.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.kit.errors import Refusal
from fuel_app.messages.http import link_answer, link_refused
from fuel_app.repeats import service

_SKIP, _PAUSE = "Skip this visit", "Pause the repeat"


async def skip(request: Request) -> Response:
    token = request.query_params.get("t")
    try:
        if request.method != "POST":
            window = await service.find_linked(token)
            text = f"Your fill-up on {window} is cancelled free of charge. The repeat goes on."
            return link_answer(_SKIP, f"{_SKIP}?", text, asks=_SKIP)
        window = await service.skip(token)
    except Refusal as refusal:
        return link_refused(_SKIP, refusal)
    return link_answer(_SKIP, "Skipped", f"We do not come on {window}. The repeat goes on.")


async def pause(request: Request) -> Response:
    token = request.query_params.get("t")
    try:
        if request.method != "POST":
            await service.find_linked(token)
            text = "No further visits are booked until you resume it. What is booked stays booked."
            return link_answer(_PAUSE, f"{_PAUSE}?", text, asks=_PAUSE)
        await service.pause_by_link(token)
    except Refusal as refusal:
        return link_refused(_PAUSE, refusal)
    return link_answer(_PAUSE, "Paused", "You can resume the repeat on your dashboard at any time.")


ROUTES = [
    Route(routes.REPEAT_SKIP, skip, methods=["GET", "POST"]),
    Route(routes.REPEAT_PAUSE, pause, methods=["GET", "POST"]),
]
