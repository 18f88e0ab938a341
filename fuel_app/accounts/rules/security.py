"""A person's security as the screen shows it: plain texts."""

from dataclasses import dataclass, field

NO_CODES = "None yet"


@dataclass(frozen=True)
class PasskeyRow:
    """One passkey."""

    id: str
    name: str
    created: str
    used: str


@dataclass(frozen=True)
class SessionRow:
    """One browser that is signed in."""

    id: str
    device: str
    since: str
    seen: str
    is_this: bool


@dataclass(frozen=True)
class HistoryRow:
    """One line of the Login History."""

    event: str
    device: str
    network: str
    moment: str


@dataclass(frozen=True)
class OwnSecurity:
    """The values on the screen; blank until they are loaded."""

    name: str = ""
    initials: str = ""
    email: str = ""
    password: str = ""
    has_app: bool = False
    has_sms: bool = False
    phone: str = ""
    has_factor: bool = False
    recovery: str = ""
    passkeys: list[PasskeyRow] = field(default_factory=list)
    sessions: list[SessionRow] = field(default_factory=list)
    history: list[HistoryRow] = field(default_factory=list)
