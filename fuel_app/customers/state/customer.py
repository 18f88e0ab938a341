"""The tab's customer, shared by all customer screens, with its guards and what is shown of it."""

import dataclasses
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import date
from typing import Any, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.accounts.state.session import (
    ACCOUNT,
    IS_OPEN,
    Answer,
    Check,
    SessionState,
    guarded_event,
    note_for_page,
    once_for_page,
)
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.customers.rules.customers import (
    Account,
    BillingCard,
    Customer,
    SignIn,
    days_since,
    format_days,
)
from fuel_app.customers.rules.vehicles import OwnVehicle, Vehicle
from fuel_app.customers.service import account as customers
from fuel_app.kit import clock
from fuel_app.kit.clock import long_date
from fuel_app.kit.contact import phone_text
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import ToastState
from fuel_app.messages.rules import push
from fuel_app.messages.rules.delivery import ConsentNeeded, PhoneStopped
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.messages.rules.push import DeviceNeeded
from fuel_app.server.reflex.private_tabs import PrivateScreen

NO_PLAN, STAFF = "No plan yet", "Staff"


@dataclasses.dataclass(frozen=True)
class CustomerCard:
    """A customer's profile and the sample's sign-ins; empty until it is loaded."""

    name: str = ""
    first_name: str = ""
    initials: str = ""
    email: str = ""
    phone: str = ""  # (941) 555-0123
    plan: str = ""
    plan_summary: str = ""
    password_age: str = ""
    sign_ins: list[SignIn] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer, today: date) -> Self:
        plan, personal = customer.plan, customer.personal
        changed = customer.password_changed
        ends = f" · Ends on {long_date(customer.plan_ends)}" if customer.plan_ends else ""
        ends = " · Not started yet" if customer.may_start_plan else ends
        return cls(
            name=personal.name,
            first_name=personal.first_name,
            initials=personal.initials,
            email=personal.email,
            phone=phone_text(personal.phone),
            plan=plan.name if plan else NO_PLAN if customer.is_customer else STAFF,
            plan_summary=f"{plan.fills} fills per month{ends}" if plan else "",
            password_age=f"Last changed {format_days(days_since(changed, today))} ago"
            if changed
            else "",
            sign_ins=list(customer.sign_ins),
        )


@dataclasses.dataclass(frozen=True)
class VehicleCard:
    """One registered vehicle; `image` is a `data:` address or empty."""

    id: str = ""
    title: str = ""
    details: str = ""
    tank: str = ""
    image: str = ""
    fuel: str = ""  # grade and fuel door of a real one
    outside: bool = False  # the plan does not cover it

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        is_own = isinstance(vehicle, OwnVehicle)
        return cls(
            id=vehicle.id,
            title=vehicle.title,
            details=f"{vehicle.color} · {vehicle.license_plate}"
            + (f" ({vehicle.plate_state})" if is_own else ""),
            tank=f"Est. Tank Size: {vehicle.estimated_tank_size:g} gallons",
            image=vehicle.image,
            fuel=f"{GRADE_LABELS[vehicle.grade]} · Fuel door: {vehicle.fuel_door.lower()}"
            if is_own
            else "",
            outside=is_own and not vehicle.is_active,
        )


class CustomerScreen(PrivateScreen, mixin=True):
    """A screen of a customer: the preview's sample, or a signed-in person's own data."""

    _is_private: bool = False  # set as soon as it shows a person's data
    _is_preview: bool = False  # it has shown the sample, or kept what was typed beside it

    @classmethod
    def _is_for(cls, session: Session) -> bool:
        return not session.is_shared


CUSTOMER, IN_BRIEF = "customer", "customer in brief"  # names of `once_for_page`
DEVICE = "device"  # the id of what turns notifications on at this device
CONSENT = "consent"  # the id of what turns text messages on, or leads there
WE_HAVE_OPENED = "We have opened: sign in or get started"


def _check(may: Callable[[Account], bool]) -> Check:
    """Make the check of a guard of customers' screens; `may` tells which accounts it is for."""

    async def check(tab: rx.State) -> Answer:
        account = await _arrive_at(tab)
        if account is None:
            return [await leave_preview(tab)]
        if may(account):
            return None
        if account.is_verified or _is_at_dashboard(tab):  # a redirect would load it again
            return ()
        return [rx.redirect(routes.DASHBOARD, replace=True)]

    return check


def _is_at_dashboard(tab: rx.State) -> bool:
    return tab.router.url.path.rstrip("/") == routes.DASHBOARD


check_customer = _check(lambda account: account.is_verified)
# A preview that is open when the company opens says so at its next event and drops its sample.
for_customers = guarded_event(check_customer)
for_sign_ups_too = guarded_event(_check(lambda _account: True))
check_own = _check(lambda account: account.is_verified and not account.is_sample)
for_own = guarded_event(check_own)
check_preview = _check(lambda account: account.is_sample)
in_preview = guarded_event(check_preview)


async def _arrive_at(tab: rx.State) -> Account | None:
    """Return the account that the tab shows, as its session is now; None without one."""
    customer = await tab.get_state(CustomerState)
    account = await once_for_page(ACCOUNT, lambda: _find_account(tab, customer))
    if account and isinstance(tab, CustomerScreen):
        tab._is_private, tab._is_preview = not account.is_sample, account.is_sample
    return account


