"""Ids that come from a browser."""

import uuid

import pytest

from fuel_app.kit.db import tables
from fuel_app.kit.ids import well_formed_id

ID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.mark.parametrize("value", [ID, ID.upper(), f"  {ID}\n"])
def test_id_is_normalized(value):
    assert well_formed_id(value) == ID


@pytest.mark.parametrize(
    "value",
    [
        "",
        "1",
        ID[:-1],
        f"{ID}0",
        ID.replace("-", ""),
        f"{{{ID}}}",
        f"{ID} OR 1=1",
        ID.replace("0", "g"),
        ID.replace("0", "０"),  # noqa: RUF001 (a full-width digit)
        "x" * 10_240,
        " " * 64 + ID,
        None,
        5,
        [ID],
        {"id": ID},
        uuid.UUID(ID),
    ],
)
def test_other_values_are_no_id(value):
    assert well_formed_id(value) is None


def test_ids_of_one_process_sort_as_they_were_made(monkeypatch):
    """Lists that sort by id showed two rows of one millisecond in either order."""
    started = 1_764_273_600_000_000_000
    ticks = iter(range(started, started + 3_000_000, 250))
    monkeypatch.setattr(tables.time, "time_ns", lambda: next(ticks))
    ids = [tables.new_id() for _ in range(12_000)]
    assert ids == sorted(ids)
    assert {uuid.UUID(each).version for each in ids[:50]} == {7}
