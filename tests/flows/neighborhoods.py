"""Neighborhoods for the staff's screens, stored without the forms."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import create_engine

from tests.helpers.neighborhoods import inserts
from tests.site import Site

Store = Callable[..., str]


def store_neighborhood(site: Site, name: str, members: int = 0, **differs: Any) -> str:
    """Store a neighborhood, see `tests.helpers.neighborhoods.neighborhood`. Return its id."""
    neighborhood_id, statements = inserts(name, members, **differs)
    engine = create_engine(f"sqlite:///{site.database}", connect_args={"timeout": 10})
    with engine.begin() as connection:
        for statement, rows in statements:
            connection.execute(statement, rows)
    engine.dispose()
    return neighborhood_id


@pytest.fixture
def store(site) -> Store:
    return partial(store_neighborhood, site)
