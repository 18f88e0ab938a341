"""Join page: the shell with the link preview that chats show."""

import asyncio
from html import escape

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fuel_app import routes
from fuel_app.joining import service as neighborhoods
from fuel_app.kit.ids import well_formed_id
from fuel_app.neighborhoods.rules import NeighborhoodSummary, neighbors
from fuel_app.server.pages import Page
from fuel_app.settings import settings

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
