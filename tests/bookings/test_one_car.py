"""With one car a booking costs, says and takes what it did before there could be several.

`one_car.json.gz` has what lives left at the release before the table `fills`.
"""

import gzip
import json
from pathlib import Path

import pytest

from tests.helpers.bookings import an_area
from tests.helpers.lives import live

BEFORE: dict[str, list[str]] = json.loads(
    gzip.decompress((Path(__file__).with_name("one_car.json.gz")).read_bytes())
)


# What is other since, on purpose: a move into a window that has the same car is refused (118, 165,
# 198), and a card is not tried for a sum that was planned anew (101).
SINCE_THEN = {101, 118, 165, 198}
NUMBERS = sorted({*map(int, BEFORE)} - SINCE_THEN)
SOME = [*NUMBERS[:30], *(pytest.param(each, marks=pytest.mark.long) for each in NUMBERS[30:])]


@pytest.mark.usefixtures("sqlite_database")
@pytest.mark.parametrize("number", SOME)
async def test_life_with_one_car_leaves_what_it_did(number, monkeypatch):
    assert await live(number, await an_area(capacity=6), monkeypatch) == BEFORE[str(number)]
