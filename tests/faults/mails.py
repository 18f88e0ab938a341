"""Mails that a site hands to a local server, compared with its outbox."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psutil
from aiosmtpd.controller import Controller

from fuel_app.kit.jobs.worker import AT_ONCE
from fuel_app.messages.rules.delivery import NO_MAIL_SERVER
from tests.faults.outcome import Outcome
from tests.faults.running import Running
from tests.helpers.mail_server import Inbox
from tests.servers import free_port

_SENT = f"""
SELECT id FROM messages
WHERE channel = 'mail' AND state = 'sent' AND coalesce(error, '') <> '{NO_MAIL_SERVER}'
"""


class Post(Inbox):
    """Takes mails at an address, unless it is stopped.

    It kills the processes in `doomed`, each between taking a mail from it and saying so.
    """

    def __init__(self) -> None:
        super().__init__()
        self._port = free_port()
        self.url = f"smtp://127.0.0.1:{self._port}"
        self.doomed: list[Any] = []

    def start(self) -> None:
        self._controller = Controller(self, hostname="127.0.0.1", port=self._port)
        self._controller.start()

    def stop(self) -> None:
        self._controller.stop()

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        for each in self.doomed.copy():
            if session.peer[1] in _ports(each.pid):
                each.kill()
                self.doomed.remove(each)
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


async def with_mails(outcome: Outcome, site: Running, inbox: Post, senders: int) -> Outcome:
    """Add the mails: those said to be sent that never came, and those that came too often.

    Each sender that was interrupted may send again what it had in hand, with the same Message-ID.
    """
    sent, times = {each for (each,) in await site.rows(_SENT)}, inbox.times()
    again, most = times.total() - len(times), senders * AT_ONCE
    return replace(
        outcome,
        served=outcome.served + len(sent),
        lost=outcome.lost + len(sent - times.keys()),
        doubled=outcome.doubled + max(0, again - most) + len(times.keys() - sent),
        meanwhile=f"{outcome.meanwhile}; {len(sent)} mails, {again} of them twice with one "
        f"Message-ID (at most {most})",
    )
