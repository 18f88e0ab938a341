"""The site of the demo under a clock that runs on from the moment up to which it was made."""

import os
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from fuel_app.kit import clock

MOMENT = "DEMO_MOMENT"  # of the environment, as `datetime.isoformat` writes it


def app() -> Any:
    """Return the site, as uvicorn asks for it in the process that serves."""
    ahead = datetime.fromisoformat(os.environ[MOMENT]) - datetime.now(UTC)
    moved = SimpleNamespace(now=lambda zone: datetime.now(zone) + ahead, combine=datetime.combine)
    clock.__dict__["datetime"] = moved
    from fuel_app.fuel_app import app as site

    return site()
