"""Faults inside the site's own processes. Python imports this at its start, by PYTHONPATH.

A file of JSON, named by `FAULTS`, says how far the wall clock is off, and what the stand-in for
the payment provider meets: see `tests/faults/injecting.py`.
"""

import json
import os
import random
import time
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fuel_app.billing.providers.stand_in import transport
from fuel_app.kit import clock

_file = Path(os.environ["FAULTS"])
_true_ns, _true_s = time.time_ns, time.time
_last: tuple[int, dict[str, Any]] = (0, {})


def _said() -> dict[str, Any]:
    global _last
    changed = _file.stat().st_mtime_ns
    if changed != _last[0]:
        _last = changed, json.loads(_file.read_text())
    return _last[1]


def _now(zone: tzinfo | None = None) -> datetime:
    return datetime.fromtimestamp(time.time(), zone or UTC)


def _take(_faults: object, _path: str) -> str:
    return random.choice(_said()["provider"] or [""])


time.time_ns = lambda: _true_ns() + int(_said()["off_s"] * 1_000_000_000)
time.time = lambda: _true_s() + _said()["off_s"]
clock.__dict__["datetime"] = SimpleNamespace(now=_now, combine=datetime.combine)
setattr(transport.Faults, "take", _take)  # noqa: B010 (of another type)
