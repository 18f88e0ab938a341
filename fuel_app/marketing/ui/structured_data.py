"""schema.org data for search engines.

Nothing here claims that a thing can be bought; that is for the day when it is true.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import reflex as rx

from fuel_app.areas.rules import ZIP_CODES
from fuel_app.kit.money import Money
from fuel_app.plans.rules import Plan

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


def local_business(*, name: str, url: str, email: str, slogan: str, description: str) -> Thing:
    return _provider(name, url) | {
        "email": email,
        "slogan": slogan,
        "description": description,
        "image": f"{url}/social.png",
        "logo": f"{url}/icons/icon-512.png",
        "areaServed": _area(),
    }


def service(*, name: str, description: str, url: str, business: str, site: str) -> Thing:
    """Return a service at the page `url`, offered by `business` at `site`."""
    return {
        "@type": "Service",
        "name": name,
        "description": description,
        "url": url,
        "serviceType": "Mobile fuel delivery",
        "provider": _provider(business, site),
        "areaServed": _area(),
    }


def plan_offers(plans: Iterable[Plan], *, one_time_fee: Money) -> Thing:
    """Return the price list, to be merged into a service."""
    monthly = [
        _offer(
            plan.name,
            f"{plan.fills} fills per month. The market price of fuel is added.",
            plan.price,
            billingDuration="P1M",
            unitText="month",
        )
        for plan in plans
    ]
    once = _offer(
        "One-Time Fill",
        "Convenience fee for one fill. The market price of fuel is added.",
        one_time_fee,
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


def _provider(name: str, url: str) -> Thing:
    return {"@type": "LocalBusiness", "@id": f"{url}/#business", "name": name, "url": f"{url}/"}


def _area() -> list[Thing]:
    florida = {"@type": "State", "name": "Florida"}
    return [{"@type": "City", "name": city, "containedInPlace": florida} for city in ZIP_CODES]


def _offer(name: str, description: str, price: Money, **unit: str) -> Thing:
    cost = {
        "@type": "UnitPriceSpecification",
        "price": price.decimal,
        "priceCurrency": "USD",
    } | unit
    return {
        "@type": "Offer",
        "name": name,
        "description": description,
        "price": price.decimal,
        "priceCurrency": "USD",
        "priceSpecification": cost,
    }
