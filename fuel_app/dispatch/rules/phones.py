"""Actions of a technician's phone, the steps of a stop, the safety check, and the app's words.

Everything on the safety check is ticked before fueling. The phone's script has no words of its own;
a name in braces is filled in there.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, TypeGuard

from pydantic import PlainValidator

from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADES
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.fills import GALLONS, TICKET
from fuel_app.bookings.rules.states import (
    ARRIVED,
    BOOKED,
    CANCELLED,
    COMPLETED,
    DISPATCHED,
    EN_ROUTE,
    FAILED,
    FUELING,
    WEATHER_HOLD,
)
from fuel_app.dispatch.rules.day import RouteStop
from fuel_app.dispatch.rules.trucks import LoadedForm
from fuel_app.kit.clock import morning
from fuel_app.kit.contact import text as clean_text
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form
from fuel_app.kit.ids import well_formed_id


@dataclass(frozen=True, slots=True)
class SafetyCheck:
    """One thing to look at; `label` is what technicians read."""

    id: str
    label: str


SAFETY_CHECKS = (
    SafetyCheck("engine_off", "The engine is off"),
    SafetyCheck("no_ignition", "No cigarette, flame or other ignition source is near"),
    SafetyCheck("no_roof", "The car is not under a roof"),
    SafetyCheck("no_drain", "No drain within 25 ft is uncovered"),
    SafetyCheck("extinguisher", "The extinguisher is out"),
    SafetyCheck("plate", "The license plate matches"),
)


class Unsafe(Refusal):
    """The safety check is not complete; names what is missing."""

    def __init__(self, missing: Collection[SafetyCheck]) -> None:
        named = "; ".join(each.label for each in missing)
        super().__init__(f"The safety check is not complete: {named}.")


def check_safety(checked: Collection[str]) -> None:
    """Refuse fueling unless everything is ticked. Raises Unsafe."""
    if missing := [each for each in SAFETY_CHECKS if each.id not in checked]:
        raise Unsafe(missing)


DRIVE, ARRIVE, FUEL, COMPLETE, CORRECT, FAIL, BACK, PHOTO, REMOVE_PHOTO = ACTION_KINDS = (
    "drive",
    "arrive",
    "fuel",
    "complete",
    "correct",
    "fail",
    "back",
    "photo",
    "remove_photo",
)
ACTIONS_MOST = 50  # of one request
PHOTOS_MOST = 10  # of one stop, by one technician
ACTION_AGE_MAX = timedelta(days=7)  # so late an action keeps its own time
REFUSED_MAX = 300
_TEXT_MAX = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS_MOST = 10**14  # a phone's clock may say anything
LOADED = {grade: f"loaded_{grade}" for grade in GRADES}  # the fields of a refill
_TYPED = ("meter_start", "meter_end", "ticket", "reason", "note", *LOADED.values())

OLD_APP = "This app does not know how to say that. Please reload it."
NOT_YOURS = "This stop is not on your route any more."
ANOTHERS = "This stop is another technician's by now."
NOT_TODAY = "This route is of a later day."
NO_CAR = "This car is not on the visit any more."
NOT_DONE = "This stop is not done yet."
NOT_RELEASED = "The office has not released this stop yet. Please call."
PHOTOS_STAY = "This stop has ended: its photos stay."
PHOTOS_ASKED = "The office is asked about what you pumped here: its photos stay."
NO_MORE_PHOTOS = f"A stop has room for {PHOTOS_MOST} photos."
RECORDED = "This fill was recorded before, with other figures. The office has yours."
TOO_MUCH = "This is more than the tank holds."
DECIDED = "The office has recorded this fill. It has your figures."
OFFICE_HAS_IT = "The office has your gallons and will call."
_QUESTIONS = {
    GALLONS: f"{TOO_MUCH} The office checks the gallons before they are paid.",
    TICKET: "This ticket number was used before. The office looks at it.",
}


def asked_text(kinds: Iterable[str]) -> str:
    """Return what a technician reads of a fill that counts, but leaves questions."""
    return " ".join(_QUESTIONS[kind] for kind in kinds)


WAITING, GONE = "waiting", "gone"  # states of a stop beside those of bookings
STATE_TEXTS = {
    WAITING: "To do",
    EN_ROUTE: "On the way",
    ARRIVED: "There",
    FUELING: "Fueling",
    COMPLETED: "Done",
    FAILED: "Could not be filled",
    GONE: "Not to be filled",
}
# What sets which column of a stop; `BACK` empties the last one.
COLUMNS = {DRIVE: "driving_at", ARRIVE: "arrived_at", FUEL: "fueling_at"}
_OUT_OF_ORDER = {
    DRIVE: "This stop has begun already.",
    ARRIVE: "Press 'Start driving' first.",
    FUEL: "Press 'I'm here' first.",
    FAIL: "Press 'Start driving' first.",
    BACK: "There is nothing to undo.",
}


class OutOfOrder(Refusal):
    """A step before the one that it follows, or once more."""

    def __init__(self, kind: str) -> None:
        super().__init__(_OUT_OF_ORDER[kind])


def _id(value: object) -> str:
    return well_formed_id(value) or ""


def _kind(value: object) -> str:
    return value if isinstance(value, str) and value in ACTION_KINDS else ""


def _milliseconds(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _data(value: object) -> dict[str, Any]:
    """Return what we know of an action's data; a text of any kind fits its column."""
    sent = value if isinstance(value, Mapping) else {}
    known: dict[str, Any] = {
        name: clean_text(sent[name])[:_TEXT_MAX]
        for name in _TYPED
        if isinstance(sent.get(name), str)
    }
    if isinstance(ticked := sent.get("checked"), list):
        known["checked"] = [each.id for each in SAFETY_CHECKS if each.id in ticked]
    for name in ("photo", "fill"):
        if known_id := well_formed_id(sent.get(name)):
            known[name] = known_id
    if sent.get("confirmed") is True:
        known["confirmed"] = True
    return known


