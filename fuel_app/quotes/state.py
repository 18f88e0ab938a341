"""States of the fleet and business quote modals."""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, ClassVar, TypedDict

import reflex as rx

from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm, problem_of
from fuel_app.kit.ui.fields import focus_field
from fuel_app.quotes import service as quotes
from fuel_app.quotes.rules import FUEL_TYPES, BusinessQuote, FleetQuote

SUBMIT_FAILED = "An error occurred while submitting your quote. Please try again."


class QuoteModal(rx.State, mixin=True):
    """One tab's modal. What was typed survives closing, reopening and reloading."""

    opened: bool = False
    stage: str = "form"  # then "sent"
    busy: bool = False
    refusal: str = ""
    form: dict[str, str] = {}
    field_errors: dict[str, str] = {}

    _touched: list[str] = []
    _sent: FleetQuote | BusinessQuote | None = None

    _quote: ClassVar[type[FleetQuote] | type[BusinessQuote]]
    _form_name: ClassVar[str]

    @rx.event
    def show(self, opened: bool = True):
        """Open the modal where the visitor left it, or close it."""
        self.opened, self.busy = opened is True, False
        if self.opened:
            self.stage = "form"

    def _remember(self, form: object, left: object = None) -> None:
        """Keep what is typed. A field shows its message once it is left filled in, or emptied."""
        if self.stage != "form" or not isinstance(form, Mapping) or self._was_sent(form):
            return  # a last keystroke may arrive after the request has gone
        before = self._filled()
        self._keep(form)
        filled = self._filled()
        self._touched = [
            field
            for field in self.field_errors
            if field in self._touched
            or field in before - filled
            or (field == left and field in filled)
        ]
        messages = self._quote.problems(form)
        self.field_errors = self.field_errors | {field: messages[field] for field in self._touched}

    def _filled(self) -> set[str]:
        return {field for field, value in self.form.items() if value}

    def _was_sent(self, form: object) -> bool:
        """Return whether a form repeats the last request."""
        try:
            return self._sent is not None and self._quote.parse(form) == self._sent
        except InvalidForm:
            return False

    def _keep(self, form: Mapping[str, Any]) -> None:
        self.form = {name: str(form.get(name, ""))[: contact.TYPED_MAX] for name in self.form}

    async def _send(self, form: object) -> AsyncIterator[Any]:
        """Store the request; a second click finds the stage changed and does nothing."""
        if self.stage != "form":
            return
        self.busy, self.refusal = True, ""
        yield  # show 'Submitting...' before the work starts
        try:
            asking = self._ask(form)
            self.refusal = await problem_of(asking, "quotes.request_failed", SUBMIT_FAILED)
        except InvalidForm as error:
            self._show_problems(error.messages, self._quote.names())
            yield  # a field that does not show yet cannot take the focus
            yield self._focus(next(iter(error.messages)))
        finally:
            self.busy = False

    async def _ask(self, form: object) -> None:
        quote = self._quote.parse(form)
        if quote != self._sent:  # browsers may send it twice
            await quotes.request(quote, address=self.router.session.client_ip)
        self._sent, self.stage = quote, "sent"
        self._clear()

    def _clear(self) -> None:
        self.form = dict.fromkeys(self.form, "")
        self.field_errors = dict.fromkeys(self.field_errors, "")
        self._touched = []

    def _show_problems(self, messages: dict[str, str], fields: Iterable[str]) -> None:
        """Show what is wrong with these fields."""
        self._touched = sorted({*self._touched, *fields})
        self.field_errors = self.field_errors | dict.fromkeys(fields, "") | messages

    def _focus(self, field: str) -> rx.event.EventSpec:
        return focus_field(self._form_name, field)


FORM = "fleet-quote"
TABS = {
    "company": ("company_name", "contact_name", "email", "phone"),
    "fleet": ("vehicle_count", "fuel_types"),
    "service": ("fill_frequency", "estimated_fuel_amount", "service_location", "notes"),
}
FIRST, LAST = next(iter(TABS)), next(reversed(TABS))
_ORDER = list(TABS)


class Ticked(TypedDict):
    """The fleet form: all ticked boxes, where a plain form has the last value of each name."""

    fuel_types: list[str]


class FleetQuoteState(QuoteModal, rx.State):
    """The fleet quote modal: form, tab and stage."""

    tab: str = FIRST
    form: dict[str, str] = {name: "" for name in FleetQuote.names() if name != "fuel_types"}
    fuel_types: list[str] = []
    field_errors: dict[str, str] = FleetQuote.blank()

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
    def edit(self, form: Ticked):
        """Keep what is typed and ticked."""
        self._remember(form)

    @rx.event
    def leave(self, field: str, form: Ticked):
        """Validate this field from now on."""
        self._remember(form, left=field)

    @rx.event
    async def submit(self, form: Ticked):
        """Go to the next tab; on the last one, ask for the quote."""
        async for step in self._send(form) if self.tab == LAST else self._advance(form):
            yield step

    async def _advance(self, form: object) -> AsyncIterator[Any]:
        if self.stage != "form":
            return
        self._remember(form)
        messages = FleetQuote.problems(form)
        wrong = {field: messages[field] for field in TABS[self.tab] if messages[field]}
        if wrong:
            self._show_problems(wrong, TABS[self.tab])
        else:
            self.tab = _ORDER[_ORDER.index(self.tab) + 1]
        yield
        yield self._focus(next(iter(wrong or TABS[self.tab])))

    def _keep(self, form: Mapping[str, Any]) -> None:
        super()._keep(form)
        ticked = form.get("fuel_types")
        chosen = ticked if isinstance(ticked, list) else []
        self.fuel_types = [fuel for fuel in FUEL_TYPES if fuel in chosen]

    def _filled(self) -> set[str]:
        return super()._filled() | ({"fuel_types"} if self.fuel_types else set())

    def _clear(self) -> None:
        super()._clear()
        self.fuel_types, self.tab = [], FIRST

    def _show_problems(self, messages: dict[str, str], fields: Iterable[str]) -> None:
        first = next(iter(messages))  # rules and tabs have the fields in one order
        self.tab = next(tab for tab, names in TABS.items() if first in names)
        super()._show_problems(messages, fields)


class BusinessQuoteState(QuoteModal, rx.State):
    """The business quote modal: form and stage."""

    form: dict[str, str] = BusinessQuote.blank()
    field_errors: dict[str, str] = BusinessQuote.blank()

    _quote: ClassVar = BusinessQuote
    _form_name: ClassVar = "business-quote"

    @rx.event
    def edit(self, form: dict[str, Any]):
        """Keep what is typed."""
        self._remember(form)

    @rx.event
    def leave(self, field: str, form: dict[str, Any]):
        """Validate this field from now on."""
        self._remember(form, left=field)

    @rx.event
    async def submit(self, form: dict[str, Any]):
        """Ask for the quote."""
        async for step in self._send(form):
            yield step
