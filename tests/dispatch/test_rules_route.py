"""How a drive's length is said, and what a day tells about itself."""

import pytest

from fuel_app.dispatch.rules.route import OFFLINE, DayRoute, Leg, Route, duration_text
from fuel_app.dispatch.rules.stops import Truck
from fuel_app.kit.errors import RouteFailed
from tests.factories import stop


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1 min"),
        (89, "1 min"),
        (90, "2 mins"),
        (12 * 60, "12 mins"),
        (59.6 * 60, "1 hour"),
        (65 * 60, "1 hour 5 mins"),
        (61 * 60, "1 hour 1 min"),
        (150 * 60, "2 hours 30 mins"),
    ],
)
def test_durations_are_said_as_maps_say_them(seconds, text):
    assert duration_text(seconds) == text


def test_a_route_adds_up_its_legs_and_a_day_its_stops():
    first, second = stop(), stop()
    legs = (Leg.lasting(60, 500), Leg.lasting(120.4, 900.2))
    route = Route(Truck(), first.point, (first,), (first.time,), legs, ())
    assert (route.seconds, route.meters, route.next_leg) == (180, 1400, legs[0])
    other = Route(Truck(), second.point, (second,), (second.time,), (), ())
    assert other.next_leg is None
    assert DayRoute((route, other)).stops == (first, second)


def test_a_failed_route_says_it_as_specified():
    assert str(RouteFailed("ZERO_RESULTS")) == "Failed to calculate route: ZERO_RESULTS"


@pytest.mark.parametrize(
    ("provider", "credit"),
    [
        ("Google Maps", "Google Maps"),
        (f"Google Maps, {OFFLINE}", "Google Maps"),
        (OFFLINE, ""),
        ("", ""),
    ],
)
def test_who_knows_the_roads_is_named_and_an_estimate_is_nobodys(provider, credit):
    assert DayRoute(provider=provider).credit == credit
