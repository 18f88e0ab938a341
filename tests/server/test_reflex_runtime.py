"""How Python itself runs in a server."""

import gc
import sys

import pytest

from fuel_app.server import runtime


@pytest.fixture(autouse=True)
def as_before():
    looks, turn = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.unfreeze()
    gc.set_threshold(*looks)
    sys.setswitchinterval(turn)


async def test_what_was_imported_is_not_looked_through_again():
    before = len(gc.get_objects())
    await runtime.tune()
    assert gc.get_freeze_count() > 0.9 * before
    assert len(gc.get_objects()) < 0.1 * before


async def test_no_look_but_one_at_everything_takes_long():
    await runtime.tune()
    young, looks, long_looks = gc.get_threshold()
    assert young * looks <= 50_000  # objects, a microsecond each
    assert young * looks * long_looks >= 10**7, "and one at everything is seldom"


async def test_a_database_thread_waits_less_for_its_turn():
    before = sys.getswitchinterval()
    await runtime.tune()
    assert sys.getswitchinterval() < before / 5
