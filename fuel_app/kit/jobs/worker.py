"""The worker: runs jobs inside the web process, or in a process of its own."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable
from datetime import datetime

import structlog

from fuel_app.kit import background, clock, metrics
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import queue
from fuel_app.kit.jobs.registry import HANDLERS, GiveUp, Job, Later, LeaseLost
from fuel_app.kit.signals import JOBS, Changes, listening, signals
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

AT_ONCE = 8
POLL_S = 2.0  # what a lost signal costs
HEARTBEAT_S = queue.LEASE.total_seconds() / 3


class Worker:
    """Runs jobs that are due, several at a time."""

    def __init__(self, now: Callable[[], datetime] = clock.now) -> None:
        self._now = now
        self._stopping = False
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Run jobs until `stop`.

        1. Alone on SQLite: expire the leases of a process that died.
        2. Enqueue the runs of schedules that are due.
        3. Claim the jobs that are due, and start each in a task of its own.
        4. Wait for a job to be enqueued; while more may be due, also for one to end.
        """
        expired = not (settings.uses_sqlite and settings.redis_url is None)
        async with listening(JOBS) as changes:
            while not self._stopping:
                more = False
                try:
                    if not expired:
                        await queue.expire_leases()
                        expired = True
                    await queue.fire_schedules(self._now())
                    is_full = len(self._running) >= AT_ONCE
                    more = await self.start_due() > 0 or is_full
                except Exception:  # the database is gone for a while, or not there yet
                    log.exception("jobs.waiting")
                if self._running or not more:
                    await self._wait(changes, self._running if more else set())

    async def start_due(self) -> int:
        """Start the jobs that are due, as many as there is room for. Return how many."""
        if len(self._running) >= AT_ONCE:
            return 0
        claimed = await queue.claim(self._now(), AT_ONCE - len(self._running))
        # Should this process die of a suspect, too, no other job dies with it.
        alone = any(job.is_suspect for job in claimed)
        before = self._running.copy() if alone else set()
        for job in claimed:
            task = background.start(self._perform(job, before))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        if alone:
            await self.ended()
        return len(claimed)

    async def ended(self) -> None:
        """Wait until all that this worker has started has ended."""
        while self._running:
            await asyncio.wait(self._running)

    async def stop(self) -> None:
        """Claim nothing more. Jobs that run go on to their end."""
        self._stopping = True
        await signals().publish(JOBS)

    async def _wait(self, changes: Changes, running: set[asyncio.Task[None]]) -> None:
        woken = asyncio.create_task(changes.next(POLL_S))
        await asyncio.wait({woken, *running}, return_when=asyncio.FIRST_COMPLETED)
        woken.cancel()

    async def _perform(self, job: Job, before: set[asyncio.Task[None]]) -> None:
        """Run one job when those before it have ended, and store its outcome. If that fails, the
        lease expires by itself."""
        try:
            async with _heartbeat(job):
                if before:
                    await asyncio.wait(before)
                await self._attempt(job)
        except LeaseLost:
            log.warning("job.lease_lost", kind=job.kind, job=job.id)
        except Exception:
            log.exception("job.not_ended", kind=job.kind, job=job.id)

    async def _attempt(self, job: Job) -> None:
        handler = HANDLERS.get(job.kind)
        try:
            if handler is None:
                raise GiveUp(f"no handler for {job.kind}")
            # A former release has made up to so many attempts whose failures it did not count.
            if job.kills >= 2 * handler.attempts:
                raise GiveUp(_killed(job))
            await handler.run(job)
        except LeaseLost:
            raise
        except Later as later:
            async with transaction() as session:
                await queue.postpone(session, job, later.run_at)
            metrics.JOBS.labels(job.kind, "postponed").inc()
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}"
            log.exception("job.failed", kind=job.kind, job=job.id, attempts=job.attempts)
            failures = job.failures + 1
            is_last = handler is None or failures >= handler.attempts
            is_dead = is_last or isinstance(problem, GiveUp)
            async with transaction() as session:
                if not is_dead:
                    run_at = self._now() + queue.backoff(failures)
                    await queue.retry(session, job, run_at, error)
                elif await queue.end(session, job, "dead", error) and handler and handler.on_dead:
                    await handler.on_dead(session, job)
            metrics.JOBS.labels(job.kind, "dead" if is_dead else "retried").inc()
        else:
            async with transaction() as session:
                await queue.end(session, job)
            metrics.JOBS.labels(job.kind, "done").inc()


def _killed(job: Job) -> str:
    if not job.failures:
        return "its process died in every attempt"
    return f"its process died in {job.kills} attempts, {job.failures} others failed"


@contextlib.asynccontextmanager
async def _heartbeat(job: Job) -> AsyncIterator[None]:
    """Extend the lease as long as the block runs."""

    async def extend() -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            try:
                async with transaction() as session:
                    await queue.extend_lease(session, job)
            except LeaseLost:
                return
            except Exception:
                log.exception("job.heartbeat_failed", kind=job.kind, job=job.id)

    heartbeat = asyncio.create_task(extend())
    try:
        yield
    finally:
        heartbeat.cancel()


WORKER = Worker()  # this process's own


async def serve() -> None:
    """Run jobs in a process of its own until SIGTERM or SIGINT; then end what is under way."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: background.start(WORKER.stop()))
    await WORKER.run()
    await WORKER.ended()
