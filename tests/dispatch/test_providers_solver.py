"""The solver's process: it does not block the site, dies with it, and is replaced."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator

import psutil
import pytest

from fuel_app.dispatch.providers.solver import ProcessSolver
from fuel_app.dispatch.rules.day import PlanStopped
from fuel_app.dispatch.rules.day_plan import Job, Problem, Search, Solution, Vehicle
from fuel_app.settings import ROOT

FEW = 6

# A site that solves a problem, prints its solver's process id, and waits to be killed.
SITE = """
import asyncio, signal
from fuel_app.dispatch.providers.solver import ProcessSolver
from tests.dispatch.test_providers_solver import street
if __name__ == "__main__":
    solver = ProcessSolver()
    asyncio.run(solver.solve(street(1)))
    print(*solver._pool._processes, flush=True)
    signal.pause()
"""

# The same in a server's worker process, which ends as soon as it has solved.
WORKER = """
import asyncio, multiprocessing
from fuel_app.dispatch.providers.solver import ProcessSolver
from tests.dispatch.test_providers_solver import solve_one
if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=solve_one)
    worker.start()
    worker.join(30)
    print(worker.exitcode)
    worker.kill()
"""

pytestmark = pytest.mark.slow


def solve_one() -> None:
    asyncio.run(ProcessSolver().solve(street(1)))


def street(stops: int) -> Problem:
    """Return stops along a street, listed from its end."""
    seconds = tuple(tuple(60.0 * abs(a - b) for b in range(stops + 1)) for a in range(stops + 1))
    return Problem(seconds, tuple(Job(stops - n) for n in range(stops)), (Vehicle(start=0),))


@pytest.fixture
def solver() -> Iterator[ProcessSolver]:
    own = ProcessSolver()
    yield own
    own.close()


async def test_event_loop_runs_during_a_search(solver):
    await solver.solve(street(1))  # the process is up
    searching = asyncio.create_task(solver.solve(street(40)))
    rounds = 0
    while not searching.done():
        await asyncio.sleep(0)
        rounds += 1
    assert (await searching).tours == (tuple(reversed(range(40))),)
    assert rounds > 100  # one if it had blocked


async def test_equal_problems_share_one_successful_search(solver, monkeypatch):
    failures, asked = [RuntimeError()], []

    async def ask(problem: Problem, _: int) -> Solution:
        asked.append(len(problem.jobs))
        if failures:
            raise failures.pop()
        return Solution(((),))

    monkeypatch.setattr(solver, "_ask", ask)
    with pytest.raises(RuntimeError):
        await solver.solve(street(FEW))
    both = await asyncio.gather(solver.solve(street(FEW)), solver.solve(street(FEW)))
    assert both[0] == both[1] == await solver.solve(street(FEW))
    await solver.solve(street(FEW + 1))
    assert asked == [FEW, FEW, FEW + 1]


async def test_stopped_search_ends_at_once_unless_another_waits_for_it(solver):
    long = street(300)
    first, second = Search(), Search()
    both = [asyncio.create_task(solver.solve(long, each)) for each in (first, second)]
    async with asyncio.timeout(120):  # a busy machine starts it late
        while not (first.share and second.share):  # noqa: ASYNC110 (another process works)
            await asyncio.sleep(0.01)
    assert 0 < first.share < 1
    first.is_stopped = True
    with pytest.raises(PlanStopped):
        await both[0]
    assert (await asyncio.wait([both[1]], timeout=1))[1]
    share = second.share
    assert share > first.share
    second.is_stopped = True
    with pytest.raises(PlanStopped):
        await both[1]
    assert len((await solver.solve(street(FEW))).tours[0]) == FEW  # the process is free
    assert long not in solver._known  # who asks again gets an answer


async def test_cancelled_caller_does_not_cancel_a_shared_search(solver):
    leaving = asyncio.create_task(solver.solve(street(FEW)))
    waiting = asyncio.create_task(solver.solve(street(FEW)))
    await asyncio.sleep(0)
    leaving.cancel()
    assert len((await waiting).tours[0]) == FEW


async def test_killed_process_is_replaced(solver):
    await solver.solve(street(1))
    [process] = solver._pool._processes.values()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert len((await solver.solve(street(FEW))).tours[0]) == FEW


async def test_solver_ends_with_a_killed_site():
    site = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SITE, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert site.stdout
    process = psutil.Process(int(await site.stdout.readline()))
    site.kill()
    await site.wait()
    await asyncio.to_thread(process.wait, 20)
    assert not process.is_running()


async def test_stopping_worker_does_not_wait_for_its_solver():
    site = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    printed, _ = await site.communicate()
    assert printed == b"0\n"


async def test_site_does_not_load_the_solvers_library():
    check = "import sys, fuel_app.dispatch.service.day_plan; sys.exit('pyvrp' in sys.modules)"
    alone = await asyncio.create_subprocess_exec(sys.executable, "-c", check)
    assert await alone.wait() == 0
