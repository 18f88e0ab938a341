"""Journeys through an open company: visitors, customers, trackers, staff and technicians' phones.

One visitor in five joins where the company is not open: they fill the form in field by field, one
in four corrects a field, most choose a neighborhood and one in ten creates one.
"""

import random
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from bench.phone import Call, Phone
from bench.tab import Press, Tab, visit
from fuel_app import routes
from fuel_app.customers.state.customer import CustomerState
from fuel_app.dashboard.state import NextBookingState
from fuel_app.dispatch.rules.phones import SAFETY_CHECKS, WAITING
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.dialogs import MovingState
from fuel_app.joining.state import WaitlistState
from fuel_app.kit import clock
from fuel_app.kit.ui.toast import ToastState
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.quotes.state import FleetQuoteState
from fuel_app.scheduling.state.booking import OwnBookingState
from fuel_app.scheduling.state.wizards import FillUpState
from fuel_app.waitlist.rules import WaitlistEntry
from tests.factories import fleet_quote_form, waitlist_form

JOIN, BOOK, MOVE, CANCEL, FILL = "join", "book", "move", "cancel", "complete"  # kinds of events
NEWCOMER, CUSTOMER, TRACKER, STAFF = "newcomer", "customer", "tracker", "staff"
DISPATCHER, TECHNICIAN = "dispatcher", "technician"
READER, MEMBER, CLERK = "reader", "member", "clerk"  # who only opens pages
NEW_TABS = 0.02  # of the pages that are opened
JOINING = 0.2  # of the visitors
VISITORS_PAGES = (routes.HOME, routes.PLANS, routes.FLEET, routes.BUSINESS)
CUSTOMERS_PAGES = (
    routes.DASHBOARD,
    routes.ACCOUNT,
    routes.BILLING,
    routes.NOTIFICATIONS,
    routes.SECURITY,
    routes.SUPPORT,
    routes.SCHEDULE,
)
STAFF_PAGES = (
    routes.DASHBOARD,
    routes.SUBMISSIONS,
    routes.NEIGHBORHOODS,
    routes.DISPATCH,
    routes.CUSTOMER_DASHBOARD,
    routes.LAUNCH,
    routes.SETTINGS_AREAS,
    routes.SETTINGS_MESSAGES,
    routes.SETTINGS_MONEY,
    routes.SETTINGS_PEOPLE,
)
ZIPS = [str(code) for code in range(34230, 34240) if code != 34236]  # not where the company is open
NAMES = ("smith", "mary", "o", "zz")
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


