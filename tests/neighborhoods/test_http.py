"""The staff's table of neighborhoods as a file."""

import csv
import io
from datetime import UTC, datetime
from types import SimpleNamespace

import httpx
import pytest

from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.neighborhoods import http as neighborhood_export
from fuel_app.neighborhoods.queries import naming
from tests.factories import row
from tests.helpers.neighborhoods import NEIGHBORHOODS, neighborhood
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

EXPORT = "/api/neighborhoods/export"
NIGHT = datetime(2026, 3, 9, 3, 59, tzinfo=UTC)  # still the 8th in New York


@pytest.fixture
async def staff_browser(browser):
    browser.cookies.set(COOKIE, await a_token())
    return browser


def rows_of(answer: httpx.Response) -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


async def test_the_file_has_a_line_for_each_neighborhood(staff_browser, monkeypatch):
    monkeypatch.setattr(
        neighborhood_export, "clock", SimpleNamespace(now=lambda: NIGHT, day_of=clock.day_of)
    )
    await neighborhood('Palm, "the" Court', 2, zip_code="34236", created_at=NIGHT)
    await neighborhood("=1+1", zip_code="00501", created_at=NIGHT)
    answer = await staff_browser.get(EXPORT)
    assert answer.headers["content-disposition"] == (
        'attachment; filename="neighborhoods-2026-03-08.csv"'
    )
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.content.startswith(b"\xef\xbb\xbfName,ZIP Code,Members,Created At\r\n")
    assert rows_of(answer)[1:] == [
        ["'=1+1", "00501", "0", "2026-03-08 23:59:00"],
        ['Palm, "the" Court', "34236", "2", "2026-03-08 23:59:00"],
    ]


async def test_it_has_the_filtered_rows_in_the_order_of_the_table(staff_browser):
    names = [f"Palm {number:04}" for number in range(1_005)]  # more than one batch
    async with transaction() as session:
        rows = [row("neighborhoods", **naming(name)) for name in names]
        await session.execute(NEIGHBORHOODS.insert(), rows)
    await neighborhood("Bay View", 1)
    answer = await staff_browser.get(EXPORT, params={"max": "0", "sort": "-name"})
    assert [line[0] for line in rows_of(answer)[1:]] == names[::-1]