class Action(Form):
    """One action as a phone sends it: empty where it sends anything else."""

    id: Annotated[str, PlainValidator(_id)]
    stop: Annotated[str, PlainValidator(_id)]
    kind: Annotated[str, PlainValidator(_kind)]
    data: Annotated[dict[str, Any], PlainValidator(_data)]
    at: Annotated[int | None, PlainValidator(_milliseconds)]

    def happened(self, received: datetime) -> datetime:
        """Return when it was: not after `received`, nor more than `ACTION_AGE_MAX` before."""
        if self.at is None:
            return received
        sent = _EPOCH + timedelta(milliseconds=max(0, min(self.at, _MS_MOST)))
        return min(received, max(received - ACTION_AGE_MAX, sent))


def correct_time(at: datetime, received: datetime, day: date, former: datetime | None) -> datetime:
    """Return when an action was that a phone says was `at`.

    A time before its day is that of a wrong clock: then it was when it was heard. No step is before
    the one that it follows.
    """
    known = at if at >= morning(day) else received
    return max(known, former) if former else known


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """An action that was stored, and what is said of it: why it changed nothing, or a note."""

    id: str
    said: str = ""


def state_of(stop: RouteStop) -> str:
    """Return the state of a stop as its technician sees it."""
    booking = stop.booking
    if booking is None:
        if stop.ended_at:
            return COMPLETED
        return ARRIVED if stop.arrived_at else EN_ROUTE if stop.driving_at else WAITING
    if booking.state in (COMPLETED, FAILED):
        return booking.state
    if why_not_filled(booking, stop.slot_id):
        return GONE
    return WAITING if booking.state in (BOOKED, DISPATCHED) else booking.state


def place_of(stops: Iterable[RouteStop], stop: RouteStop) -> int:
    """Return the number of a stop among those to be filled or done; 0 for one that is gone."""
    served = [each.id for each in stops if state_of(each) != GONE]
    return served.index(stop.id) + 1 if stop.id in served else 0


def why_not_filled(booking: Booking, slot_id: str) -> str:
    """Return why a booking is not to be filled at its stop (any more); '' if it is.

    Args:
        slot_id: For which the stop was planned.
    """
    if booking.state == CANCELLED:
        return "This stop was cancelled."
    if booking.state == COMPLETED:
        return "This stop is done already."
    if booking.state == FAILED:
        return "This stop has ended already."
    if booking.state == WEATHER_HOLD:
        return "This stop is on hold."
    return "" if booking.slot_id == slot_id else "This stop was moved to another time."


