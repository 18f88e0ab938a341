"""Worker processes are killed while they send mail, with the site's own going on."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from tests.faults import made
from tests.faults.mails import Post, post, with_mails
from tests.faults.outcome import Outcome
from tests.faults.running import Deployed, together
from tests.site import COMMAND, ROOT
from tests.waiting import came_true

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
    """Kill two workers, each between a mail and its note of it."""
    with site_with_mail(folder) as (site, inbox):
        crowd = await made.company_of(site)
        settings = site.servers | {"FUEL_SMTP_URL": inbox.url}
        with (
            Worker(folder / "worker-1.log", settings) as first,
            Worker(folder / "worker-2.log", settings) as second,
        ):

            def interrupt(money_is_due: Callable[[], None]) -> float:
                inbox.doomed += first, second
                money_is_due()
                assert came_true(lambda: not inbox.doomed, within=WAIT_S), "a worker sent nothing"
                moment = time.monotonic()
                first.start()
                second.start()
                return moment

            what = "kill -9 of both workers while they send mail, start them again"
            outcome = await made.pressed_when_due(site, what, crowd, interrupt, rate, seconds)
            outcome = await with_mails(outcome, site, inbox, senders=2)
    return replace(outcome, load=f"{outcome.load}; two processes and two workers")
