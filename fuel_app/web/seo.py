"""What search engines are told."""

from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from fuel_app import routes
from fuel_app.settings import settings

# The pages that search engines may list: add the address of a new public page here.
PUBLIC_PAGES = (routes.HOME, routes.PLANS, routes.FLEET, routes.BUSINESS, routes.PRIVACY)

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
