"""How Python itself runs where a thousand tabs are connected: see docs/decisions/many-tabs.md."""

import gc
import sys

# Objects made and not yet freed before the young ones are looked through, how many such looks make
# a longer one (30 ms; nothing else happens meanwhile), and how many of those a look at everything.
# Python's own (700, 10, 10) is for programs of a few thousand objects.
_LOOKS = (20_000, 2, 500)
_TURN_S = 0.0005


async def settle() -> None:
    """Called once, when everything is imported and nobody has come yet."""
    gc.collect()
    gc.freeze()  # what is here now stays: no look at it is worth its time
    gc.set_threshold(*_LOOKS)
    # A database's thread wants the interpreter many times in one transaction, and would wait for
    # the events' thread 5 ms each time, while the next writer waits for it.
    sys.setswitchinterval(_TURN_S)
