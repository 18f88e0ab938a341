"""The day's route with no stop, one, many, two at one place, and hostile texts."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.factories import stop
from tests.flows.checks import assert_accessible
from tests.flows.conftest import DESKTOP, alive
from tests.flows.day_route import GRANTED, pin, popup, rows, show_admin_view, the_map
from tests.flows.other_days import DayProxy, day_with

ERROR = "Failed to calculate route: OVER_QUERY_LIMIT"


@pytest.fixture
def see_day(visit) -> Callable[..., Page]:
    """Return a function that opens the admin view on a day with other stops."""

    def see(*stops: Any, viewport: dict[str, int] = DESKTOP, **more: Any) -> Page:
        page = visit("/privacy", viewport, **GRANTED)
        DayProxy(page, day_with(stops, **more))
        page.goto("/dashboard")
        alive(page)
        show_admin_view(page)
        return page

    return see


def test_day_without_stops_shows_the_area(see_day):
    page = see_day()
    expect(page.get_by_text("No stops left today")).to_be_visible()
    expect(the_map(page)).to_be_visible()
    expect(page.get_by_text("Next Destination")).to_have_count(0)
    expect(rows(page)).to_have_count(0)
    assert_accessible(page)


def test_selected_stop_lies_above_another_at_its_place(see_day):
    page = see_day(stop(customer="Ada Lovelace"), stop(customer="Charles Babbage"))
    for place, name in ((1, "Ada Lovelace"), (2, "Charles Babbage")):
        rows(page).get_by_role("button", name=name).click()
        expect(popup(page)).to_contain_text(f"{place}. {name}")
        close = page.get_by_role("button", name="Close popup")
        expect(close).to_have_count(1)  # the former one fades out
        close.click()
        rows(page).get_by_role("button", name=name).click()
        expect(pin(page, place)).to_have_attribute("aria-pressed", "true")
        pin(page, place).click()  # fails if another pin covers it


def test_customers_texts_are_never_markup(see_day):
    evil = '<img src=x onerror="document.title=1"><b>Gate</b> {{7*7}} </script><script>1</script>'
    page = see_day(stop(customer="<i>Ada</i>", vehicle="<u>Car</u>", notes=evil))
    expect(popup(page)).to_contain_text(evil)
    expect(popup(page)).to_contain_text("<i>Ada</i>")
    expect(popup(page)).to_contain_text("<u>Car</u>")
    expect(page.locator("main").locator("img:not(.leaflet-tile), i, u, b, script")).to_have_count(0)


def test_failed_route_leaves_stops_list_and_reasons(see_day):
    left_out = [{"id": "x", "customer": "Grace Hopper", "reason": "Its place is not known."}]
    stops = (stop(customer="Ada Lovelace"), stop(lat=27.4))
    page = see_day(*stops, left_out=left_out, error=ERROR, line=[])
    alert = page.get_by_role("alert").filter(has_text=ERROR)
    expect(alert.get_by_role("heading", name="Error")).to_be_visible()
    expect(alert.get_by_role("button", name="Retry")).to_be_visible()
    expect(pin(page, 2)).to_be_visible()
    expect(rows(page)).to_have_count(2)
    expect(page.get_by_role("heading", name="Not on the route")).to_be_visible()
    expect(page.get_by_text("Grace Hopper: Its place is not known.")).to_be_visible()
    assert_accessible(page)
