"""schema.org data for search engines.

Nothing here claims that a thing can be bought; that is for the day when it is true.
"""

import json
from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app.areas.rules.places import ZIP_CODES
from fuel_app.kit.money import Money
from fuel_app.plans.rules.plans import ONE_TIME_FEE, PLANS
from fuel_app.settings import settings

Thing = dict[str, Any]


def json_ld(*things: Thing) -> rx.Component:
    """Return a data block with `things`, which browsers do not run."""
    return rx.el.script(as_json(*things), type="application/ld+json")


def as_json(*things: Thing) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(
        {"@context": "https://schema.org", "@graph": things},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    escapes = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
    return text.translate(escapes)


def local_business(slogan: str, description: str) -> Thing:
    return _provider() | {
        "email": settings.support_email,
        "slogan": slogan,
        "description": description,
        "image": f"{settings.public_url}/social.png",
        "logo": f"{settings.public_url}/icons/icon-512.png",
        "areaServed": _area(),
    }


def service(name: str, description: str, address: str) -> Thing:
    """Return a service with its page's address."""
    return {
        "@type": "Service",
        "name": name,
        "description": description,
        "url": settings.public_url + address,
        "serviceType": "Mobile fuel delivery",
        "provider": _provider(),
        "areaServed": _area(),
    }


def plan_offers() -> Thing:
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
    return {
        "hasOfferCatalog": {
            "@type": "OfferCatalog",
            "name": "Plans",
            "itemListElement": [*monthly, once],
        }
    }


def faq(questions: Sequence[tuple[str, str]]) -> Thing:
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


def _area() -> list[Thing]:
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
