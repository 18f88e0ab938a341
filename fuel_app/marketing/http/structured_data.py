"""schema.org data for search engines.

While nothing is open it claims of no thing that it can be bought.
"""

import json
from collections.abc import Sequence
from typing import Any

from fuel_app import routes
from fuel_app.areas.rules.places import ZIP_CODES
from fuel_app.kit.money import Money
from fuel_app.kit.ui.brand import TAGLINE
from fuel_app.marketing.rules import QUESTIONS, QUESTIONS_ONCE_OPEN, OpenArea, Opening, Question
from fuel_app.plans.rules.plans import ONE_TIME_FEE, PLANS
from fuel_app.settings import settings

Thing = dict[str, Any]


def things(address: str, opening: Opening) -> list[Thing]:
    """Return what a public page is about; nothing for the pages of the law."""
    match address:
        case routes.HOME:
            return [local_business(opening)]
        case routes.PLANS:
            questions = QUESTIONS_ONCE_OPEN if opening.is_open else QUESTIONS
            return [_plans(opening), faq(questions)]
        case routes.FLEET:
            about = "Gasoline and diesel, filled into company vehicles where they park."
            return [service("Fleet fueling", about, address, opening)]
        case routes.BUSINESS:
            about = "Employees' cars are filled in the company's parking lot while they work."
            return [service("Employee fuel benefit", about, address, opening)]
    return []


def json_ld(*things: Thing) -> str:
    """Return a data block with `things`, which browsers do not run."""
    return f'<script type="application/ld+json">{as_json(*things)}</script>'


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


def service(name: str, description: str, address: str, opening: Opening) -> Thing:
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


def _plans(opening: Opening) -> Thing:
    return service(
        "Mobile fuel delivery plans",
        "A technician comes to your parked car and fills the tank.",
        routes.PLANS,
        opening,
    ) | plan_offers(opening)


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
        return [_open_area(area) for area in opening.areas]
    florida = {"@type": "State", "name": "Florida"}
    return [{"@type": "City", "name": city, "containedInPlace": florida} for city in ZIP_CODES]


def _open_area(area: OpenArea) -> Thing:
    in_florida = {"@type": "PostalAddress", "addressRegion": "FL", "addressCountry": "US"}
    return {
        "@type": "Place",
        "name": area.name,
        "address": [in_florida | {"postalCode": each} for each in area.zips],
    }


def _offer(name: str, description: str, price: Money, **unit: str) -> Thing:
    cost = {"price": price.decimal, "priceCurrency": "USD"}
    return cost | {
        "@type": "Offer",
        "name": name,
        "description": description,
        "priceSpecification": cost | {"@type": "UnitPriceSpecification"} | unit,
    }
