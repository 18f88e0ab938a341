"""A person's security as the screen shows it: plain texts."""

from dataclasses import dataclass, field
from typing import Self

from fuel_app.accounts.rules.changes import worded_kind
from fuel_app.accounts.rules.factors import APP, SMS
from fuel_app.accounts.service.security import HistoryEntry, Overview
from fuel_app.kit.clock import date_and_time, day_of, short_date
from fuel_app.kit.contact import phone_text

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

    @classmethod
    def of(cls, known: Overview) -> Self:
        changed = known.password_changed_at
        return cls(
            name=known.name,
            initials=known.initials,
            email=known.email,
            password=f"Last changed {short_date(day_of(changed))}" if changed else "",
            has_app=APP in known.methods,
            has_sms=SMS in known.methods,
            phone=phone_text(known.phone) if known.phone else "",
            has_factor=bool(known.methods),
            recovery=f"{known.recovery_codes} of 10 left" if known.recovery_codes else NO_CODES,
            passkeys=[
                PasskeyRow(
                    each.id,
                    each.name,
                    f"Added {short_date(day_of(each.created_at))}",
                    f"Last used {date_and_time(each.last_used_at)}"
                    if each.last_used_at
                    else "Not used yet",
                )
                for each in known.passkeys
            ],
            sessions=[
                SessionRow(
                    each.id,
                    each.device or "A browser",
                    f"Since {date_and_time(each.created_at)}",
                    f"Last used {date_and_time(each.last_seen_at)}",
                    each.is_this,
                )
                for each in known.sessions
            ],
            history=[_line(each) for each in known.history],
        )


def _line(entry: HistoryEntry) -> HistoryRow:
    event = worded_kind(entry.kind)
    if entry.what and entry.what != event:
        event = entry.what if entry.kind.startswith("factor") else f"{event}: {entry.what}"
    moment = date_and_time(entry.at)
    return HistoryRow(event, entry.device or "–", entry.network or "–", moment)  # noqa: RUF001
