"""Garbage collection and thread switching in a server process."""

import gc
import sys

import pytest

from fuel_app.server import site


@pytest.fixture(autouse=True)
def as_before():
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


async def test_imported_objects_are_not_collected_and_threads_switch_sooner():
    before, interval = len(gc.get_objects()), sys.getswitchinterval()
    await site.tune()
    assert len(gc.get_objects()) < 0.1 * before
    assert sys.getswitchinterval() < interval / 5