async def _find_account(tab: rx.State, customer: "CustomerState") -> Account | None:
    session = await (await tab.get_state(SessionState))._find()
    account = await customers.account_of(session, customer._sample)
    if account and not account.is_sample:
        await _drop_previews(tab)
    customer._account = account
    note_for_page(IS_OPEN, account is None or not account.is_sample)
    return account


async def leave_preview(tab: rx.State) -> Any:
    """Drop the sample and what a person saw whose session has ended, and lead to the sign-in."""
    await (await tab.get_state(SessionState))._forget()
    if await _drop_previews(tab):
        (await tab.get_state(ToastState))._show(WE_HAVE_OPENED)
    asked = tab.router.url.path
    return rx.redirect(routes.asking(routes.SIGN_IN, {"next": asked}), replace=True)


async def _drop_previews(tab: rx.State) -> bool:
    """Empty the screens that were a preview. Return whether there was one."""
    dropped = False
    for screen in rx.State.get_substates():
        if issubclass(screen, CustomerScreen):
            state = await tab.get_state(screen)
            if state._is_preview:
                state._start_over()
                dropped = True
    return dropped


class CustomerState(CustomerScreen, rx.State):
    """The tab's customer. Other states change it through `_become`."""

    card: CustomerCard = CustomerCard()
    billing: BillingCard = BillingCard()
    vehicles: list[VehicleCard] = []
    notifications: dict[str, bool] = asdict(NotificationSettings())

    consent_needed: bool = False  # text messages wait for the phone's owner to agree
    texts_refusal: str = ""  # why they cannot be turned on: the phone has sent STOP
    push_offered: bool = False  # notifications can be sent to browsers
    device_refusal: str = ""  # why they cannot be turned on: no device shows them
    email_verified: bool = False
    phone_verified: bool = False
    is_own: bool = False  # a signed-in person's
    is_customer: bool = True  # False for staff without an account of a customer

    _sample: Customer | None = None  # as the tab has changed it
    _account: Account | None = None  # as the guard of the event has found it

    @for_sign_ups_too
    async def arrive(self):
        """Open a customer screen and refresh the values that depend on the day."""
        if away := self._lead_away():
            return away
        self._become(await self._read())
        return None

    @for_sign_ups_too
    async def arrive_briefly(self):
        """Open a screen that shows neither fills nor vehicles nor notification settings."""
        if away := self._lead_away():
            return away
        self._become(await self._read_briefly(), brief=True)
        return None

    def _lead_away(self) -> Any:
        """Return the event that leads a sign-up to its only screen; else None."""
        if self._opened.is_verified or _is_at_dashboard(self):
            return None
        return rx.redirect(routes.DASHBOARD, replace=True)

    @for_customers
    async def toggle_notification(self, name: str):
        """Turn one message or channel on or off; text messages may need a consent before."""
        self.consent_needed, self.texts_refusal, self.device_refusal = False, "", ""
        await self._change_texts(self._opened.toggle_notification(name))
        if self.device_refusal:
            yield
            yield rx.set_focus(DEVICE)
        if self.consent_needed:
            yield  # what asks for it is there when it takes the focus
            yield rx.set_focus(CONSENT)

    @for_own
    async def agree_to_texts(self):
        """Store the consent whose wording is shown, and turn text messages on."""
        if self.consent_needed:
            await self._change_texts(self._opened.agree_to_texts())

    async def _change_texts(self, change: Awaitable[Customer]) -> None:
        try:
            self._become(await change)
            self.consent_needed, self.texts_refusal = False, ""
        except ConsentNeeded:
            self.consent_needed = True
        except PhoneStopped as refusal:
            self.texts_refusal = str(refusal)
        except DeviceNeeded as refusal:
            self.device_refusal = str(refusal)

    @for_own
    async def device_changed(self):
        """Show the switches after notifications were turned on or off at this device."""
        self.device_refusal = ""
        self._become(await self._opened.read())

    async def _change(self, change: Awaitable[Customer]) -> str:
        """Make a change and show it. Return why it was refused; empty if it was not."""
        try:
            self._become(await change)
        except Refusal as refusal:
            return str(refusal)
        return ""

    @property
    def _opened(self) -> Account:
        if self._account is None:
            raise LookupError("No account is open: the event has no guard")
        return self._account

    async def _read(self) -> Customer:
        """Return the customer as they are now; while a page opens they are read once."""
        return await once_for_page(CUSTOMER, self._opened.read)

    async def _read_briefly(self) -> Customer:
        """Return the customer without fills, vehicles and notification settings."""
        return await once_for_page(IN_BRIEF, lambda: self._opened.read(brief=True))

    def _become(self, customer: Customer, *, brief: bool = False) -> None:
        """Show the customer, and keep a sample; only what has changed goes to the browser.

        Args:
            brief: A person's vehicles and settings were not read.
        """
        today = clock.day_of(clock.now())
        is_own = not self._opened.is_sample
        self._is_private, self._is_preview = is_own, not is_own
        self._sample = None if is_own else customer
        set_changed(
            self,
            card=CustomerCard.of(customer, today),
            billing=customer.billing,
            email_verified=customer.email_verified,
            phone_verified=customer.phone_verified,
            is_own=is_own,
            is_customer=customer.is_customer,
            push_offered=is_own and push.is_on(),
        )
        if not (brief and is_own):
            set_changed(
                self,
                vehicles=[VehicleCard.of(vehicle) for vehicle in customer.vehicles],
                notifications=asdict(customer.notifications),
            )
