"""Which step of a wizard opens."""

import pytest

from fuel_app.kit.ui.wizard import start_at


@pytest.mark.parametrize(
    ("asked", "done", "opens"),
    [
        ("/a", (False, False), None),
        ("/a", (True, True), None),
        ("/b", (True, False), None),
        ("/b/", (True, False), None),
        ("/c", (True, True), None),
        ("/b", (False, False), "/a"),
        ("/c", (False, True), "/a"),
        ("/c", (True, False), "/b"),
        ("/elsewhere", (True, False), "/b"),
    ],
)
def test_a_step_opens_after_those_before_it(asked, done, opens):
    assert start_at(asked, zip(("/a", "/b", "/c"), (*done, False), strict=True)) == opens
