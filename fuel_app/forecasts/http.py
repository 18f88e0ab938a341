"""HTTP of due bookings: confirming or skipping a held seat by a message's link, without signing in.

A GET shows what the link does, which a mail scanner may open; only a POST by the page's button does
it, and Confirm sends back the terms that the page has shown. It needs neither cookie nor Origin:
the link's token is enough, and reaches nothing else.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.bookings.rules.bookings import when
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.forecasts.rules.due_bookings import SeatOffer
from fuel_app.forecasts.service import due_bookings
from fuel_app.kit.errors import Refusal
from fuel_app.messages.http import link_answer, link_refused

_CONFIRM, _SKIP = "Confirm this fill-up", "Skip this time"


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
        return link_refused(_CONFIRM, refusal)
    booked = f"We come on {when(seat.starts_at, seat.ends_at)}. A confirmation is on its way."
    return link_answer(_CONFIRM, "Booked", booked)


def _asks_to_confirm(
    offer: SeatOffer, token: str | None, *, note: str = "", status: int = 200
) -> Response:
    return link_answer(
        _CONFIRM,
        f"{_CONFIRM}?",
        f"{note}{offer.car}, {offer.when}, {offer.place}. {offer.price}. "
        f"The seat is held until {offer.until}.",
        asks=_CONFIRM if offer.terms else "",
        action=f"{routes.DUE_CONFIRM}?t={token}&terms={offer.terms}",
        other=(f"{_SKIP} instead", f"{routes.DUE_SKIP}?t={token}"),
        status=status,
    )


async def skip(request: Request) -> Response:
    token = request.query_params.get("t")
    try:
        if request.method != "POST":
            offer = await due_bookings.find_linked(token)
            text = f"The seat for your {offer.car} on {offer.when} goes back, free of charge."
            return link_answer(_SKIP, f"{_SKIP}?", text, asks=_SKIP)
        await due_bookings.skip_linked(token)
    except Refusal as refusal:
        return link_refused(_SKIP, refusal)
    return link_answer(_SKIP, "Skipped", "The seat has gone back. We ask again with the next tank.")


ROUTES = [
    Route(routes.DUE_CONFIRM, confirm, methods=["GET", "POST"]),
    Route(routes.DUE_SKIP, skip, methods=["GET", "POST"]),
]
