"""Plain HTTP below a join link: its page with the link preview, share card, QR code and flyer."""

import asyncio
import math
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from html import escape
from io import BytesIO
from pathlib import Path
from string import Template

import structlog
from PIL import Image, ImageDraw, ImageFont, ImageOps
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.joining import service as neighborhoods
from fuel_app.kit import clock, pictures
from fuel_app.kit.http import site_address
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.neighborhoods.rules import (
    TIERS,
    NeighborhoodSummary,
    members_range,
    neighbors,
    progress_goal,
)
from fuel_app.server.html import inline
from fuel_app.server.pages import Page, Site
from fuel_app.server.security import page_policy
from fuel_app.settings import ROOT, settings
from fuel_app.waitlist import service as waitlist

log = structlog.get_logger(__name__)

TIMEOUT_S = 2  # a page without the name beats a late page


def here(neighborhood: NeighborhoodSummary) -> str:
    """Return the members and ZIP, such as '1 neighbor in 34236'."""
    return f"{neighbors(neighborhood.members)} in {neighborhood.zip_code}"


def standing(neighborhood: NeighborhoodSummary) -> str:
    """Return a sentence on the members and the next tier."""
    verb = "is" if neighborhood.members == 1 else "are"
    return f"{here(neighborhood)} {verb} in. {neighborhood.next_step}."


def head(neighborhood: NeighborhoodSummary | None) -> str:
    """Return the tags for the page's head: the preview of a neighborhood's link, or the site's."""
    site, brand = settings.public_url, settings.brand_name
    if neighborhood:
        title = f"Join {neighborhood.name} in {neighborhood.zip_code} | {brand}"
        description = f"{standing(neighborhood)} {brand} brings the fuel to your driveway."
        address = site + routes.join_neighborhood(neighborhood.id)
        # Chats cache a picture by its address, so it changes with the members.
        image = f"{site}{routes.share_card(neighborhood.id)}?members={neighborhood.members}"
        alt = f"{neighborhood.name}: {here(neighborhood)}. {neighborhood.next_step}."
    else:
        title = f"Join your neighborhood | {brand}"
        description = (
            "Mobile fuel delivery in Sarasota and Bradenton. Join with your neighbors: the more "
            "of you there are, the more everyone saves."
        )
        address, image, alt = site + routes.HOME, f"{site}/social.png", brand
    named = {
        "description": description,
        "twitter:card": "summary_large_image",
        "twitter:title": title,
        "twitter:description": description,
        "twitter:image": image,
        "twitter:image:alt": alt,
    }
    graph = {
        "og:type": "website",
        "og:site_name": brand,
        "og:title": title,
        "og:description": description,
        "og:url": address,
        "og:image": image,
        "og:image:type": "image/png",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": alt,
    }
    return "".join(
        [
            f"<title>{escape(title)}</title>",
            *(f'<meta name="{key}" content="{escape(text)}"/>' for key, text in named.items()),
            *(f'<meta property="{key}" content="{escape(text)}"/>' for key, text in graph.items()),
            f'<link rel="canonical" href="{escape(address)}"/>',
        ]
    )


