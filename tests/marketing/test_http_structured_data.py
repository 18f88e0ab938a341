"""Structured data for search engines."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fuel_app.marketing import http
from fuel_app.marketing.http import as_json, faq, local_business, plan_offers, service_data, things
from fuel_app.marketing.rules import OpenArea, Opening
from fuel_app.settings import settings


def graph(*things: http.Thing) -> list[http.Thing]:
    document = json.loads(as_json(*things))
    assert document["@context"] == "https://schema.org"
    return document["@graph"]


CLOSED = Opening()
OPEN = Opening(is_open=True, areas=(OpenArea("South", ("34236", "34237")),))


@given(st.text())
def test_any_text_arrives_as_it_was_and_cannot_leave_its_script_element(text):
    assert graph(service_data(text, "Fuel.", "/fleet", CLOSED))[0]["name"] == text
    evil = "</script><script>alert(1)</script><!-- <b> & \u2028"
    written = as_json(faq([(evil, evil)]))
    assert not set("<>&\u2028\u2029") & set(written)
    question = json.loads(written)["@graph"][0]["mainEntity"][0]
    assert (question["name"], question["acceptedAnswer"]["text"]) == (evil, evil)


def test_a_service_points_at_the_business_and_the_cities_that_it_serves():
    [business] = graph(local_business(CLOSED))
    [offered] = graph(service_data("Fleet fueling", "Fuel.", "/fleet", CLOSED))
    assert offered["provider"]["@id"] == business["@id"] == f"{settings.public_url}/#business"
    assert offered["url"] == f"{settings.public_url}/fleet"
    assert offered["areaServed"] == business["areaServed"]
    assert [city["name"] for city in business["areaServed"]] == ["Sarasota", "Bradenton"]


def test_every_price_is_listed_and_none_is_said_to_be_on_sale():
    catalog = plan_offers(CLOSED)
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


def test_once_open_the_areas_are_served_and_the_plans_on_sale():
    [business], [plans, _] = things("/", OPEN), things("/home", OPEN)
    [area] = business["areaServed"]
    assert area["name"] == "South"
    assert [each["postalCode"] for each in area["address"]] == ["34236", "34237"]
    assert business["telephone"] == settings.support_phone
    assert plans["areaServed"] == business["areaServed"]
    offers = plans["hasOfferCatalog"]["itemListElement"]
    assert {offer["availability"] for offer in offers} == {"https://schema.org/InStock"}


def test_each_page_is_about_what_it_offers():
    for address in ("/fleet", "/business"):
        [offered] = things(address, CLOSED)
        assert offered["url"] == settings.public_url + address
    assert things("/privacy", OPEN) == things("/terms", OPEN) == []
    before, once = (
        {question["name"] for question in things("/home", opening)[1]["mainEntity"]}
        for opening in (CLOSED, OPEN)
    )
    assert "What is the free trial?" in before
    assert "What is the free trial?" not in once
