"""The tab 'Ledger' of one customer: what is left, the entries, and adjusting by staff."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self
from uuid import uuid4

import reflex as rx

from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.kit import clock
from fuel_app.kit.ui.forms import FormState
from fuel_app.office.state.customer_tabs import CustomerTab
from fuel_app.plans.rules.ledger import GUEST, Adjustment, Allowance, Entry
from fuel_app.plans.service import ledger


@dataclass(frozen=True)
class EntryLine:
    """One entry of the ledger."""

    when: str
    what: str
    fills: str
    booking: str
    who: str
    reason: str

    @classmethod
    def of(cls, entry: Entry) -> Self:
        return cls(
            when=clock.date_and_time(entry.at),
            what=f"{entry.kind.capitalize()}{', guest fill' * (entry.bucket == GUEST)}",
            fills=f"{entry.fills:+d}" if entry.fills else "0",
            booking=entry.booking_id[-6:],
            who=entry.who,
            reason=entry.reason,
        )


class LedgerTab(CustomerTab, FormState, rx.State):
    """The ledger of the customer's fills, and the form of an adjustment."""

    KEY: ClassVar = "ledger"
    FORM: ClassVar = "adjust"
    FIELDS: ClassVar = Adjustment

    left: dict[str, str] = {}  # of each period, by its label
    most: str = ""  # the fills that may be added, in words; empty for any number
    rows: list[EntryLine] = []
    errors: dict[str, str] = Adjustment.blank()

    _asked: dict[str, str] = {}  # until something else is typed
    _key: str = ""  # of what was sent: a second press adjusts nothing

    @staff_only
    async def edit(self, form: dict[str, Any]):
        """Check the form again once it was refused."""
        if self._recheck(form):
            self._asked = {}

    @staff_only
    async def adjust(self, form: dict[str, Any]):
        """Add fills to this period of the customer, or take some away."""
        if self._is_of_another(form):
            return
        if Adjustment.typed(form) != self._asked:
            self._asked, self._key = Adjustment.typed(form), str(uuid4())
        self._begin(form)
        yield
        yield await self._finish(self._adjust(form), "customer.adjust_failed")

    async def _adjust(self, form: object) -> None:
        asked = Adjustment.parse(form)
        try:
            await ledger.adjust_fills(await actor_of(self), self._customer_id, asked, self._key)
            self.edition += 1
        finally:
            await self._load()

    async def _read(self) -> None:
        found = await ledger.ledger_of(await actor_of(self), self._customer_id)
        periods = {
            "This period": found.current,
            "Next period": found.following,
            "Guest fill of this quarter": found.guest,
        }
        self.left = {label: _left(each) for label, each in periods.items() if each}
        room = found.room
        self.most = (f"Up to {room.left} more." if room.left else room.refusal) if room else ""
        self.rows = [EntryLine.of(entry) for entry in found.entries]


def _left(found: Allowance) -> str:
    ends = clock.short_date(found.ends)
    return f"{found.left} of {found.fills} left, until {ends}"
