"""Ordering stops in a process of its own: a search takes seconds, and no visitor waits for it."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.util import Finalize
from typing import Protocol

import structlog
from cachetools import LRUCache

from fuel_app.dispatch.rules.problem import Problem, Solution

log = structlog.get_logger()

POLITENESS = 10  # what the operating system runs first is the site


class Solver(Protocol):
    async def solve(self, problem: Problem) -> Solution:
        """The order with the least driving that the time allows to find."""
        ...


def _begin() -> None:
    """What the solver's process does first: step back, and end when the site's process does."""
    os.nice(POLITENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the site to answer
    threading.Thread(target=_end_with_the_site, daemon=True).start()


def _end_with_the_site() -> None:
    if site := parent_process():
        site.join()
    os._exit(0)


def _search(problem: Problem) -> Solution:
    from fuel_app.dispatch.providers import vrp  # the site's own process does without this library

    return vrp.solve(problem)


class ProcessSolver:
    """One search at a time; who asks the same at the same time shares the answer."""

    def __init__(self) -> None:
        self._known: LRUCache[Problem, asyncio.Task[Solution]] = LRUCache(maxsize=64)
        self._pool: ProcessPoolExecutor | None = None

    async def solve(self, problem: Problem) -> Solution:
        asking = self._known.get(problem)
        if asking is None or asking.cancelled() or (asking.done() and asking.exception()):
            asking = self._known[problem] = asyncio.create_task(self._ask(problem))
        return await asyncio.shield(asking)  # others may wait for it, too

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    async def _ask(self, problem: Problem) -> Solution:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._process(), _search, problem)
        except BrokenProcessPool:  # something killed it; once more with a new one
            log.warning("solver.process_lost")
            self._pool = None
            return await loop.run_in_executor(self._process(), _search, problem)

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
            # A server's worker that stops waits for its children, so let go of this one before
            # that, and before the queue that tells it so (whose own priority is 10).
            Finalize(None, self.close, exitpriority=20)
        return self._pool


@cache
def solver() -> Solver:
    """This process's solver."""
    return ProcessSolver()
