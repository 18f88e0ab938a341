"""The demo is lived through on PostgreSQL, too: everything that its people write is stored."""

import asyncio
import os
import subprocess
import sys

import pytest

from demo import Size
from fuel_app.settings import ROOT
from tests.demo.test_making import NOW
from tests.helpers.books import books

THREE_DAYS, WHOLE = Size(customers=6, days=3, leads=2), Size()


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "size",
    [
        pytest.param(THREE_DAYS, id="three days"),
        pytest.param(WHOLE, id="whole", marks=pytest.mark.long),
    ],
)
async def test_books_of_a_demo_on_postgresql_agree(database, database_url: str, size: Size):
    settings = {
        "FUEL_DATABASE_URL": database_url,
        "FUEL_RATE_LIMITS": "off",
        "FUEL_SECRET_KEY": "battery staple of the demo, long enough",
    }
    numbers = map(str, (size.customers, size.days, size.leads))
    made = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "demo.making", NOW, *numbers],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")
    found = await books()
    assert [*found.problems(), *found.unfinished()] == []
    assert {"completed", "booked"} <= {each.state for each in found.bookings}
