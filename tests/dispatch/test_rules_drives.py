"""Faults of points, links to directions, durations in words."""

from math import nan

import pytest

from fuel_app.dispatch.rules.drives import (
    Point,
    directions_link,
    duration_text,
    find_fault,
)


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ((27.3364, -82.5307), None),
        *((point, "It has no valid coordinates.") for point in ((0, 0), (91, -82.5), (27.3, nan))),
        ((-82.5307, 27.3364), "Its latitude and longitude are swapped."),
        ((25.76, -80.19), "It is outside the service area."),
        ((27.3364, 82.5307), "It is outside the service area."),
    ],
)
def test_faulty_point_has_a_reason(point, reason):
    assert find_fault(Point(*point)) == reason


@pytest.mark.parametrize(
    ("start", "origin"), [(Point(27.35, -82.52), "&origin=27.350000,-82.520000"), (None, "")]
)
def test_directions_lead_to_a_stop_by_car(start, origin):
    question = "api=1&destination=0.000001,-0.000001&travelmode=driving"
    link = f"https://www.google.com/maps/dir/?{question}{origin}"
    assert directions_link(Point(1e-6, -1e-6), start) == link
    assert "destination=1+Main+St,+Sarasota&" in directions_link("1 Main St, Sarasota")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0, "1 min"), (89, "1 min"), (90, "2 mins"), (59.6 * 60, "1 hour")),
        *((61 * 60, "1 hour 1 min"), (150 * 60, "2 hours 30 mins")),
    ],
)
def test_durations_are_worded(seconds, text):
    assert duration_text(seconds) == text
