"""The servers that announcements go to."""

from tests.messages.conftest import inbox, twilio

__all__ = ["inbox", "twilio"]
