"""Flyer: a printable sheet and its QR code, from the page of a join link.

It shows what the join page shows, so anyone with the link may print it.
See docs/decisions/flyers.md.
"""

import asyncio
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from fuel_app import routes
from fuel_app.joining.http.links import find_neighborhood, standing
from fuel_app.kit import clock, qr
from fuel_app.kit.http import site_address
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.neighborhoods.rules import TIERS, NeighborhoodSummary, Tier, members_range
from fuel_app.server.html import inline
from fuel_app.server.pages import Page
from fuel_app.server.security import page_policy
from fuel_app.settings import settings
from fuel_app.waitlist import service as waitlist

_KEEP = {"Cache-Control": "public, max-age=300"}
_HERE = Path(__file__).parent
_SHEET = Template(
    (_HERE / "flyer.html").read_text().replace("/* style */", (_HERE / "flyer.css").read_text())
)
_FREE = '<p class="free">Get Your First Fill-Up Free <span>(up to {cap} of fuel)</span></p>'
_STEPS = (
    "<li>Join the waitlist with your name, email, phone and ZIP.</li>"
    "<li>Press Join Neighborhood, and you are in.</li>"
)
_STEPS_WHERE_OPEN = (
    "<li>Sign up with your name, email, phone and ZIP, and choose a plan.</li>"
    "<li>Confirm your email, and you are in.</li>"
)
_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": page_policy(inline(_SHEET.template)),
    "X-Robots-Tag": "noindex",
}


async def flyer(unknown: Page | None, request: Request) -> Response:
    """Return a neighborhood's flyer; for an unknown one the page `unknown` of the built site."""
    asked = request.path_params["neighborhood_id"]
    neighborhood = await find_neighborhood(asked)
    if neighborhood is None:
        missing = PlainTextResponse("Neighborhood not found", 404)
        return unknown.answer(request.headers, 404) if unknown else missing
    if neighborhood.id != well_formed_id(asked):  # it has become part of another
        return RedirectResponse(routes.flyer(neighborhood.id))
    address = link(request, neighborhood.id)
    cap = await waitlist.free_fill_cap(neighborhood.zip_code)
    document = sheet(neighborhood, address, await drawn(address), cap)
    return HTMLResponse(document, headers=_HEADERS)


def sheet(neighborhood: NeighborhoodSummary, address: str, code: str, cap: Money | None) -> str:
    """Return the document.

    Args:
        address: The whole join link; `code` is the same as SVG.
        cap: Of the free first fill; None where we are open, and promise none.
    """
    return _SHEET.substitute(
        {
            "brand": escape(settings.brand_name),
            "name": escape(neighborhood.name),
            "size": _size(neighborhood.name),
            "zip_code": neighborhood.zip_code,
            "free": _FREE.format(cap=cap.short) if cap else "",
            "steps": _STEPS if cap else _STEPS_WHERE_OPEN,
            "standing": escape(standing(neighborhood)),
            "tiers": "".join(_row(tier) for tier in TIERS[1:]),
            "code": code,
            "link": escape(address),
            "today": clock.long_date(clock.day_of(clock.now())),
        }
    )


def _size(name: str) -> str:
    """Return the font size class that keeps the name on one sheet."""
    return "short" if len(name) <= 20 else "medium" if len(name) <= 36 else "long"


def _row(tier: Tier) -> str:
    return (
        f'<tr><th scope="row">{members_range(tier)} neighbors</th>'
        f"<td>{tier.monthly_discount.short} off</td><td>{tier.yearly_discount.short}</td></tr>"
    )


async def join_code(request: Request) -> Response:
    """Return the neighborhood's QR code."""
    neighborhood = await find_neighborhood(request.path_params["neighborhood_id"])
    if neighborhood is None:
        return PlainTextResponse("Neighborhood not found", 404)
    return Response(
        await drawn(link(request, neighborhood.id)), media_type="image/svg+xml", headers=_KEEP
    )


async def drawn(address: str) -> str:
    """Draw an address as SVG, beside the event loop."""
    return await asyncio.to_thread(_draw, address)


def link(request: Request, neighborhood_id: str) -> str:
    """Return the whole join link, which the code holds."""
    return site_address(request) + routes.join_neighborhood(neighborhood_id)


@lru_cache(maxsize=256)
def _draw(address: str) -> str:
    return qr.draw(address)
