"""Staff sessions: timeouts, tokens and their hashes."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from fuel_app.kit import clock

PASSWORD_MAX = 200
IDLE = timedelta(hours=12)  # a session expires after
RENEWED_AFTER = timedelta(minutes=1)  # not with every event
TICKET_S = 60  # from the right password to the cookie


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a signed-in browser."""

    id: str
    last_seen_at: datetime
    expires_at: datetime

    def wants_renewal(self, now: datetime) -> bool:
        return now - self.last_seen_at >= RENEWED_AFTER


def label(session_id: str) -> str:
    """Return a session's name for logs: enough to tell two apart, of no use to an attacker."""
    return session_id[-8:]


def staff_words(session_id: str) -> str:
    """Return 'staff, signed in Nov 22, 9:14 AM'. A session's id holds when it began."""
    began = clock.id_time(session_id)
    day = clock.day_of(began)
    return f"staff, signed in {day:%b} {day.day}, {clock.time_of_day(began)}"


def new_token() -> str:
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return a token's stored form. It is random and long, so a fast hash suffices."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
