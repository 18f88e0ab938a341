"""Made-up groups with their members: many small, few large, one of 50,000.

The same parameters make the same groups, on any machine. The product's own triggers count them.
"""

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import create_engine, event, insert
from sqlalchemy.engine import make_url

from bench import million, people
from bench.people import LAST_DAY
from fuel_app.kit.db.tables import metadata
from fuel_app.neighborhoods.queries.groups import naming
from fuel_app.neighborhoods.rules.listing import pioneer_key

GROUPS = metadata.tables["neighborhoods"]
PEOPLE = metadata.tables["waitlist_submissions"]
PLACES = """
Palm Osprey Heron Mangrove Pelican Siesta Bay Gulf Cypress Coral Dolphin Egret Laurel Magnolia
Sandpiper Seagrape Tarpon Turtle Oleander Hibiscus
"""
KINDS = "Court Grove View Landing Ranch Key Trace Point Harbor Oaks Estates Walk"
_EMPTY = 0.05  # of the groups
_MANY = 10_000
_QUICK = ("journal_mode = OFF", "synchronous = OFF", "cache_size = -500000", "foreign_keys = OFF")


@dataclass(frozen=True)
class Sizes:
    groups: int = 20_000
    members: int = 1_000_000
    largest: int = 50_000
    seed: int = 1


@dataclass(frozen=True)
class Made:
    """What stands in the two tables; the groups come with their pioneers."""

    groups: list[dict[str, Any]]
    members: list[dict[str, Any]]


def made(sizes: Sizes = Sizes()) -> Made:
    chance = random.Random(sizes.seed)
    groups = [_group(chance, number) for number in range(sizes.groups)]
    places = _places(chance, sizes)
    crowd = people.made(people.Sizes(len(places), 0, 0, sizes.seed))
    members = []
    for (_, person), number in zip(crowd, places, strict=True):
        group = groups[number]
        if group["pioneer_id"] is None:
            group |= {
                "pioneer_id": person["id"],
                "pioneer_key": pioneer_key(person["first_name"], person["last_name"]),
                "created_at": person["created_at"],
            }
        zip_code = group["zip_code"]
        members.append(person | {"neighborhood_id": group["id"], "zip_code": zip_code})
    return Made(groups, members)


def _group(chance: random.Random, number: int) -> dict[str, Any]:
    name = f"{chance.choice(PLACES.split())} {chance.choice(KINDS.split())} {number}"
    return {
        "id": people.id_at(LAST_DAY, chance),
        **naming(name),
        "zip_code": chance.choice(people.ZIPS.split()),
        "pioneer_id": None,
        "pioneer_key": "",
        "created_at": LAST_DAY,
    }


def _places(chance: random.Random, sizes: Sizes) -> list[int]:
    """The group of each member, in the order in which they join."""
    others = [n for n in range(1, sizes.groups) if chance.random() > _EMPTY]
    weights = [chance.paretovariate(1.2) for _ in others]
    drawn = chance.choices(others, weights, k=sizes.members - sizes.largest)
    places = [0] * sizes.largest + drawn
    chance.shuffle(places)
    return places


def sqlite_copy(folder: Path, sizes: Sizes = Sizes()) -> Path:
    """A database of one's own with these groups; the first one made is kept."""
    kept = million.kept_file(
        "groups",
        repr(sizes),
        [Path(__file__), Path(people.__file__)],
        lambda path: _fill(path, sizes),
    )
    return Path(shutil.copy(kept, folder / "fuel.db"))


def _some(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    for start in range(0, len(rows), _MANY):
        yield rows[start : start + _MANY]


def _fill(path: Path, sizes: Sizes) -> None:
    rows = made(sizes)
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _(raw: Any, _record: Any) -> None:
        for pragma in _QUICK:
            raw.execute(f"PRAGMA {pragma}")

    with engine.begin() as connection:
        for table, every in ((GROUPS, rows.groups), (PEOPLE, rows.members)):
            for some in _some(every):
                connection.execute(insert(table), some)
        connection.exec_driver_sql("ANALYZE")
    engine.dispose()


async def fill_postgres(url: str, sizes: Sizes = Sizes()) -> None:
    """Put these groups into a migrated, empty PostgreSQL database."""
    rows = made(sizes)
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    connection = await asyncpg.connect(plain)
    try:
        # Groups and people point at each other, so pioneers come last.
        await _copy(connection, "neighborhoods", [g | {"pioneer_id": None} for g in rows.groups])
        for some in _some(rows.members):
            await _copy(connection, "waitlist_submissions", some)
        pioneers = [(g["pioneer_id"], g["id"]) for g in rows.groups if g["pioneer_id"]]
        await connection.executemany(
            "UPDATE neighborhoods SET pioneer_id = $1 WHERE id = $2", pioneers
        )
        for table in ("neighborhoods", "waitlist_submissions"):
            await connection.execute(f"VACUUM ANALYZE {table}", timeout=600)
    finally:
        await connection.close()


async def _copy(connection: asyncpg.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    records = [tuple(row.values()) for row in rows]
    await connection.copy_records_to_table(table, records=records, columns=[*rows[0]])
