"""The fleet quote modal: three tabs, one form."""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, ClassVar

import reflex as rx

from fuel_app.domain.quotes.requests import FleetQuote, FleetQuoteForm
from fuel_app.domain.quotes.rules import FUEL_TYPES
from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm
from fuel_app.states.quote_modal import QuoteModal

FORM = "fleet-quote"
TABS = {
    "company": ("company_name", "contact_name", "email", "phone"),
    "fleet": ("vehicle_count", "fuel_types"),
    "service": ("fill_frequency", "estimated_fuel_amount", "service_location", "notes"),
}
FIRST, LAST = next(iter(TABS)), next(reversed(TABS))
_ORDER = list(TABS)


class FleetQuoteState(QuoteModal, rx.State):
    """What a fleet has filled in, on which tab it is, and whether it has been sent."""

    tab: str = FIRST
    form: dict[str, str] = {name: "" for name in FleetQuote.cleaners if name != "fuel_types"}
    fuel_types: list[str] = []
    field_errors: dict[str, str] = dict.fromkeys(FleetQuote.cleaners, "")

    _quote: ClassVar = FleetQuote
    _form_name: ClassVar = FORM

    @rx.event
    def choose_tab(self, tab: str):
        """Go to a tab by its name."""
        if tab in _ORDER:
            self.tab = tab

    @rx.event
    def back(self):
        """Go to the tab before this one."""
        self.tab = _ORDER[max(0, _ORDER.index(self.tab) - 1)]

    @rx.event
    def edit(self, form: FleetQuoteForm):
        """Keep what is typed and ticked."""
        self._remember(form)

    @rx.event
    def leave(self, field: str, form: FleetQuoteForm):
        """From now on this field says what is wrong with it."""
        self._remember(form, left=field)

    @rx.event
    async def submit(self, form: FleetQuoteForm):
        """Go to the next tab; on the last one, ask for the quote."""
        async for step in self._send(form) if self.tab == LAST else self._advance(form):
            yield step

    async def _advance(self, form: object) -> AsyncIterator[Any]:
        if self.stage != "form":
            return
        self._remember(form)
        cleaners = {field: FleetQuote.cleaners[field] for field in TABS[self.tab]}
        try:
            contact.clean_form(form, cleaners)
        except InvalidForm as error:
            async for step in self._point_at(error.messages, cleaners):
                yield step
            return
        self.tab = _ORDER[_ORDER.index(self.tab) + 1]
        yield  # a field that does not show yet cannot take the focus
        yield rx.set_focus(f"{FORM}-{TABS[self.tab][0]}")

    def _keep(self, form: Mapping[str, Any]) -> None:
        super()._keep(form)
        ticked = form.get("fuel_types")
        known = ticked if isinstance(ticked, list) else []
        self.fuel_types = [fuel for fuel in FUEL_TYPES if fuel in known]

    def _clear(self) -> None:
        super()._clear()
        self.fuel_types, self.tab = [], FIRST

    async def _point_at(
        self, messages: dict[str, str], fields: Iterable[str]
    ) -> AsyncIterator[Any]:
        first = next(iter(messages))  # rules and tabs have the fields in one order
        tab = next(tab for tab, names in TABS.items() if first in names)
        if tab != self.tab:
            self.tab = tab
            yield
        async for step in super()._point_at(messages, fields):
            yield step
