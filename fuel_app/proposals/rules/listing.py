"""Proposals as screens show them: a line of the staff's list, one in full, a contact's page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Self

from fuel_app.kit.clock import date_and_time, day_of, short_date
from fuel_app.proposals.rules.documents import Document
from fuel_app.proposals.rules.states import STATE_NAMES, state_of

NO_NAME = "No company yet"


@dataclass(frozen=True)
class ProposalLine:
    """One version in the staff's list."""

    id: str
    name: str  # 'P-12, version 2'
    company: str
    state: str
    color: str
    valid: str
    sent: str

    @classmethod
    def of(
        cls,
        proposal_id: str,
        name: str,
        company: str,
        stored: str,
        valid_until: date,
        sent_at: datetime | None,
        today: date,
    ) -> Self:
        state, color = STATE_NAMES[state_of(stored, valid_until, today)]
        sent = short_date(day_of(sent_at)) if sent_at else ""
        valid = short_date(valid_until) if sent_at else ""
        return cls(proposal_id, name, company or NO_NAME, state, color, valid, sent)


@dataclass(frozen=True)
class ContactLine:
    """A contact of a version that was sent."""

    name: str
    email: str
    viewed: str

    @classmethod
    def of(cls, name: str, email: str, viewed_at: datetime | None) -> Self:
        return cls(name, email, f"Viewed {date_and_time(viewed_at)}" if viewed_at else "Not viewed")


@dataclass(frozen=True)
class Version:
    id: str
    name: str
    state: str
    color: str


@dataclass(frozen=True)
class HistoryLine:
    """What happened to a version, and by whom."""

    what: str
    when: str
    who: str


_HAPPENED: Mapping[str, str] = {
    "begun": "Begun",
    "sent": "Sent",
    "viewed": "Viewed",
    "declined": "Declined",
    "accepted": "Accepted",
    "superseded": "Superseded by a newer version",
    "withdrawn": "Withdrawn",
}


def history_line(
    kind: str, at: datetime, actor: str, after: Mapping[str, Any] | None
) -> HistoryLine:
    """Return an entry of the audit log in words; what contacts do is theirs."""
    said = after or {}
    what = ": ".join(filter(None, (_HAPPENED[kind], str(said.get("reason", "")))))
    return HistoryLine(what, date_and_time(at), str(said.get("contact") or actor))


@dataclass(frozen=True)
class Proposal:
    """One version as staff see it; empty until it is loaded."""

    id: str = ""
    name: str = ""
    company: str = ""
    state: str = ""  # as `STATE_NAMES` lists them, not as it is stored
    color: str = ""
    lead_id: str = ""
    company_id: str = ""
    is_draft: bool = False
    may_revise: bool = False
    may_withdraw: bool = False
    reason: str = ""
    document: Document = field(default_factory=Document)
    evidence: list[tuple[str, str]] = field(default_factory=list)
    contacts: list[ContactLine] = field(default_factory=list)
    versions: list[Version] = field(default_factory=list)
    history: list[HistoryLine] = field(default_factory=list)


@dataclass(frozen=True)
class Offer:
    """A proposal as a contact sees it; `over` is why it cannot be answered any more."""

    document: Document = field(default_factory=Document)
    contact: str = ""
    email: str = ""
    over: str = ""
    opens_soon: str = ""
    is_accepted: bool = False
    evidence: list[tuple[str, str]] = field(default_factory=list)
