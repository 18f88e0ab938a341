"""Garbage collection and thread switching for a thousand connected tabs: docs/framework.md."""

import gc
import sys

# Allocations before a young collection, young before a middle one (30 ms; nothing else runs
# meanwhile), middle before a full one. Python's default (700, 10, 10) suits a few thousand objects.
_THRESHOLDS = (20_000, 2, 500)
_SWITCH_S = 0.0005


async def tune() -> None:
    """Set Python up once, when everything is imported and before the first visitor."""
    gc.collect()
    gc.freeze()  # what is imported stays: no collection looks at it again
    gc.set_threshold(*_THRESHOLDS)
    # A database thread takes the interpreter often in one transaction, and would wait 5 ms for the
    # event loop's thread each time, while the next writer waits for it.
    sys.setswitchinterval(_SWITCH_S)
