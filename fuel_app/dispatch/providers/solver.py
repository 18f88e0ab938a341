"""The solver, in a child process: a search takes seconds of CPU."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from itertools import count
from multiprocessing import get_context, parent_process
from multiprocessing.util import Finalize
from typing import Any

import structlog
from cachetools import LRUCache

from fuel_app.dispatch.rules.day import PlanStopped
from fuel_app.dispatch.rules.day_plan import Problem, Search, Solution

log = structlog.get_logger()

NICENESS = 10  # the site comes first
LOOK_S = 0.2  # how often a search is looked at
SLOTS = 1024  # more than ever wait at once

# In memory that the site and its child share: the number of the search that goes on and its share,
# then for each search its number once it is to stop.
NUMBER, SHARE, FIRST_SLOT = range(3)
_SHARED: Any = None  # in the child


def _begin(shared: Any) -> None:
    """Lower the child's priority and tie its life to the site's process."""
    global _SHARED
    _SHARED = shared
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the site handles Ctrl+C
    threading.Thread(target=_end_with_the_site, daemon=True).start()


def _end_with_the_site() -> None:
    if site := parent_process():
        site.join()
    os._exit(0)


def _slot(number: int) -> int:
    return FIRST_SLOT + number % SLOTS


def _search(problem: Problem, number: int) -> Solution:
    from fuel_app.dispatch.providers import vrp  # loaded only in the child

    def watch(share: float) -> bool:
        _SHARED[SHARE] = max(share, _SHARED[SHARE])
        return _SHARED[_slot(number)] == number

    _SHARED[SHARE], _SHARED[NUMBER] = 0, number
    return vrp.solve(problem, watch=watch)


class _Asked:
    """A question, how many wait for its answer, and the number of its search."""

    def __init__(self, number: int, answer: "asyncio.Task[Solution]") -> None:
        self.number, self.answer, self.waiting = number, answer, 0

    @property
    def has_failed(self) -> bool:
        return self.answer.cancelled() or bool(self.answer.done() and self.answer.exception())


class ProcessSolver:
    """One search at a time; equal questions share one, which stops once nobody waits for it."""

    def __init__(self) -> None:
        self._known: LRUCache[Problem, _Asked] = LRUCache(maxsize=64)
        self._pool: ProcessPoolExecutor | None = None
        self._numbers = count(1)
        self._shared = get_context("spawn").RawArray("d", FIRST_SLOT + SLOTS)

    async def solve(self, problem: Problem, search: Search | None = None) -> Solution:
        """Search for the order with the least driving. Raises PlanStopped."""
        search = search or Search()
        asked = self._known.get(problem)
        if asked is None or asked.has_failed:
            number = next(self._numbers)
            answer = asyncio.create_task(self._ask(problem, number))
            asked = self._known[problem] = _Asked(number, answer)
        asked.waiting += 1
        try:
            while not search.is_stopped:
                done, _ = await asyncio.wait([asked.answer], timeout=LOOK_S)
                if done:
                    return asked.answer.result()
                if self._shared[NUMBER] == asked.number:
                    search.share = self._shared[SHARE]
            raise PlanStopped
        finally:
            asked.waiting -= 1
            if not asked.waiting and not asked.answer.done():
                self._shared[_slot(asked.number)] = asked.number
                del self._known[problem]  # the next one to ask wants an answer

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    async def _ask(self, problem: Problem, number: int) -> Solution:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._process(), _search, problem, number)
        except BrokenProcessPool:  # killed: retry once with a new child
            log.warning("solver.process_lost")
            self._pool = None
            return await loop.run_in_executor(self._process(), _search, problem, number)

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1, mp_context=get_context("spawn"), initializer=_begin, initargs=(self._shared,)
            )
            # A stopping server joins its children: close the pool first, and before the
            # pool's own queue (whose exit priority is 10).
            Finalize(None, self.close, exitpriority=20)
        return self._pool


@cache
def solver() -> ProcessSolver:
    """Return this process's solver."""
    return ProcessSolver()
