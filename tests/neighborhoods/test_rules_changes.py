"""How a group's history tells what staff have done."""

from datetime import UTC, datetime
from typing import Any

import pytest

from fuel_app.neighborhoods.rules.changes import GroupChange


def change(kind: str, before: dict[str, Any], after: dict[str, Any], moved: int = 0) -> GroupChange:
    at = datetime(2026, 3, 8, tzinfo=UTC)
    return GroupChange("1", "2", kind, at, before, after, moved, undone=False, by="3")


@pytest.mark.parametrize(
    ("told", "summary"),
    [
        (
            change("rename", {"name": "Palm Court"}, {"name": "Palm Grove"}),
            "Renamed from Palm Court to Palm Grove",
        ),
        (
            change("merge", {"name": "Palm Court"}, {"name": "Bay View"}, 1),
            "Palm Court was merged into Bay View: 1 member moved",
        ),
        (
            change("merge", {"name": "Palm Court"}, {"name": "Bay View"}, 50_000),
            "Palm Court was merged into Bay View: 50,000 members moved",
        ),
        (
            change("pioneer", {"pioneer": "Ada Lovelace"}, {"pioneer": "Grace Hopper"}),
            "Pioneer's role handed from Ada Lovelace to Grace Hopper",
        ),
        (
            change("pioneer", {"pioneer": ""}, {"pioneer": "Grace Hopper"}),
            "Pioneer's role handed from nobody to Grace Hopper",
        ),
    ],
)
def test_each_change_is_told_in_one_line(told, summary):
    assert told.summary == summary
