"""Mails that a site hands to a local server, compared with its outbox."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
from aiosmtpd.controller import Controller

from fuel_app.messages.rules.delivery import NO_MAIL_SERVER
from tests.faults.running import Running
from tests.helpers.mail_server import Inbox
from tests.servers import free_port

_SENT = f"""
SELECT id FROM messages
WHERE channel = 'mail' AND state = 'sent' AND coalesce(error, '') <> '{NO_MAIL_SERVER}'
"""


class Post(Inbox):
    """Takes mails at an address, unless it is stopped.

    Told to kill a process, it does so between taking a mail from it and saying so.
    """

    def __init__(self) -> None:
        super().__init__()
        self._port = free_port()
        self.url = f"smtp://127.0.0.1:{self._port}"
        self.killed = threading.Event()
        self._doomed: Any = None

    def start(self) -> None:
        self._controller = Controller(self, hostname="127.0.0.1", port=self._port)
        self._controller.start()

    def stop(self) -> None:
        self._controller.stop()

    def kill_next(self, process: Any) -> None:
        self.killed.clear()
        self._doomed = process

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        if self._doomed and session.peer[1] in _ports(self._doomed.pid):
            self._doomed.kill()
            self._doomed = None
            self.killed.set()
        return answer

    def times(self) -> Counter[str]:
        """Count the mails by their message."""
        ids = (str(mail["Message-ID"]) for _, mail in self.mails)
        return Counter(each.strip().strip("<>").partition("@")[0] for each in ids)


def _ports(pid: int) -> set[int]:
    return {each.laddr.port for each in psutil.Process(pid).net_connections("tcp") if each.laddr}


@contextmanager
def post() -> Iterator[Post]:
    """A mail server, to be stopped and started, until the block ends."""
    made = Post()
    made.start()
    try:
        yield made
    finally:
        made.stop()


@dataclass(frozen=True)
class Mailed:
    """What was mailed, and what the outbox says."""

    sent: int  # messages
    lost: int  # said to be sent, and never came
    again: int  # came again, with the same Message-ID
    unknown: int  # came without a message that says so


async def mailed(site: Running, inbox: Post) -> Mailed:
    """Compare what has arrived with what the outbox says was sent."""
    sent, times = {each for (each,) in await site.rows(_SENT)}, inbox.times()
    return Mailed(
        sent=len(sent),
        lost=len(sent - times.keys()),
        again=times.total() - len(times),
        unknown=len(times.keys() - sent),
    )
