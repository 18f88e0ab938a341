"""Worker processes are killed while they send mail, with the site's own going on."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from fuel_app.kit.jobs.worker import AT_ONCE
from tests.faults import made
from tests.faults.company import pressed
from tests.faults.mails import Post, mailed, post
from tests.faults.outcome import Outcome
from tests.faults.running import Deployed, together
from tests.site import COMMAND, ROOT

WAIT_S = 120  # until a worker that has just started sends a mail


class Worker:
    """A process of `python -m fuel_app worker`, running inside the block."""

    def __init__(self, log: Path, settings: dict[str, str]) -> None:
        self._log, self._environment = log, os.environ | settings

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=60)

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        with self._log.open("a") as output:
            self._process = subprocess.Popen(
                [*COMMAND, "worker"], cwd=ROOT, env=self._environment, stdout=output, stderr=output
            )

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def site_with_mail(folder: Path) -> Iterator[tuple[Deployed, Post]]:
    """Run two processes of the site that mail to a local server."""
    with post() as inbox, together(folder, FUEL_SMTP_URL=inbox.url) as site:
        yield site, inbox


async def killed(folder: Path, *, rate: float, seconds: float) -> Outcome:
    """Kill two workers one after the other, each between a mail and its note of it."""
    with site_with_mail(folder) as (site, inbox):
        settings = site.servers | {"FUEL_SMTP_URL": inbox.url}
        with (
            Worker(folder / "worker-1.log", settings) as first,
            Worker(folder / "worker-2.log", settings) as second,
        ):
            crowd = await made.company_of(site)

            def interrupt() -> float:
                moment = 0.0
                for worker in (first, second):
                    inbox.kill_next(worker)
                    assert inbox.killed.wait(WAIT_S), "the worker has sent nothing"
                    moment = moment or time.monotonic()
                    worker.start()
                return moment

            what = "kill -9 of both workers, one after the other, while they send mail"
            outcome = await pressed(site, what, crowd, interrupt, rate, seconds)
            mails = await mailed(site, inbox)
    most = 2 * AT_ONCE
    return replace(
        outcome,
        load=f"{outcome.load}; two processes and two workers",
        served=outcome.served + mails.sent,
        lost=outcome.lost + mails.lost,
        doubled=outcome.doubled + max(0, mails.again - most) + mails.unknown,
        meanwhile=f"{outcome.meanwhile}; {mails.sent} mails, {mails.again} of them twice with one "
        f"Message-ID (at most {most})",
    )