def why_not_owed(booking: Booking, slot_id: str) -> str:
    """Return why a technician is not to fill a booking now: as above, or not released yet."""
    return why_not_filled(booking, slot_id) or (NOT_RELEASED if booking.state == BOOKED else "")


def check_refill(stop: RouteStop, kind: str) -> None:
    """Refuse a step of a refill that its technician cannot take now. Raises Refusal."""
    if kind not in (DRIVE, ARRIVE, COMPLETE, CORRECT, BACK):
        raise Refusal(OLD_APP)
    if kind == CORRECT:
        if not stop.ended_at:
            raise Refusal(NOT_DONE)
        return
    if stop.ended_at:
        raise Refusal("This refill is done already.")
    started, arrived = stop.driving_at is not None, stop.arrived_at is not None
    allowed = {DRIVE: not started, ARRIVE: started and not arrived, BACK: started or arrived}
    if not allowed.get(kind, True):
        raise OutOfOrder(kind)


def loaded_of(data: Mapping[str, Any], tanks: Mapping[str, int]) -> dict[str, int] | None:
    """Return what a refill has loaded, as it was typed: thousandths of a gallon by grade.

    Return None if nothing was typed, as by an app that did not ask yet. Raises Refusal.

    Args:
        tanks: What the truck's hold, by grade.
    """
    typed = {grade: data.get(field, "") for grade, field in LOADED.items()}
    if not any(typed.values()):
        return None
    try:
        form = LoadedForm.parse(typed)
        return form.of_tanks(tanks)
    except InvalidForm as error:
        raise Refusal(". ".join(filter(None, error.messages.values()))) from None


class NoPosition(Refusal):
    message = "This is no position."
    http_status = 400


def position_of(sent: object) -> Point:
    """Return the position that a phone sent. Raises NoPosition."""
    lat, lng = ((sent.get(name) if isinstance(sent, Mapping) else None) for name in ("lat", "lng"))
    if not _is_between(lat, 90) or not _is_between(lng, 180):
        raise NoPosition
    return Point(float(lat), float(lng))


def _is_between(value: object, most: int) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -most <= value <= most


class PhotoGone(Refusal):
    message = "There is no such photo (any more)."
    http_status = 404