async def find_neighborhood(neighborhood_id: str) -> NeighborhoodSummary | None:
    """Return the neighborhood, or None if it is unknown or the database fails."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await neighborhoods.find(neighborhood_id)
    except Exception as error:
        log.error("join_link.database_unavailable", error=type(error).__name__)
        return None


async def join_page(shell: Page, request: Request) -> Response:
    """Return the shell with the neighborhood's preview in its head.

    The link of a merged neighborhood redirects to the surviving one.
    """
    asked = request.path_params["neighborhood_id"]
    neighborhood = await find_neighborhood(asked)
    if neighborhood and neighborhood.id != well_formed_id(asked):
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(routes.join_neighborhood(neighborhood.id) + query)
    return shell.with_head(head(neighborhood)).answer(request.headers)


SIZE = (1200, 630)
_SMOOTH = 2  # drawn larger and scaled down, for smooth edges
_LEFT, _WIDTH = 76, 1048
_KEEP = {"Cache-Control": "public, max-age=300"}
# One at a time: drawing keeps a core busy, and concurrent requests share the cached card.
_easel = ThreadPoolExecutor(1, thread_name_prefix="share-card")
_ASSETS = ROOT / "assets"

_INK, _MUTED, _SAND, _LINE = "#0B2530", "#4B6470", "#F7FAFA", "#DCE7EA"
_GULF, _GULF_DEEP, _SUN, _SKY = "#0E7C86", "#0A5961", "#FFB224", "#D9EDEF"


async def share_card(request: Request) -> Response:
    """Return the neighborhood's card, or the site's picture for an unknown one."""
    neighborhood = await find_neighborhood(request.path_params["neighborhood_id"])
    if neighborhood is None:
        return await pictures.picture(pictures.SITE, request)
    shown = (neighborhood.name, neighborhood.zip_code, neighborhood.members)
    picture = await asyncio.get_running_loop().run_in_executor(_easel, draw_card, *shown)
    return Response(picture, media_type="image/png", headers=_KEEP)


@lru_cache(maxsize=256)
def draw_card(name: str, zip_code: str, members: int) -> bytes:
    """Draw the card as a PNG of 1200 x 630."""
    neighborhood = NeighborhoodSummary("", name, zip_code, members)
    fade = Image.linear_gradient("L").resize((SIZE[0] * _SMOOTH, SIZE[1] * _SMOOTH))
    canvas = ImageOps.colorize(fade, _SKY, _SAND, blackpoint=0, whitepoint=130)
    pen = ImageDraw.Draw(canvas)
    _sun_and_gulf(pen)
    _brand(canvas, pen)
    _text(pen, 178, "Save with your neighbors in", 34, _GULF_DEEP, bold=False)
    _draw_name(pen, pictures.drawable(name) or zip_code)
    _draw_progress(pen, neighborhood)
    small = canvas.resize(SIZE, Image.Resampling.LANCZOS)
    file = BytesIO()
    small.quantize(160, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def _font(size: float, *, bold: bool = True) -> ImageFont.FreeTypeFont:
    return pictures.font(size * _SMOOTH, bold=bold)


def _text(
    pen: ImageDraw.ImageDraw, y: float, text: str, size: float, color: str, *, bold: bool = True
) -> None:
    place = (_LEFT * _SMOOTH, y * _SMOOTH)
    pen.text(place, text, color, _font(size, bold=bold), anchor="ls")


def _sun_and_gulf(pen: ImageDraw.ImageDraw) -> None:
    for radius, color in ((178, "#FBEFD2"), (118, "#FFD685")):
        pen.circle((1118 * _SMOOTH, 58 * _SMOOTH), radius * _SMOOTH, color)
    corners = [(SIZE[0] * _SMOOTH, SIZE[1] * _SMOOTH), (0, SIZE[1] * _SMOOTH)]
    for height, shift, color in ((548, 0.0, "#5FB3B8"), (572, 1.9, "#36979F"), (598, 3.6, _GULF)):
        crest = [
            (x * _SMOOTH, (height + 9 * math.sin(x / 105 + shift)) * _SMOOTH)
            for x in range(0, SIZE[0] + 1, 4)
        ]
        pen.polygon([*crest, *corners], color)


def _brand(canvas: Image.Image, pen: ImageDraw.ImageDraw) -> None:
    with Image.open(_ASSETS / "icons" / "icon-512.png") as icon:
        mark = icon.convert("RGBA").resize((64 * _SMOOTH, 64 * _SMOOTH), Image.Resampling.LANCZOS)
    canvas.paste(mark, (_LEFT * _SMOOTH, 52 * _SMOOTH), mark)
    place = ((_LEFT + 82) * _SMOOTH, 84 * _SMOOTH)
    name = pictures.shortened(settings.brand_name, 34, _WIDTH - 82)
    pen.text(place, name, _INK, _font(34), anchor="lm")


def _draw_name(pen: ImageDraw.ImageDraw, name: str) -> None:
    """Draw the name as large as it fits: on one line, else on two."""
    for size in (88, 76, 66):
        if _fits(name, size):
            return _text(pen, 178 + size + 8, name, size, _INK)
    words, lines = name.split(), [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and not _fits(longer, 56):
            lines.append(word)
        else:
            lines[-1] = longer
    first, rest = lines[0], " ".join(lines[1:])
    _text(pen, 242, pictures.shortened(first, 56, _WIDTH), 56, _INK)
    return _text(pen, 304, pictures.shortened(rest, 56, _WIDTH), 56, _INK)


def _fits(text: str, size: float) -> bool:
    return pictures.fits(text, size, _WIDTH)


def _draw_progress(pen: ImageDraw.ImageDraw, neighborhood: NeighborhoodSummary) -> None:
    """Draw the members, the progress to the next tier and its saving."""
    _text(pen, 392, here(neighborhood), 40, _INK)
    members, goal = neighborhood.members, progress_goal(neighborhood.members)
    count = f"{members} of {goal}" if members < goal else "Top savings reached"
    right = (_LEFT + _WIDTH) * _SMOOTH
    pen.text((right, 392 * _SMOOTH), count, _MUTED, _font(32, bold=False), anchor="rs")
    _bar(pen, 1.0, _LINE)
    _bar(pen, max(min(members / goal, 1.0), 0.02), _GULF if members < goal else _SUN)
    _text(pen, 496, neighborhood.next_step, 36, _GULF_DEEP)


def _bar(pen: ImageDraw.ImageDraw, share: float, color: str) -> None:
    top, height = 416 * _SMOOTH, 24 * _SMOOTH
    right = (_LEFT + _WIDTH * share) * _SMOOTH
    box = (_LEFT * _SMOOTH, top, max(right, _LEFT * _SMOOTH + height), top + height)
    pen.rounded_rectangle(box, height / 2, color)


_draw_code = lru_cache(maxsize=256)(pictures.draw_code)
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
    address = flyer_link(request, neighborhood.id)
    cap = await waitlist.free_fill_cap(neighborhood.zip_code)
    document = sheet(neighborhood, address, await drawn(address), cap)
    return HTMLResponse(document, headers=_HEADERS)


def sheet(neighborhood: NeighborhoodSummary, address: str, code: str, cap: Money | None) -> str:
    """Return the document.

    Args:
        address: The whole join link; `code` is the same as SVG.
        cap: Of the free first fill; None where we are open, and promise none.
    """
    length = len(neighborhood.name)
    tiers = (
        f'<tr><th scope="row">{members_range(tier)} neighbors</th>'
        f"<td>{tier.monthly_discount.short} off</td><td>{tier.yearly_discount.short}</td></tr>"
        for tier in TIERS[1:]
    )
    return _SHEET.substitute(
        {
            "brand": escape(settings.brand_name),
            "name": escape(neighborhood.name),
            # The class of the font size that keeps it on one sheet.
            "size": "short" if length <= 20 else "medium" if length <= 36 else "long",
            "zip_code": neighborhood.zip_code,
            "free": _FREE.format(cap=cap.short) if cap else "",
            "steps": _STEPS if cap else _STEPS_WHERE_OPEN,
            "standing": escape(standing(neighborhood)),
            "tiers": "".join(tiers),
            "code": code,
            "link": escape(address),
            "today": clock.long_date(clock.day_of(clock.now())),
        }
    )


async def join_code(request: Request) -> Response:
    """Return the neighborhood's QR code."""
    neighborhood = await find_neighborhood(request.path_params["neighborhood_id"])
    if neighborhood is None:
        return PlainTextResponse("Neighborhood not found", 404)
    return Response(
        await drawn(flyer_link(request, neighborhood.id)),
        media_type="image/svg+xml",
        headers=_KEEP,
    )


async def drawn(address: str) -> str:
    """Draw an address as SVG, beside the event loop."""
    return await asyncio.to_thread(_draw_code, address)


def flyer_link(request: Request, neighborhood_id: str) -> str:
    """Return the whole join link, which the code holds."""
    return site_address(request) + routes.join_neighborhood(neighborhood_id)


_JOIN_LINK = f"{routes.JOIN_NEIGHBORHOOD}/{{neighborhood_id}}"


def join_routes(site: Site) -> list[Route]:
    """Return the routes below a join link; in development Vite serves its page."""
    return [
        Route(f"{_JOIN_LINK}/card.png", share_card),
        Route(f"{_JOIN_LINK}/code.svg", join_code),
        Route(f"{_JOIN_LINK}/flyer", partial(flyer, site.not_found)),
        *([Route(_JOIN_LINK, partial(join_page, site.shell))] if site.shell else []),
    ]
