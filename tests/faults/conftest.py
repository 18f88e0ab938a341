"""Tests of faults share one site and run in one process: a start takes seconds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.running import Deployed, Running, alone, together


@pytest.hookimpl(tryfirst=True)  # before the tests are dealt out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            shared = {"site", "deployed"} & set(getattr(item, "fixturenames", ()))
            item.add_marker(pytest.mark.xdist_group("-".join(["faults", *shared])))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with alone(tmp_path_factory.mktemp("alone")) as running:
        yield running


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with together(tmp_path_factory.mktemp("together")) as running:
        yield running
