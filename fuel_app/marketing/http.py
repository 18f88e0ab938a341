"""Metadata for search engines and home screens, schema.org data, and public pages as they are sent:
the built document, with what follows the opening.
"""

import asyncio
import json
from collections.abc import Sequence
from functools import lru_cache, partial
from html import escape
from typing import Any
from xml.sax.saxutils import escape as xml_escape

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.areas.rules.places import ZIP_CODES
from fuel_app.kit import pictures
from fuel_app.kit.money import Money
from fuel_app.kit.ui.frame import TAGLINE
from fuel_app.marketing import service
from fuel_app.marketing.rules import (
    DESCRIPTION,
    DESCRIPTION_ONCE_OPEN,
    QUESTIONS,
    QUESTIONS_ONCE_OPEN,
    Opening,
    Question,
)
from fuel_app.plans.rules.plans import ONE_TIME_FEE, PLANS
from fuel_app.server import html
from fuel_app.server.pages import Page, Site
from fuel_app.settings import settings

Thing = dict[str, Any]


def things(address: str, opening: Opening) -> list[Thing]:
    """Return what a public page is about; nothing for the pages of the law."""
    match address:
        case routes.HOME:
            return [local_business(opening)]
        case routes.PLANS:
            questions = QUESTIONS_ONCE_OPEN if opening.is_open else QUESTIONS
            about = "A technician comes to your parked car and fills the tank."
            plans = service_data("Mobile fuel delivery plans", about, address, opening)
            return [plans | plan_offers(opening), faq(questions)]
        case routes.FLEET:
            about = "Gasoline and diesel, filled into company vehicles where they park."
            return [service_data("Fleet fueling", about, address, opening)]
        case routes.BUSINESS:
            about = "Employees' cars are filled in the company's parking lot while they work."
            return [service_data("Employee fuel benefit", about, address, opening)]
    return []


