"""Metadata for search engines and home screens."""

from functools import partial
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from fuel_app.kit import social
from fuel_app.marketing.http.public_pages import PUBLIC_PAGES
from fuel_app.settings import settings

_KEEP = {"Cache-Control": "public, max-age=3600"}


async def robots(_request: Request) -> Response:
    lines = ("User-agent: *", "Allow: /", "", f"Sitemap: {settings.public_url}/sitemap.xml", "")
    return PlainTextResponse("\n".join(lines), headers=_KEEP)


async def sitemap(_request: Request) -> Response:
    pages = "".join(
        f"<url><loc>{escape(settings.public_url + address)}</loc></url>" for address in PUBLIC_PAGES
    )
    document = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{pages}</urlset>'
    )
    return Response(document, media_type="application/xml", headers=_KEEP)


async def manifest(_request: Request) -> Response:
    """Return the W3C web application manifest."""
    return JSONResponse(
        {
            "name": settings.brand_name,
            "short_name": settings.brand_name,
            "description": "Never visit a gas station again.",
            "lang": "en-US",
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "theme_color": "#0E7C86",
            "background_color": "#F7FAFA",
            "icons": [
                _icon("icon-192", 192, "any"),
                _icon("icon-512", 512, "any"),
                _icon("icon-maskable-512", 512, "maskable"),
            ],
        },
        headers=_KEEP,
        media_type="application/manifest+json",
    )


def _icon(name: str, size: int, purpose: str) -> dict[str, str]:
    return {
        "src": f"/icons/{name}.png",
        "sizes": f"{size}x{size}",
        "type": "image/png",
        "purpose": purpose,
    }


ROUTES = [
    Route("/robots.txt", robots),
    Route("/sitemap.xml", sitemap),
    Route("/site.webmanifest", manifest),
    *(Route(f"/{name}.png", partial(social.picture, name)) for name in social.PICTURES),
]
