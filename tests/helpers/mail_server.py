"""A local SMTP server that receives what the site sends, and refuses what a test says."""

import email
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller


class Inbox:
    """The mails that have arrived, and the answers to some addresses instead."""

    def __init__(self) -> None:
        self.mails: list[tuple[list[str], EmailMessage]] = []
        self.answers: dict[str, str] = {}
        self.after_data = "250 OK"
        self.url = ""

    async def handle_RCPT(  # noqa: N802 (aiosmtpd's name)
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        mail = email.message_from_bytes(envelope.content, policy=default)
        assert isinstance(mail, EmailMessage)
        if self.after_data.startswith("250"):
            self.mails.append((list(envelope.rcpt_tos), mail))
        return self.after_data

    def last(self) -> EmailMessage:
        return self.mails[-1][1]


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    part = mail.get_body((kind,))  # type: ignore[arg-type]
    assert part is not None
    return part.get_content()


@contextmanager
def mail_server(inbox: Inbox | None = None) -> Iterator[Inbox]:
    inbox = inbox or Inbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    inbox.url = f"smtp://127.0.0.1:{port}"
    try:
        yield inbox
    finally:
        controller.stop()
