"""The sites that the tests break share as much as they can: each start takes seconds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.running import Deployed, Running, alone, together


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("faults"))  # one process has these sites


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with alone(tmp_path_factory.mktemp("alone")) as running:
        yield running


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with together(tmp_path_factory.mktemp("together")) as running:
        yield running
