"""Tests of faults share one site: a start takes seconds."""

from collections.abc import Iterator

import pytest

from tests.faults.running import Deployed, Running, alone, together


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with alone(tmp_path_factory.mktemp("alone")) as running:
        yield running


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with together(tmp_path_factory.mktemp("together")) as running:
        yield running