def as_json(*things: Thing) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(
        {"@context": "https://schema.org", "@graph": things},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    escapes = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
    return text.translate(escapes)


def local_business(opening: Opening) -> Thing:
    phone = {"telephone": settings.support_phone} if opening.is_open else {}
    about = {
        "email": settings.support_email,
        "slogan": TAGLINE,
        "description": "Mobile fuel delivery to parked cars in Sarasota and Bradenton.",
        "image": f"{settings.public_url}/social.png",
        "logo": f"{settings.public_url}/icons/icon-512.png",
        "areaServed": _served(opening),
    }
    return _provider() | phone | about


def service_data(name: str, description: str, address: str, opening: Opening) -> Thing:
    """Return a service with its page's address."""
    return {
        "@type": "Service",
        "name": name,
        "description": description,
        "url": settings.public_url + address,
        "serviceType": "Mobile fuel delivery",
        "provider": _provider(),
        "areaServed": _served(opening),
    }


def plan_offers(opening: Opening) -> Thing:
    """Return the price list, to be merged into a service."""
    monthly = [
        _offer(
            plan.name,
            f"{plan.fills} fills per month. The market price of fuel is added.",
            plan.price,
            billingDuration="P1M",
            unitText="month",
        )
        for plan in PLANS
    ]
    once = _offer(
        "One-Time Fill",
        "Convenience fee for one fill. The market price of fuel is added.",
        ONE_TIME_FEE,
        unitText="fill",
    )
    on_sale = {"availability": "https://schema.org/InStock"} if opening.is_open else {}
    return {
        "hasOfferCatalog": {
            "@type": "OfferCatalog",
            "name": "Plans",
            "itemListElement": [offer | on_sale for offer in (*monthly, once)],
        }
    }


def faq(questions: Sequence[Question]) -> Thing:
    """Return the page's questions and answers."""
    return {
        "@type": "FAQPage",
        "mainEntity": [
            {
                "@type": "Question",
                "name": question,
                "acceptedAnswer": {"@type": "Answer", "text": answer},
            }
            for question, answer in questions
        ],
    }


def _provider() -> Thing:
    home = f"{settings.public_url}/"
    name = settings.brand_name
    return {"@type": "LocalBusiness", "@id": f"{home}#business", "name": name, "url": home}


def _served(opening: Opening) -> list[Thing]:
    """Return the open areas; until the first one opens, the cities where we begin."""
    if opening.is_open:
        in_florida = {"@type": "PostalAddress", "addressRegion": "FL", "addressCountry": "US"}
        return [
            {
                "@type": "Place",
                "name": area.name,
                "address": [in_florida | {"postalCode": each} for each in area.zips],
            }
            for area in opening.areas
        ]
    florida = {"@type": "State", "name": "Florida"}
    return [{"@type": "City", "name": city, "containedInPlace": florida} for city in ZIP_CODES]


def _offer(name: str, description: str, price: Money, **unit: str) -> Thing:
    cost = {"price": price.decimal, "priceCurrency": "USD"}
    return cost | {
        "@type": "Offer",
        "name": name,
        "description": description,
        "priceSpecification": cost | {"@type": "UnitPriceSpecification"} | unit,
    }


log = structlog.get_logger(__name__)

# The pages that search engines may list: add the address of a new public page here.
PUBLIC_PAGES = (
    routes.HOME,
    routes.PLANS,
    routes.FLEET,
    routes.BUSINESS,
    routes.PRIVACY,
    routes.TERMS,
)
TIMEOUT_S = 2  # a page as it was last beats a late page
_MARK = ('<html lang="en"', '<html lang="en" data-company="open"')


class PublicPages:
    """The public pages of the built site; in development Vite serves them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._opening = Opening()  # the last that was read
        self._page = lru_cache(2 * len(PUBLIC_PAGES))(self._written)

    def routes(self) -> list[Route]:
        return [Route(each, self._answer) for each in PUBLIC_PAGES if each in self._site.pages]

    async def _answer(self, request: Request) -> Response:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                self._opening = await service.opening()
        except Exception as error:
            log.error("public_page.database_unavailable", error=type(error).__name__)
        return self._page(request.url.path, self._opening).answer(request.headers)

    def _written(self, address: str, opening: Opening) -> Page:
        built = self._site.pages[address]  # data is no script: the policy stays
        return Page.of(written(address, built.document, opening), built.policy, effort=5)


def written(address: str, document: str, opening: Opening) -> str:
    """Return a built document with structured data and, once open, marked and described so."""
    if about := things(address, opening):
        block = f'<script type="application/ld+json">{as_json(*about)}</script>'  # never run
        document = html.with_foot(document, block)
    if not opening.is_open:
        return document
    document = document.replace(*_MARK, 1)
    return document.replace(escape(DESCRIPTION), escape(DESCRIPTION_ONCE_OPEN))


_KEEP = {"Cache-Control": "public, max-age=3600"}


async def robots(_request: Request) -> Response:
    lines = ("User-agent: *", "Allow: /", "", f"Sitemap: {settings.public_url}/sitemap.xml", "")
    return PlainTextResponse("\n".join(lines), headers=_KEEP)


async def sitemap(_request: Request) -> Response:
    pages = "".join(
        f"<url><loc>{xml_escape(settings.public_url + address)}</loc></url>"
        for address in PUBLIC_PAGES
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
                {
                    "src": f"/icons/{name}.png",
                    "sizes": f"{size}x{size}",
                    "type": "image/png",
                    "purpose": purpose,
                }
                for name, size, purpose in (
                    ("icon-192", 192, "any"),
                    ("icon-512", 512, "any"),
                    ("icon-maskable-512", 512, "maskable"),
                )
            ],
        },
        headers=_KEEP,
        media_type="application/manifest+json",
    )


ROUTES = [
    Route("/robots.txt", robots),
    Route("/sitemap.xml", sitemap),
    Route("/site.webmanifest", manifest),
    *(Route(f"/{name}.png", partial(pictures.picture, name)) for name in pictures.PICTURES),
]
