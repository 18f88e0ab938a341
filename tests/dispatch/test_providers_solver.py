"""The solver's process: the site goes on while it searches, and when it dies another one starts."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator

import psutil
import pytest

from fuel_app.dispatch.providers.solver import ProcessSolver
from fuel_app.dispatch.rules.problem import Job, Problem, Solution, Vehicle
from fuel_app.settings import ROOT

FEW = 6

# A process that has solved something, says who did, and then waits to be killed.
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

# The same in a server's worker, that is, a child of its own; it ends as soon as it has solved.
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


def solve_one() -> None:
    asyncio.run(ProcessSolver().solve(street(1)))


def street(stops: int) -> Problem:
    """Stops along a street, asked for backwards, from its end."""
    seconds = tuple(tuple(60.0 * abs(a - b) for b in range(stops + 1)) for a in range(stops + 1))
    return Problem(seconds, tuple(Job(stops - n) for n in range(stops)), (Vehicle(start=0),))


@pytest.fixture
def solver() -> Iterator[ProcessSolver]:
    own = ProcessSolver()
    yield own
    own.close()


async def test_it_finds_the_way_along_a_street(solver):
    assert (await solver.solve(street(FEW))).tours == ((5, 4, 3, 2, 1, 0),)


async def test_others_go_on_while_it_searches(solver):
    await solver.solve(street(1))  # the process is up
    searching = asyncio.create_task(solver.solve(street(40)))
    turns = 0
    while not searching.done():
        await asyncio.sleep(0)
        turns += 1
    assert len((await searching).tours[0]) == 40
    assert turns > 100  # one if it had blocked


async def test_the_same_question_is_searched_once(solver, monkeypatch):
    asked = []

    async def ask(problem: Problem) -> Solution:
        asked.append(problem)
        return Solution(((),))

    monkeypatch.setattr(solver, "_ask", ask)
    both = await asyncio.gather(solver.solve(street(FEW)), solver.solve(street(FEW)))
    assert both[0] == both[1] == await solver.solve(street(FEW))
    assert len(asked) == 1
    await solver.solve(street(FEW + 1))
    assert len(asked) == 2


async def test_a_failed_search_is_not_remembered(solver, monkeypatch):
    failures = [RuntimeError()]

    async def ask(problem: Problem) -> Solution:
        if failures:
            raise failures.pop()
        return Solution(((),))

    monkeypatch.setattr(solver, "_ask", ask)
    with pytest.raises(RuntimeError):
        await solver.solve(street(FEW))
    assert await solver.solve(street(FEW)) == Solution(((),))


async def test_who_leaves_does_not_take_the_answer_from_those_who_wait(solver):
    leaving = asyncio.create_task(solver.solve(street(FEW)))
    waiting = asyncio.create_task(solver.solve(street(FEW)))
    await asyncio.sleep(0)
    leaving.cancel()
    assert len((await waiting).tours[0]) == FEW


async def test_a_process_that_was_killed_is_replaced(solver):
    await solver.solve(street(1))
    [process] = solver._pool._processes.values()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert len((await solver.solve(street(FEW))).tours[0]) == FEW


async def test_the_solver_does_not_outlive_a_site_that_was_killed():
    site = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SITE, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert site.stdout
    process = psutil.Process(int(await site.stdout.readline()))
    site.kill()
    await site.wait()
    await asyncio.to_thread(process.wait, 20)
    assert not process.is_running()


async def test_a_worker_that_stops_does_not_wait_for_its_solver():
    site = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    said, _ = await site.communicate()
    assert said == b"0\n"


async def test_the_sites_process_lives_without_the_solvers_library():
    check = "import sys, fuel_app.dispatch.service; sys.exit('pyvrp' in sys.modules)"
    alone = await asyncio.create_subprocess_exec(sys.executable, "-c", check)
    assert await alone.wait() == 0
