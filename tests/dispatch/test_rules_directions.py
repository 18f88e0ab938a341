"""Links to driving directions."""

from fuel_app.dispatch.rules.directions import directions_link
from fuel_app.dispatch.rules.geography import Point

STOP = Point(27.3373, -82.5404)


def test_directions_lead_from_a_position_to_a_stop_by_car():
    assert directions_link(STOP, Point(27.35, -82.52)) == (
        "https://www.google.com/maps/dir/?api=1&destination=27.337300,-82.540400"
        "&travelmode=driving&origin=27.350000,-82.520000"
    )


def test_without_a_position_the_maps_decide_where_to_start():
    assert "origin" not in directions_link(STOP)


def test_tiny_coordinates_are_not_written_with_an_exponent():
    assert "destination=0.000001,-0.000001" in directions_link(Point(1e-6, -1e-6))
