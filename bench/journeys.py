"""Journeys of visitors of the public pages, event by event, with their frequency.

One in five joins: they fill the form in field by field, one in four corrects a field, most choose a
neighborhood and one in ten creates one. The others sign up, schedule a fill, look at their
dashboard, or request a fleet quote.
"""

import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from bench.tab import Press, Tab, visit
from fuel_app import routes
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.dashboard.state import DashboardState
from fuel_app.joining.state import WaitlistState
from fuel_app.plans.rules.plans import PLANS
from fuel_app.quotes.state import FleetQuoteState
from fuel_app.scheduling.state.preview import ScheduleState
from fuel_app.waitlist.rules import WaitlistEntry
from tests.factories import (
    address_form,
    contact_form,
    fleet_quote_form,
    signup_form,
    vehicle_form,
    waitlist_form,
)

ZIPS = [str(code) for code in range(34230, 34240) if code != 34236]  # not where the company is open
VISITOR, JOIN = "visitor", "join"
Journey = Callable[[Tab, random.Random], Iterator[Press]]


def _email() -> str:
    return f"{uuid.uuid4().hex}@example.com"


def _typed(form: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the form after each field."""
    so_far: dict[str, Any] = {name: [] if isinstance(form[name], list) else "" for name in form}
    for name, value in form.items():
        if value:
            so_far = so_far | {name: value}
            yield so_far


def found_neighborhood(zip_code: str) -> Journey:
    """Return a journey that creates the neighborhood that others of this ZIP join."""

    def journey(tab: Tab, chance: random.Random) -> Iterator[Press]:
        form = waitlist_form(email=_email(), zip_code=zip_code)
        yield Press(WaitlistState.submit, {"form": form}, WaitlistState, "stage", "picker")
        yield _founding()

    return journey


def _founding() -> Press:
    payload = {"form": {"name": f"Palm Court {uuid.uuid4().hex[:8]}"}}
    return Press(WaitlistState.create, payload, WaitlistState, "stage", "joined")


def join(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Open the modal, fill in and submit the form, and join or create a neighborhood."""
    yield Press(WaitlistState.show, {"opened": True}, WaitlistState, "opened", True)
    right = dict(waitlist_form(email=_email(), zip_code=chance.choice(ZIPS)))
    mistaken = chance.random() < 0.25
    first = right | {"phone_number": "555"} if mistaken else right
    for form in _typed(first):
        yield Press(WaitlistState.edit, {"form": form}, WaitlistState, "form", form)
    yield Press(WaitlistState.edit, {"form": first}, WaitlistState, "form")
    if mistaken:
        yield Press(WaitlistState.submit, {"form": first}, WaitlistState, "busy", False)
        blank = WaitlistEntry.blank()
        yield Press(WaitlistState.edit, {"form": right}, WaitlistState, "field_errors", blank)
    given, state = {"form": right}, WaitlistState
    yield Press(state.submit, given, state, "stage", "picker", JOIN)
    if chance.random() < 0.1:
        yield Press(WaitlistState.start_creating, {"creating": True}, WaitlistState, "creating")
        yield _founding()
    else:
        neighborhood = chance.choice(tab.value(WaitlistState, "neighborhoods"))["id"]
        payload = {"neighborhood_id": neighborhood}
        yield Press(WaitlistState.choose, payload, WaitlistState, "chosen", neighborhood)
        yield Press(WaitlistState.join, {}, WaitlistState, "stage", "joined")
    yield Press(WaitlistState.show, {"opened": False}, WaitlistState, "opened", False)


def sign_up(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Read the plans and complete the sign-up wizard."""
    yield visit(routes.PLANS)
    yield visit(routes.ONBOARDING)
    for form in _typed(dict(contact_form())):
        yield Press(SignupState.edit_contact, {"form": form}, SignupState, "contact", form)
    yield Press(SignupState.submit_signup, {"form": signup_form()}, SignupState, "password_given")
    yield visit(routes.ONBOARDING_PLAN)
    for plan in chance.sample(PLANS, 2):
        yield Press(SignupState.choose_plan, {"plan": plan.id}, SignupState, "plan", plan.id)
    yield visit(routes.DASHBOARD)


def schedule(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Complete the three steps of scheduling."""
    yield visit(routes.SCHEDULE)
    for form in _typed(dict(vehicle_form())):
        yield Press(ScheduleState.edit_vehicle, {"form": form}, ScheduleState, "vehicle", form)
    payload = {"form": vehicle_form()}
    yield Press(ScheduleState.submit_vehicle, payload, ScheduleState, "vehicle_given", True)
    yield visit(routes.SCHEDULE_LOCATION)
    for form in _typed(dict(address_form(notes="Behind the house"))):
        yield Press(ScheduleState.edit_address, {"form": form}, ScheduleState, "address")
    payload = {"form": address_form(notes="Behind the house")}
    yield Press(ScheduleState.submit_address, payload, ScheduleState, "address_given", True)
    yield visit(routes.SCHEDULE_TIME)
    offered = [slot["id"] for day in tab.value(ScheduleState, "days") for slot in day["slots"]]
    slot = chance.choice(offered[1:])  # another than the one that is chosen already
    yield Press(ScheduleState.choose_slot, {"slot": slot}, ScheduleState, "slot", slot)
    yield Press(ScheduleState.schedule, {"form": {"slot": slot}}, ScheduleState, "slot", "")


def look_around(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Look at both views of the dashboard and change notifications."""
    yield visit(routes.DASHBOARD)
    yield Press(DashboardState.switch_view, {}, DashboardState, "admin_view")
    yield Press(DashboardState.switch_view, {}, DashboardState, "admin_view")
    yield visit(routes.NOTIFICATIONS)
    for name in ("push", "sms"):
        payload = {"name": name}
        yield Press(CustomerState.toggle_notification, payload, CustomerState, "notifications")
    yield visit(routes.BILLING)


def ask_for_quote(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Complete the fleet quote's three tabs."""
    yield visit(routes.FLEET)
    yield Press(FleetQuoteState.show, {"opened": True}, FleetQuoteState, "opened", True)
    whole = dict(fleet_quote_form(email=_email()))
    for form in _typed(whole):
        yield Press(FleetQuoteState.edit, {"form": form}, FleetQuoteState, "form")
    for tab_name in ("fleet", "service"):
        yield Press(FleetQuoteState.submit, {"form": whole}, FleetQuoteState, "tab", tab_name)
    yield Press(FleetQuoteState.submit, {"form": whole}, FleetQuoteState, "stage", "sent")
    yield Press(FleetQuoteState.show, {"opened": False}, FleetQuoteState, "opened", False)


AFTERWARDS: dict[Journey, int] = {sign_up: 3, schedule: 3, look_around: 2, ask_for_quote: 2}
JOINING = 0.2  # of the visitors come for the waitlist


def of(chance: random.Random) -> Iterator[Journey]:
    """Yield the journeys of one visitor, endlessly; each joins at most once."""
    if chance.random() < JOINING:
        yield join
    while True:
        yield chance.choices([*AFTERWARDS], [*AFTERWARDS.values()])[0]
