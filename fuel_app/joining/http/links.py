"""Join page: the shell with the link preview that chats show."""

import asyncio
from dataclasses import dataclass
from html import escape

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fuel_app import routes
from fuel_app.joining import service as neighborhoods
from fuel_app.neighborhoods.rules import NeighborhoodSummary, neighbors
from fuel_app.server.pages import Page
from fuel_app.settings import settings
from fuel_app.waitlist.rules import well_formed_id

log = structlog.get_logger(__name__)

PATIENCE_S = 2  # a page without the name beats a late page


@dataclass(frozen=True, slots=True)
class Preview:
    """The texts and addresses of one link, unescaped."""

    title: str
    description: str
    address: str
    image: str
    image_alt: str


def here(neighborhood: NeighborhoodSummary) -> str:
    """Return the members and ZIP, such as '1 neighbor in 34236'."""
    return f"{neighbors(neighborhood.members)} in {neighborhood.zip_code}"


def standing(neighborhood: NeighborhoodSummary) -> str:
    """Return a sentence on the members and the next tier."""
    verb = "is" if neighborhood.members == 1 else "are"
    return f"{here(neighborhood)} {verb} in. {neighborhood.next_step}."


def preview(neighborhood: NeighborhoodSummary | None) -> Preview:
    """Return the preview of a neighborhood's link, or of the site."""
    site = settings.public_url
    if neighborhood is None:
        title = f"Join your neighborhood | {settings.brand_name}"
        description = (
            "Mobile fuel delivery in Sarasota and Bradenton. Join the waitlist with your "
            "neighbors: the more of you there are, the more everyone saves."
        )
        return Preview(
            title, description, site + routes.HOME, f"{site}/social.png", settings.brand_name
        )
    return Preview(
        title=f"Join {neighborhood.name} in {neighborhood.zip_code} | {settings.brand_name}",
        description=f"{standing(neighborhood)} "
        f"{settings.brand_name} brings the fuel to your driveway.",
        address=site + routes.join_neighborhood(neighborhood.id),
        # Chats cache a picture by its address, so it changes with the members.
        image=f"{site}{routes.share_card(neighborhood.id)}?members={neighborhood.members}",
        image_alt=f"{neighborhood.name}: {here(neighborhood)}. {neighborhood.next_step}.",
    )


def head(shown: Preview) -> str:
    """Return the tags for the page's head."""
    named = {"description": shown.description, "twitter:card": "summary_large_image"}
    named |= {"twitter:title": shown.title, "twitter:description": shown.description}
    named |= {"twitter:image": shown.image, "twitter:image:alt": shown.image_alt}
    graph = {
        "og:type": "website",
        "og:site_name": settings.brand_name,
        "og:title": shown.title,
        "og:description": shown.description,
        "og:url": shown.address,
        "og:image": shown.image,
        "og:image:type": "image/png",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": shown.image_alt,
    }
    return "".join(
        [
            f"<title>{escape(shown.title)}</title>",
            *(f'<meta name="{key}" content="{escape(text)}"/>' for key, text in named.items()),
            *(f'<meta property="{key}" content="{escape(text)}"/>' for key, text in graph.items()),
            f'<link rel="canonical" href="{escape(shown.address)}"/>',
        ]
    )


async def find_neighborhood(neighborhood_id: str) -> NeighborhoodSummary | None:
    """Return the neighborhood, or None if it is unknown or the database fails."""
    try:
        async with asyncio.timeout(PATIENCE_S):
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
    return shell.with_head(head(preview(neighborhood))).answer(request.headers)
