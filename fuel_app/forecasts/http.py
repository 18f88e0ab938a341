"""HTTP of due bookings: confirming or skipping a held seat by a message's link, without signing in.

A GET shows what the link does, which a mail scanner may open; only a POST by the page's button does
it, and Confirm sends back the terms that the page has shown. It needs neither cookie nor Origin:
the link's token is enough, and reaches nothing else.
"""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.bookings.rules.bookings import when
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.forecasts.rules.due_bookings import SeatOffer
from fuel_app.forecasts.service import due_bookings
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH
from fuel_app.messages.providers import link_page
from fuel_app.messages.rules.kinds import BadLink

_CONFIRM, _SKIP = "Confirm this fill-up", "Skip this time"
_PRIVATE = FRESH | {"Referrer-Policy": "no-referrer"}


async def confirm(request: Request) -> Response:
    token = request.query_params.get("t")
    try:
        if request.method != "POST":
            return _asks_to_confirm(await due_bookings.find_linked(token), token)
        seat = await due_bookings.confirm_linked(token, request.query_params.get("terms"))
    except PriceChanged as changed:
        offer = await due_bookings.find_linked(token)
        return _asks_to_confirm(offer, token, note=f"{changed} ", status=409)
    except Refusal as refusal:
        return _refused(_CONFIRM, refusal)
    booked = f"We come on {when(seat.starts_at, seat.ends_at)}. A confirmation is on its way."
    return _page(_CONFIRM, "Booked", booked)


def _asks_to_confirm(
    offer: SeatOffer, token: str | None, *, note: str = "", status: int = 200
) -> Response:
    page = link_page(
        _CONFIRM,
        f"{_CONFIRM}?",
        f"{note}{offer.car}, {offer.when}, {offer.place}. {offer.price}. "
        f"The seat is held until {offer.until}.",
        asks=_CONFIRM if offer.terms else "",
        action=f"{routes.DUE_CONFIRM}?t={token}&terms={offer.terms}",
        other=(f"{_SKIP} instead", f"{routes.DUE_SKIP}?t={token}"),
    )
    return HTMLResponse(page, status, headers=_PRIVATE)


async def skip(request: Request) -> Response:
    token = request.query_params.get("t")
    try:
        if request.method != "POST":
            offer = await due_bookings.find_linked(token)
            text = f"The seat for your {offer.car} on {offer.when} goes back, free of charge."
            return _page(_SKIP, f"{_SKIP}?", text, asks=_SKIP)
        await due_bookings.skip_linked(token)
    except Refusal as refusal:
        return _refused(_SKIP, refusal)
    return _page(_SKIP, "Skipped", "The seat has gone back. We ask again with the next tank.")


def _refused(title: str, refusal: Refusal) -> Response:
    is_bad = isinstance(refusal, BadLink)
    heading = "This link does not work" if is_bad else "This did not work"
    return _page(title, heading, str(refusal), status=404 if is_bad else 409)


def _page(title: str, heading: str, text: str, *, asks: str = "", status: int = 200) -> Response:
    return HTMLResponse(link_page(title, heading, text, asks=asks), status, headers=_PRIVATE)


ROUTES = [
    Route(routes.DUE_CONFIRM, confirm, methods=["GET", "POST"]),
    Route(routes.DUE_SKIP, skip, methods=["GET", "POST"]),
]
