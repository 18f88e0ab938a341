"""Peak memory of a server while something runs.

Shared pages are not counted: those of the database file belong to the system's cache.
"""

import threading
from typing import Self

from tests.site import Site

_EVERY_S = 0.05
MB = 2**20


class Peak:
    """Peak growth of the site's processes inside the block, in `more_mb`."""

    def __init__(self, site: Site) -> None:
        self._processes = site.process.family()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self.more_mb = 0.0

    def __enter__(self) -> Self:
        self._before = self._now()
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watcher.join()

    def _now(self) -> float:
        used = (process.memory_info() for process in self._processes)
        return sum(each.rss - each.shared for each in used) / MB

    def _watch(self) -> None:
        while not self._over.wait(_EVERY_S):
            self.more_mb = max(self.more_mb, self._now() - self._before)