def book(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Book a fill with a stored vehicle, place and card, some days from now."""
    yield visit(routes.SCHEDULE)
    state, blank = FillUpState, {"form": {}}
    yield Press(state.submit_vehicle, blank, state, "vehicle_given", True)
    yield visit(routes.SCHEDULE_LOCATION)
    yield Press(state.submit_location, blank, state, "location_given", True)
    yield visit(routes.SCHEDULE_TIME)
    days = tab.value(state, "days")[3:]  # their payments are not held yet
    slot = chance.choice([each["id"] for day in days for each in day["slots"] if each["is_open"]])
    yield Press(state.choose_slot, {"slot": slot}, state, "slot", slot)
    booked = _says("Booked for")
    yield Press(state.schedule, blank, ToastState, "toasts", booked, BOOK, (state, "refusal"))


def change_mind(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Look at the next fill on the dashboard, and move or cancel it."""
    yield visit(routes.DASHBOARD)
    state, card = OwnBookingState, tab.value(NextBookingState, "card")
    if not card or not card["may_move"]:
        return
    yield visit(routes.booking(card["id"]))
    if chance.random() < 0.3:
        yield Press(state.open_cancel, {}, state, "dialog", "cancel")
        agreed = tab.value(state, "card")["cancel_label"]
        payload, said = {"agreed": agreed}, _says("Cancelled")
        yield Press(state.cancel, payload, state, "notice", said, CANCEL, (state, "error"))
        return
    yield Press(state.open_move, {}, state, "days")
    days = tab.value(state, "days")[3:]
    slots = [each["id"] for day in days for each in day["slots"] if each["is_open"]]
    slot = chance.choice(slots)
    yield Press(state.choose_slot, {"slot": slot}, state, "slot", slot)
    yield Press(state.move, {}, state, "notice", _says("Moved to"), MOVE, (state, "error"))


def _says(words: str) -> Callable[[Any], bool]:
    """Return what knows a notice, or a list of toasts, that says so: an empty page does not."""

    def knows(shown: Any) -> bool:
        texts = [shown] if isinstance(shown, str) else [toast["text"] for toast in shown]
        return any(text.startswith(words) for text in texts)

    return knows


def look_around(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Look at the dashboard, the plan and the notifications."""
    for path in (routes.DASHBOARD, routes.BILLING, routes.NOTIFICATIONS):
        yield visit(path)
    payload = {"name": "newsletter"}
    yield Press(CustomerState.toggle_notification, payload, CustomerState, "notifications")


def work(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Look at the lists, search for a customer, and watch the board."""
    state = CustomerDashboardState
    yield visit(routes.CUSTOMER_DASHBOARD)
    yield Press(state.look_for, {"typed": chance.choice(NAMES)}, state, "loading", False)
    yield Press(state.sort_by, {"column": "name"}, state, "loading", False)
    yield visit(routes.SUBMISSIONS)
    yield visit(routes.SETTINGS_MESSAGES)
    yield from watch(tab, chance)


def watch(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Open the board of today."""
    yield visit(routes.DISPATCH)
    yield Press(BoardState.select, {"stop_id": _stop(tab, chance)}, BoardState, "selected")


def _stop(tab: Tab, chance: random.Random) -> str:
    columns = [each for each in tab.value(BoardState, "columns") if each["stops"]]
    return chance.choice(chance.choice(columns)["stops"])["id"]


def dispatch(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Move a stop of tomorrow between trucks; nobody else does."""
    if not tab.value(BoardState, "day"):
        yield visit(routes.DISPATCH)
    tomorrow = (clock.day_of(clock.now()) + timedelta(days=1)).isoformat()
    if tab.value(BoardState, "day") != tomorrow:
        yield Press(BoardState.show_day, {"day": tomorrow}, BoardState, "day", tomorrow)
    stop = _stop(tab, chance)
    yield Press(MovingState.pick, {"stop_id": stop}, MovingState, "held", stop)
    gap = chance.choice(list(tab.value(MovingState, "gaps")))
    yield Press(MovingState.put, {"gap": gap}, MovingState, "held", "")


def track(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Open the page once more that follows a technician."""
    yield visit(tab.path)


def drive(phone: Phone, chance: random.Random) -> Iterator[Call]:
    """Read the day, say where the truck is, and fill the next car."""
    yield Call("GET", routes.TECHNICIAN_DAY)
    route = phone.day.get("stops", ())
    stop = next((each for each in route if each["state"] == WAITING), None)
    for kind, data in (
        ("drive", {}),
        ("arrive", {}),
        ("fuel", {"checked": [each.id for each in SAFETY_CHECKS]}),
        (FILL, {"meter_start": "100.000", "meter_end": "109.000", "ticket": "T-1"}),
    ):
        yield Call("POST", routes.TECHNICIAN_POSITION, {"lat": 27.3, "lng": -82.5})
        if stop:
            yield Call(
                "POST", routes.TECHNICIAN_ACTIONS, _queue(phone, stop["id"], kind, data), kind
            )


def _queue(phone: Phone, stop: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    at = round(clock.now().timestamp() * 1000)
    action = {"id": str(uuid.uuid4()), "stop": stop, "kind": kind, "data": data, "at": at}
    return {"person": phone.person, "actions": [action]}


def read(tab: Tab, chance: random.Random) -> Iterator[Press]:
    """Read what is on offer, up to the door of an account."""
    for path in (routes.HOME, routes.PLANS, routes.ONBOARDING):
        yield visit(path)


def open_pages(*paths: str) -> Journey:
    """Return the journey that opens one of these pages, now and then in a new tab."""

    def journey(tab: Tab, chance: random.Random) -> Iterator[Press]:
        yield visit(chance.choice(paths), in_new_tab=chance.random() < NEW_TABS)

    return journey


_WEIGHTS: dict[str, dict[Any, int]] = {
    NEWCOMER: {read: 2, ask_for_quote: 1},
    CUSTOMER: {book: 2, change_mind: 2, look_around: 3},
    TRACKER: {track: 1},
    STAFF: {work: 1},
    DISPATCHER: {dispatch: 1},
    TECHNICIAN: {drive: 1},
    READER: {open_pages(*VISITORS_PAGES): 1},
    MEMBER: {open_pages(*CUSTOMERS_PAGES): 1},
    CLERK: {open_pages(*STAFF_PAGES): 1},
}


def of(kind: str, chance: random.Random) -> Iterator[Journey]:
    """Yield the journeys of one tab, endlessly."""
    weights = _WEIGHTS[kind]
    if kind == NEWCOMER and chance.random() < JOINING:
        yield join  # from where the company is not open
    while True:
        yield chance.choices([*weights], [*weights.values()])[0]
