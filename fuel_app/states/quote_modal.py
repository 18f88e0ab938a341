"""What the two quote modals have in common: filling in, sending, sent."""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, ClassVar

import reflex as rx
import structlog

from fuel_app.domain.quotes.requests import BusinessQuote, FleetQuote
from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.services import quotes

log = structlog.get_logger(__name__)

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
            self._forgive_blanks()

    def _forgive_blanks(self) -> None:
        """Closing takes the focus from a field, too, which is no reason to complain."""
        filled = {field for field in self._touched if self.form.get(field)}
        self._touched = sorted(filled)
        self.field_errors = {
            field: message if field in filled else ""
            for field, message in self.field_errors.items()
        }

    def _remember(self, form: object, left: object = None) -> None:
        """Keep what is typed. A field that has been left says what is wrong with it."""
        if self.stage != "form" or not isinstance(form, Mapping) or self._was_sent(form):
            return  # a last keystroke may arrive after the request has gone
        self._keep(form)
        self._touched = [field for field in self.field_errors if field in (*self._touched, left)]
        self._look_at(self._touched, form)

    def _was_sent(self, form: object) -> bool:
        """Whether it is the last request again, which belongs in no new form."""
        try:
            return self._sent is not None and self._quote.parse(form) == self._sent
        except InvalidForm:
            return False

    def _keep(self, form: Mapping[str, Any]) -> None:
        self.form = {name: str(form.get(name, ""))[: contact.TYPED_MAX] for name in self.form}

    def _look_at(self, fields: Iterable[str], form: Mapping[str, Any]) -> None:
        cleaners = self._quote.cleaners
        found = {field: contact.problem(field, form.get(field), cleaners) for field in fields}
        self.field_errors = self.field_errors | found

    async def _send(self, form: object) -> AsyncIterator[Any]:
        """Store the request; a second click finds the stage changed and does nothing."""
        if self.stage != "form":
            return
        self.busy, self.refusal = True, ""
        yield  # show 'Submitting...' before the work starts
        try:
            await self._store(self._quote.parse(form))
        except InvalidForm as error:
            async for step in self._point_at(error.messages, self._quote.cleaners):
                yield step
        except Refusal as error:
            self.refusal = str(error)
        except Exception:
            log.exception("quotes.request_failed")
            self.refusal = SUBMIT_FAILED
        finally:
            self.busy = False

    async def _store(self, quote: FleetQuote | BusinessQuote) -> None:
        """The same content twice is one request: a browser may repeat what it has sent."""
        if quote != self._sent:
            await quotes.request(quote, address=self.router.session.client_ip)
        self._sent, self.stage = quote, "sent"
        self._clear()

    def _clear(self) -> None:
        self.form = dict.fromkeys(self.form, "")
        self.field_errors = dict.fromkeys(self.field_errors, "")
        self._touched = []

    async def _point_at(
        self, messages: dict[str, str], fields: Iterable[str]
    ) -> AsyncIterator[Any]:
        """Show what is wrong with these fields, and go to the first that is."""
        self._touched = sorted({*self._touched, *fields})
        self.field_errors = self.field_errors | dict.fromkeys(fields, "") | messages
        yield rx.set_focus(f"{self._form_name}-{next(iter(messages))}")
