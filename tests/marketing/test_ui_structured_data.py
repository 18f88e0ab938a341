"""Structured data for search engines."""

import json
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from fuel_app.marketing.ui import structured_data
from fuel_app.marketing.ui.structured_data import as_json, faq, local_business, plan_offers, service
from fuel_app.settings import settings


def graph(*things: structured_data.Thing) -> list[structured_data.Thing]:
    document = json.loads(as_json(*things))
    assert document["@context"] == "https://schema.org"
    return document["@graph"]


class _Scripts(HTMLParser):
    """The text of each script element, as a browser cuts it out of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.texts.append("")

    def handle_data(self, data):
        self.texts[-1] += data


def scripts_in(document: str) -> _Scripts:
    reader = _Scripts()
    reader.feed(document)
    reader.close()
    return reader


@given(st.text())
def test_any_text_arrives_as_it_was(text):
    assert graph(local_business(text, "Fuel."))[0]["slogan"] == text


def test_a_text_cannot_leave_its_script_element():
    evil = "</script><script>alert(1)</script><!-- <b> & \u2028"
    written = as_json(faq([(evil, evil)]))
    assert not set("<>&\u2028\u2029") & set(written)
    page = scripts_in(f'<script type="application/ld+json">{written}</script>')
    assert page.tags == ["script"]
    question = json.loads(page.texts[0])["@graph"][0]["mainEntity"][0]
    assert (question["name"], question["acceptedAnswer"]["text"]) == (evil, evil)


def test_a_page_carries_its_data_as_a_block_that_is_not_run():
    script = structured_data.json_ld(local_business("Never again", "Fuel.")).render()
    assert json.loads(json.loads(script["children"][0]["contents"]))["@graph"]
    assert 'type:"application/ld+json"' in script["props"]


def test_a_service_points_at_the_business_and_the_cities_that_it_serves():
    [business] = graph(local_business("Never again", "Fuel."))
    [offered] = graph(service("Fleet fueling", "Fuel.", "/fleet"))
    assert offered["provider"]["@id"] == business["@id"] == f"{settings.public_url}/#business"
    assert offered["url"] == f"{settings.public_url}/fleet"
    assert offered["areaServed"] == business["areaServed"]
    assert [city["name"] for city in business["areaServed"]] == ["Sarasota", "Bradenton"]


def test_every_price_is_listed_and_none_is_said_to_be_on_sale():
    catalog = plan_offers()
    offers = catalog["hasOfferCatalog"]["itemListElement"]
    assert [(offer["name"], offer["price"]) for offer in offers] == [
        ("Solo Plan", "25.00"),
        ("Family Plan", "44.00"),
        ("Big Family Plan", "79.00"),
        ("One-Time Fill", "15.00"),
    ]
    assert {offer["priceCurrency"] for offer in offers} == {"USD"}
    assert "availability" not in as_json(catalog)
    assert all("market price of fuel is added" in offer["description"] for offer in offers)
