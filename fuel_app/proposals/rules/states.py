"""The life of a proposal: its states, what leads where, and the words for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from fuel_app.kit.clock import long_date
from fuel_app.kit.errors import Refusal
from fuel_app.kit.lists import Question
from fuel_app.kit.search import words_of

NOUN = "proposal"  # in the audit log
FLEET, EMPLOYER = KINDS = ("fleet", "employer")

DRAFT, SENT, VIEWED, ACCEPTED = "draft", "sent", "viewed", "accepted"
DECLINED, SUPERSEDED, WITHDRAWN = "declined", "superseded", "withdrawn"
STATES = (DRAFT, SENT, VIEWED, ACCEPTED, DECLINED, SUPERSEDED, WITHDRAWN)
EXPIRED = "expired"  # computed when it is read, and not stored

LEADS_TO: Mapping[str, frozenset[str]] = {
    DRAFT: frozenset({SENT, WITHDRAWN}),
    SENT: frozenset({VIEWED, ACCEPTED, DECLINED, SUPERSEDED, WITHDRAWN}),
    VIEWED: frozenset({ACCEPTED, DECLINED, SUPERSEDED, WITHDRAWN}),
    EXPIRED: frozenset({SUPERSEDED, WITHDRAWN}),
    DECLINED: frozenset({SUPERSEDED}),
    WITHDRAWN: frozenset({SUPERSEDED}),
    SUPERSEDED: frozenset(),
    ACCEPTED: frozenset(),
}
REVISED = (SENT, VIEWED, EXPIRED, DECLINED, WITHDRAWN)  # of which a new version can be made
STATE_NAMES: Mapping[str, tuple[str, str]] = {  # with their colors
    DRAFT: ("Draft", "grey"),
    SENT: ("Sent", "yellow"),
    VIEWED: ("Viewed", "yellow"),
    ACCEPTED: ("Accepted", "green"),
    DECLINED: ("Declined", "grey"),
    EXPIRED: ("Expired", "grey"),
    SUPERSEDED: ("Superseded", "grey"),
    WITHDRAWN: ("Withdrawn", "grey"),
}
REASON_MAX = 500


def state_of(stored: str, valid_until: date, today: date) -> str:
    """Return the state of a proposal on a day; one that waits for an answer expires by itself."""
    return EXPIRED if stored in (SENT, VIEWED) and today > valid_until else stored


def may(state: str, wanted: str) -> bool:
    return wanted in LEADS_TO[state]


def name_of(number: int, version: int) -> str:
    """Return what people call a proposal: 'P-12, version 2'."""
    return f"P-{number}, version {version}"


def over_text(state: str, valid_until: date) -> str:
    """Return why a contact cannot answer any more; empty while they can."""
    return {
        ACCEPTED: "This proposal is accepted. Thank you!",
        DECLINED: "This proposal was declined. Write or call us if you have changed your mind.",
        EXPIRED: f"This proposal was valid until {long_date(valid_until)}. Write or call us, and "
        "we renew it.",
        SUPERSEDED: "There is a newer version of this proposal. Please open the link in our "
        "newest e-mail.",
        WITHDRAWN: "We have withdrawn this proposal. Write or call us if you have questions.",
    }.get(state, "")


@dataclass(frozen=True)
class ProposalQuery(Question):
    """The filters of the staff's list; without a state it leaves out superseded versions."""

    sort: str = "-date"
    q: str = ""
    state: str = ""

    COLUMNS = ("date", "company")
    TYPED = ("q", "state")

    @property
    def words(self) -> tuple[str, ...]:
        return words_of(self.q)

    @property
    def of_state(self) -> str:
        return self.state if self.state in STATE_NAMES else ""


class ProposalGone(Refusal):
    message = "There is no such proposal (any more)."


class LinkUnknown(Refusal):
    message = "This link does not work. Please open it from our e-mail again."


class OfferOver(Refusal):
    """The proposal cannot be answered any more."""


class OpensSoon(Refusal):
    """The first site's area is not open yet."""

    def __init__(self, zip_code: str) -> None:
        super().__init__(
            f"We open soon in {zip_code}. You can accept this proposal as soon as we have; "
            "it costs nothing to wait."
        )


class NotPossible(Refusal):
    """A step that no button of the state offers."""

    message = "This has changed meanwhile. You now see it as it is."


class DraftChanged(Refusal):
    message = "Somebody else has changed this draft meanwhile. You now see the newer one."


class NeedsAdmin(Refusal):
    """A dispatcher cannot send it."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why} Ask an admin to send it.")


class NeedsReason(Refusal):
    def __init__(self, why: str) -> None:
        super().__init__(f"{why} Say why it is sent all the same.")


class NoFleetQuote(Refusal):
    message = "A proposal is made from a fleet quote."
