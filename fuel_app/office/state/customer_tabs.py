"""The tabs of one customer. A class with a `KEY` is a tab; office/ui/customer_tabs.py shows it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import reflex as rx
import structlog

from fuel_app.accounts.rules.changes import PersonChange
from fuel_app.accounts.service import changes
from fuel_app.accounts.state.session import StaffScreen, actor_of, staff_only
from fuel_app.customers.rules.listing import NewNote, Note
from fuel_app.customers.service import directory, person
from fuel_app.customers.state.cards import CustomerCard, VehicleCard
from fuel_app.customers.state.own_places import PlaceCard
from fuel_app.kit import clock
from fuel_app.kit.ui.forms import FormState
from fuel_app.messages import service as messages
from fuel_app.messages.rules.listing import MessageLine

log = structlog.get_logger(__name__)


OF = "customer"  # the field of a form that names whom it is about


class OfCustomer(StaffScreen, mixin=True):
    """A part of the screen about the chosen customer: it starts over with another one."""


class CustomerTab(OfCustomer, mixin=True):
    """A tab of the chosen customer."""

    KEY: ClassVar[str]

    loading: bool = True
    failed: bool = False
    _customer_id: str = ""

    async def _show(self, customer_id: str) -> None:
        """Load the tab of a customer; an empty id is none."""
        if customer_id != self._customer_id:
            self._start_over()
            self._customer_id = customer_id
        if customer_id:
            await self._load()

    async def _load(self) -> None:
        try:
            await self._read()
            self.failed = False
        except Exception:
            log.exception("customer.tab_failed", tab=self.KEY)
            self.failed = True
        self.loading = False

    async def _read(self) -> None:
        """Read what it shows of `_customer_id`."""
        raise NotImplementedError

    def _is_of_another(self, form: object) -> bool:
        """Return whether a form was filled in while another customer was shown."""
        sent = form.get(OF) if isinstance(form, Mapping) else None
        return sent not in (None, self._customer_id)


class DashboardTab(CustomerTab, rx.State):
    """The customer's month and past services, as their own dashboard shows them."""

    KEY: ClassVar = "dashboard"

    card: CustomerCard = CustomerCard()

    async def _read(self) -> None:
        found = await person.of_customer(await actor_of(self), self._customer_id)
        self.card = CustomerCard.of(found, clock.day_of(clock.now()))


class MessagesTab(CustomerTab, rx.State):
    """The messages to the customer; those about security are for admins."""

    KEY: ClassVar = "messages"

    rows: list[MessageLine] = []

    async def _read(self) -> None:
        self.rows = list(await messages.messages_of_person(await actor_of(self), self._customer_id))


class NotesTab(CustomerTab, FormState, rx.State):
    """The notes of the staff, and the form of a new one."""

    KEY: ClassVar = "notes"
    FORM: ClassVar = "note"
    FIELDS: ClassVar = NewNote

    rows: list[Note] = []
    errors: dict[str, str] = NewNote.blank()

    @staff_only
    async def edit(self, form: dict[str, Any]):
        """Check the note again once it was refused."""
        self._recheck(form)

    @staff_only
    async def add(self, form: dict[str, Any]):
        """Add a note about the customer that is shown. A second click finds it added."""
        if self._is_stale(form) or self._is_of_another(form):
            return
        self._begin(form)
        yield
        yield await self._finish(self._add(form), "customer.note_failed")

    async def _add(self, form: object) -> None:
        note = NewNote.parse(form)
        await directory.add_note(await actor_of(self), self._customer_id, note)
        self.edition += 1
        await self._load()

    async def _read(self) -> None:
        self.rows = await directory.notes(await actor_of(self), self._customer_id)


class VehiclesTab(CustomerTab, rx.State):
    """The customer's vehicles, without their photos, and addresses."""

    KEY: ClassVar = "vehicles"

    vehicles: list[VehicleCard] = []
    places: list[PlaceCard] = []

    async def _read(self) -> None:
        vehicles, places = await directory.garage(await actor_of(self), self._customer_id)
        self.vehicles = [replace(VehicleCard.of(vehicle), image="") for vehicle in vehicles]
        self.places = [PlaceCard.of(place) for place in places]


class AuditTab(CustomerTab, rx.State):
    """The audit log of the customer."""

    KEY: ClassVar = "audit"

    rows: list[PersonChange] = []

    async def _read(self) -> None:
        self.rows = await changes.of_person(await actor_of(self), self._customer_id)


def tab_state(key: str) -> type[CustomerTab]:
    """Return the state of a tab; for what is no tab, of the dashboard."""
    tabs = (state for state in rx.State.get_substates() if issubclass(state, CustomerTab))
    return next((state for state in tabs if key == state.KEY), DashboardTab)
