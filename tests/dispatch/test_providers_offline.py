"""The offline estimate of distances and driving times."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.offline import road_meters, seconds

SARASOTA, BRADENTON = Point(27.3364, -82.5307), Point(27.4989, -82.5748)
meters = st.floats(0, 200_000)


def test_city_to_city_takes_half_an_hour():
    assert 20_000 < road_meters(SARASOTA, BRADENTON) < 30_000
    assert 25 * 60 < seconds(road_meters(SARASOTA, BRADENTON)) < 40 * 60


@given(meters, meters)
def test_a_detour_is_never_faster(a, b):
    assert seconds(max(a, b)) >= seconds(min(a, b))
    assert seconds(a + b) <= seconds(a) + seconds(b) + 1e-6


async def test_matrix_is_symmetric_with_a_zero_diagonal():
    points = [SARASOTA, BRADENTON, Point(27.4, -82.4)]
    matrix = await offline.matrix(points)
    for a, b in product(range(3), repeat=2):
        assert matrix[a][b] == pytest.approx(matrix[b][a])
        assert (matrix[a][b] == 0) == (a == b)
