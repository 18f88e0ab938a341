"""Servers of the tests of messages, with which the providers are set."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fuel_app.messages import providers
from tests.helpers.mail_server import Inbox, mail_server
from tests.helpers.outbox import NOON, set_clock
from tests.messages.twilio import SETTINGS, Twilio, twilio_server


@pytest.fixture
def inbox(configure: Callable[..., Any]) -> Iterator[Inbox]:
    """A mail server that the site sends to."""
    with mail_server() as received:
        configure(providers, smtp_url=received.url)
        yield received


@pytest.fixture
def twilio(configure: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Twilio]:
    """A text message service that the site sends to."""
    with twilio_server() as service:
        configure(providers, **SETTINGS)
        monkeypatch.setattr(providers, "SMS_API", service.address)
        yield service


@pytest.fixture
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOON)
