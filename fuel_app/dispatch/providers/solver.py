"""The solver, in a child process: a search takes seconds of CPU."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.util import Finalize

import structlog
from cachetools import LRUCache

from fuel_app.dispatch.rules.day_plan import Problem, Solution

log = structlog.get_logger()

NICENESS = 10  # the site comes first


def _begin() -> None:
    """Lower the child's priority and tie its life to the site's process."""
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the site handles Ctrl+C
    threading.Thread(target=_end_with_the_site, daemon=True).start()


def _end_with_the_site() -> None:
    if site := parent_process():
        site.join()
    os._exit(0)


def _search(problem: Problem) -> Solution:
    from fuel_app.dispatch.providers import vrp  # loaded only in the child

    return vrp.solve(problem)


class ProcessSolver:
    """One search at a time; equal questions share one."""

    def __init__(self) -> None:
        self._known: LRUCache[Problem, asyncio.Task[Solution]] = LRUCache(maxsize=64)
        self._pool: ProcessPoolExecutor | None = None

    async def solve(self, problem: Problem) -> Solution:
        """Search for the order with the least driving."""
        asking = self._known.get(problem)
        if asking is None or asking.cancelled() or (asking.done() and asking.exception()):
            asking = self._known[problem] = asyncio.create_task(self._ask(problem))
        return await asyncio.shield(asking)  # another caller may wait for it

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    async def _ask(self, problem: Problem) -> Solution:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._process(), _search, problem)
        except BrokenProcessPool:  # killed: retry once with a new child
            log.warning("solver.process_lost")
            self._pool = None
            return await loop.run_in_executor(self._process(), _search, problem)

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
            # A stopping server joins its children: close the pool first, and before the
            # pool's own queue (whose exit priority is 10).
            Finalize(None, self.close, exitpriority=20)
        return self._pool


@cache
def solver() -> ProcessSolver:
    """Return this process's solver."""
    return ProcessSolver()
