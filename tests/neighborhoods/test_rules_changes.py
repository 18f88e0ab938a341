"""The wording of a neighborhood's history."""

import pytest

from fuel_app.neighborhoods.rules.changes import summary


@pytest.mark.parametrize(
    ("kind", "before", "after", "line"),
    [
        (
            "rename",
            {"name": "Palm Court"},
            {"name": "Palm Grove"},
            "Renamed from Palm Court to Palm Grove",
        ),
        (
            "merge",
            {"name": "Palm Court"},
            {"name": "Bay View", "moved": 1},
            "Palm Court was merged into Bay View: 1 member moved",
        ),
        (
            "merge",
            {"name": "Palm Court"},
            {"name": "Bay View", "moved": 50_000},
            "Palm Court was merged into Bay View: 50,000 members moved",
        ),
        (
            "pioneer",
            {"pioneer": "Ada Lovelace"},
            {"pioneer": "Grace Hopper"},
            "Pioneer's role handed from Ada Lovelace to Grace Hopper",
        ),
        (
            "pioneer",
            {},
            {"pioneer": "Grace Hopper"},
            "Pioneer's role handed from nobody to Grace Hopper",
        ),
    ],
)
def test_each_change_is_worded_in_one_line(kind, before, after, line):
    assert summary(kind, before, after) == line