WORDS: Mapping[str, str] = {
    "page_title": "My stops",
    # The line between phone and server.
    "loading": "Looking for your route ...",
    "checking": "Checking for changes ...",
    "no_day": "No stops are on this phone yet. Open this page once with a connection.",
    "signed_out": "Sign in as a technician to see your stops.",
    "no_technician": "You are signed in, but not as a technician. To change that, sign out first.",
    "dashboard": "Go to your dashboard",
    "dashboard_with_unsent": "Signed in, but not as a technician · {n} saved on this phone",
    "all_sent": "All sent",
    "all_sent_offline": "All sent · No connection",
    "to_send": "Saved on this phone · {n} to send",
    "sign_in": "Sign in",
    "sign_in_with_unsent": "Sign in to send · {n} saved on this phone",
    "others": "Actions of another person on this phone, sent when they sign in: {n}",
    "as_of": "These stops are as of {time}. Open this page with a connection to renew them.",
    "insecure": "Open this page over https.",
    "no_room": "This phone has no room to save that. Free some space, then press again.",
    "no_picture": "This picture cannot be read. Take another one.",
    "photo_refused": "A photo could not be stored. Take it again if you can.",
    "ok": "OK",
    # What the office has changed.
    "change_published": "Your route is here.",
    "change_new": "New on your route: {customer}",
    "change_off": "Not on your route any more: {customer}",
    "change_gone": "{customer}: {gone}",
    "change_place": "{customer}: the time, the place or the notes have changed.",
    "change_order": "The order of your stops has changed.",
    # A stop.
    "place_of": "Stop {place} of {count}",
    "cars": "Cars of this stop",
    "cars_done": "{n} of {count} cars",
    "plate_seen": "The license plate of this car matches",
    "plate_needed": "Compare the plate first",
    "all_stops": "All stops",
    "unsent": "not sent yet",
    "call": "Call",
    "text": "Text",
    "navigate": "Navigate",
    "car_photo": "The customer's photo of the car",
    "plate": "Plate",
    "window": "Window",
    "expected": "Expected",
    "address": "Address",
    "spot": "Where it stands",
    "gate_code": "Gate code",
    "notes": "Notes",
    "fuel_door": "Fuel door",
    "pumped": "Pumped",
    "loaded": "Loaded",
    "to_next": "Next: {customer}",
    "to_end": "To the end of the day",
    # The end of the day.
    "all_done": "That was the last stop of this route.",
    "end_loaded": "{grade} loaded",
    "end_sent": "Sent to the office",
    "end_all_sent": "Everything",
    "end_unsent": "Not sent yet: {n}. Keep this page open until all is sent.",
    "next_shift": "Next shift",
    "no_shift": "None is planned yet",
    "drive_home": "Navigate to the truck's home",
    **{f"state_{state}": text for state, text in STATE_TEXTS.items()},
    # Steps.
    "go_drive": "Start driving",
    "go_arrive": "I'm here",
    "go_fuel": "Start fueling",
    "go_complete": "Done",
    "go_refill": "Refilled",
    "go_fail": "Can't fuel this stop",
    "go_fail_car": "Can't fuel this car",
    "go_correct": "Save the correction",
    "go_reload": "Save the correction",
    "go_confirmed": "Yes, {gallons} gallons",
    "back": "Undo last step",
    "undo": "Undo",
    "next_step": "Next step",
    "held_fail": "{customer}: can't fuel. It counts, and the customer is told, in {s} s.",
    "fail": "Can't fuel",
    "correct": "Correct the figures",
    "pumped_anyway": "Fuel was pumped here",
    "cancel": "Not now",
    "safety": "Safety check",
    "check_all": "Check each point first.",
    "figures": "What was pumped",
    "meter_start": "Meter at the start",
    "meter_end": "Meter at the end",
    "ticket": "Ticket number",
    "gallons": "{gallons} gallons",
    "meter_needed": "Enter the reading, such as 1204.3",
    "meter_backwards": "This is less than at the start",
    "ticket_needed": "Enter the number on the ticket",
    "refilled": "Gallons loaded",
    "loaded_needed": "Enter the gallons, such as 120.5; 0 for none",
    "loaded_over": "This tank holds {gallons} gallons",
    "ticket_used": "{ticket} is the ticket of {customer}. Enter the number on this one",
    "ticket_next": "Use {ticket}",
    "diesel_question": "Diesel? Only diesel goes into this one."
    " Look at the nozzle and the fuel door.",
    "yes_diesel": "Yes, diesel",
    "tank_over": "More than this tank holds ({gallons} gallons at most)",
    "tank_question": "The tank holds {gallons} gallons at most. Is this what was pumped?",
    "reason": "Reason",
    "choose": "Choose a reason",
    "fail_hint": "On the way: reasons without a fee. The others can be chosen at the car.",
    "fail_fee": "Late fee of {fee}: the customer is charged and told, 20 seconds after you press.",
    "fail_free": "No fee. The customer is told, 20 seconds after you press.",
    "reason_needed": "Choose a reason",
    "note": "Note",
    "note_needed": "Say what is the matter",
    "take_photo": "Take a photo",
    "saving": "Saving ...",
    "retake": "Retake",
    "remove": "Remove",
    "photo_n": "photo {n}",
    "photos_taken": "Photos taken: {n}",
    "photo_needed": "Take a photo first",
    # The end of the page.
    "share": "Share my position on this route",
    "share_hint": "Customers see where the truck is. Sent while this page is open.",
    "share_refused": "This phone does not share it. Allow it in the browser's settings.",
    "sign_out": "Sign out",
    "sign_out_unsent": "Not sent yet: {n}. It stays on this phone and is sent when you sign in"
    " here again.",
    "stay": "Stay signed in",
    "sign_out_anyway": "Sign out anyway",
    "sign_out_again": "Try again",
    "sign_out_offline": "You can sign out as soon as there is a connection.",
}
