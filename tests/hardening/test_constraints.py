"""Database constraints: bad rows are refused even if they bypass every form."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from fuel_app.kit.db.tables import metadata
from tests.factories import UNKNOWN_ID, row

NEW_YORK = timezone(timedelta(hours=-4))


async def store(engine: AsyncEngine, table: str, **differs: Any) -> str:
    """Insert one row, bypassing every rule. Return its id."""
    values = row(table, **differs)
    async with engine.begin() as connection:
        await connection.execute(metadata.tables[table].insert().values(values))
    return values["id"]


async def delete(engine: AsyncEngine, table: str, row_id: str) -> None:
    rows = metadata.tables[table]
    async with engine.begin() as connection:
        await connection.execute(rows.delete().where(rows.c.id == row_id))


async def value(engine: AsyncEngine, table: str, row_id: str, column: str) -> Any:
    rows = metadata.tables[table]
    async with engine.connect() as connection:
        return await connection.scalar(sa.select(rows.c[column]).where(rows.c.id == row_id))


LEADS = ("waitlist_submissions", "fleet_quotes", "business_quotes")


_BLANK_LEAD = {"status": ("", "  "), "lead_source": ("", "  ")}
_BLANK_COMPANY = _BLANK_LEAD | {name: (" ",) for name in ("company_name", "contact_name", "email")}
BAD_VALUES: dict[str, dict[str, tuple[Any, ...]]] = {
    "waitlist_submissions": _BLANK_LEAD
    | {
        "first_name": ("", "   "),
        "last_name": ("", " "),
        "email": ("", "Ada@example.com", "ada.example.com", "@example.com", "ada@"),
        "phone_number": ("941555012", "941555012x", "          "),
        "zip_code": ("3423", "3423x", "     "),
        "neighborhood_id": ("", UNKNOWN_ID),
        "referred_by_id": ("", UNKNOWN_ID),
    },
    "neighborhoods": {
        "name": ("", " "),
        "name_key": ("",),
        "zip_code": ("", "3423", "3423x"),
        "pioneer_id": ("", UNKNOWN_ID),
    },
    "fleet_quotes": _BLANK_COMPANY
    | {
        "vehicle_count": (0, -1),
        "estimated_fuel_amount": (0, -0.1),
        "fill_frequency": ("", "hourly", "Daily"),
    },
    "business_quotes": _BLANK_COMPANY | {"employee_count": (0, -1)},
}


@pytest.mark.parametrize("table", BAD_VALUES)
async def test_bad_values_are_refused(database, table):
    accepted = []
    for column, bad in (
        (column, bad) for column, all_ in BAD_VALUES[table].items() for bad in all_
    ):
        with suppress(IntegrityError):
            await store(database, table, **{column: bad})
            accepted.append((column, bad))
    assert accepted == []


@pytest.mark.parametrize("table", BAD_VALUES)
async def test_required_values_cannot_be_missing(database, table):
    accepted = []
    for column in metadata.tables[table].columns:
        with suppress(IntegrityError):
            await store(database, table, **{column.name: sa.null()})
            accepted.append(column.name)
    nullable = {column.name for column in metadata.tables[table].columns if column.nullable}
    assert set(accepted) == nullable


async def test_self_referral_is_refused(database):
    own = "0f8fad5b-d9cb-469f-a165-70867728950e"
    with pytest.raises(IntegrityError):
        await store(database, "waitlist_submissions", id=own, referred_by_id=own)


async def test_deleting_a_pioneer_keeps_the_neighborhood(database):
    pioneer = await store(database, "waitlist_submissions")
    neighborhood = await store(database, "neighborhoods", pioneer_id=pioneer)
    member = await store(database, "waitlist_submissions", neighborhood_id=neighborhood)
    await delete(database, "waitlist_submissions", pioneer)
    assert await value(database, "neighborhoods", neighborhood, "pioneer_id") is None
    assert await value(database, "waitlist_submissions", member, "neighborhood_id") == neighborhood


async def test_deleting_a_neighborhood_keeps_its_pioneer(database):
    pioneer = await store(database, "waitlist_submissions")
    neighborhood = await store(database, "neighborhoods", pioneer_id=pioneer)
    member = await store(database, "waitlist_submissions", neighborhood_id=neighborhood)
    await delete(database, "neighborhoods", neighborhood)
    assert await value(database, "waitlist_submissions", member, "neighborhood_id") is None
    assert await value(database, "waitlist_submissions", pioneer, "id") == pioneer


async def test_deleting_a_referrer_clears_the_referral(database):
    referrer = await store(database, "waitlist_submissions")
    friend = await store(database, "waitlist_submissions", referred_by_id=referrer)
    await delete(database, "waitlist_submissions", referrer)
    assert await value(database, "waitlist_submissions", friend, "referred_by_id") is None


@pytest.mark.parametrize("table", [*LEADS, "neighborhoods"])
async def test_time_of_any_zone_is_read_as_aware_utc(database, table):
    written = datetime(2026, 3, 8, 3, 30, 0, 123456, tzinfo=NEW_YORK)
    read = await value(
        database, table, await store(database, table, created_at=written), "created_at"
    )
    assert read == datetime(2026, 3, 8, 7, 30, 0, 123456, tzinfo=UTC)
    assert read.tzinfo is UTC
