"""The business quote modal: one form."""

from typing import ClassVar

import reflex as rx

from fuel_app.domain.quotes.requests import BusinessQuote, BusinessQuoteForm
from fuel_app.states.quote_modal import QuoteModal

FORM = "business-quote"


class BusinessQuoteState(QuoteModal, rx.State):
    """What a business has filled in, and whether it has been sent."""

    form: dict[str, str] = dict.fromkeys(BusinessQuote.cleaners, "")
    field_errors: dict[str, str] = dict.fromkeys(BusinessQuote.cleaners, "")

    _quote: ClassVar = BusinessQuote
    _form_name: ClassVar = FORM

    @rx.event
    def edit(self, form: BusinessQuoteForm):
        """Keep what is typed."""
        self._remember(form)

    @rx.event
    def leave(self, field: str, form: BusinessQuoteForm):
        """From now on this field says what is wrong with it."""
        self._remember(form, left=field)

    @rx.event
    async def submit(self, form: BusinessQuoteForm):
        """Ask for the quote."""
        async for step in self._send(form):
            yield step
