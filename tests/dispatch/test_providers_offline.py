"""The estimate that needs nobody: plausible, consistent, and quick."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.dispatch.providers.offline import OfflineRouting, road_meters, seconds
from fuel_app.dispatch.rules.geography import Point

SARASOTA, BRADENTON = Point(27.3364, -82.5307), Point(27.4989, -82.5748)
meters = st.floats(0, 200_000)


def test_from_city_to_city_takes_about_half_an_hour():
    assert 20_000 < road_meters(SARASOTA, BRADENTON) < 30_000
    assert 25 * 60 < seconds(road_meters(SARASOTA, BRADENTON)) < 40 * 60


@given(meters, meters)
def test_a_longer_way_takes_longer_and_a_detour_is_no_shortcut(a, b):
    assert seconds(max(a, b)) >= seconds(min(a, b))
    assert seconds(a + b) <= seconds(a) + seconds(b) + 1e-6


async def test_a_matrix_is_the_same_both_ways_and_nothing_on_its_diagonal():
    points = [SARASOTA, BRADENTON, Point(27.4, -82.4)]
    matrix = await OfflineRouting().matrix(points)
    for a, b in product(range(3), repeat=2):
        assert matrix[a][b] == pytest.approx(matrix[b][a])
        assert (matrix[a][b] == 0) == (a == b)


async def test_its_line_is_straight():
    drive = await OfflineRouting().drive([SARASOTA, BRADENTON])
    assert drive.line == (SARASOTA, BRADENTON)
    assert drive.legs[0].meters == round(road_meters(SARASOTA, BRADENTON))


async def test_it_orders_nothing():
    assert await OfflineRouting().shortest([SARASOTA, BRADENTON]) is None
