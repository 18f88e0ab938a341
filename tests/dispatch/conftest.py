"""The map services that the tests ask."""

from collections.abc import Iterator

import pytest

from tests.helpers.maps_server import Maps, maps_server


@pytest.fixture
def maps() -> Iterator[Maps]:
    with maps_server() as server:
        yield server
