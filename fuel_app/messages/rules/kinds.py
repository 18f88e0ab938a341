"""The kinds of messages: category, channels, who may turn them off, what stays secret.

Also the nine switches of a person, and the hours: quiet ones, and the limit for a day.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Self

from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.errors import Refusal
from fuel_app.kit.outbox import MAIL, PUSH, SMS

BLANK = "······"  # instead of a code or a link's token, wherever a message is stored or shown
TEXT_KEPT = timedelta(days=30)  # the text of a message
MANAGED = "manage"  # the purpose of the token of a guest's booking, derived from its id
TRACKED = "track"  # the purpose of the token that shows a fill on its way, of its booking's id
INVITED_TO_COMPANY = "company"  # the purpose of an invitation's token, derived from its id
REPEATED = "repeat"  # the purpose of the token that skips or pauses, of a booking's id
PROPOSED = "due-seat"  # the purpose of the token that answers a proposal, of its id
OFFERED = "proposal"  # the purpose of a contact's token of a proposal, of the contact's id
INVITED = "waitlist"  # the purpose of an invitation's token, derived from the submission's id


class Category(StrEnum):
    """The reason for which a message is sent."""

    SECURITY = "security"
    SERVICE = "service"
    REMINDER = "reminder"
    MARKETING = "marketing"
    WORK = "work"  # to those who work here, whatever they have chosen as customers


@dataclass(frozen=True, slots=True)
class Kind:
    """The rules of one kind of message.

    Args:
        switch: The one of the nine that decides, besides that of the channel.
        always: Mailed whatever the switches say: security, money, safety.
        secrets: Values of its text that are codes or open links.
        waits: It keeps the quiet hours; all others go at once.
        per_day: The most that one recipient gets in 24 hours.
    """

    category: Category
    channels: tuple[str, ...] = (MAIL,)
    switch: str = ""
    always: bool = False
    secrets: tuple[str, ...] = ()
    waits: bool = False
    per_day: int | None = None

    @property
    def is_security(self) -> bool:
        return self.category is Category.SECURITY


_ALL = (MAIL, SMS, PUSH)
_GUEST = ("token",)  # of a guest's booking; a customer's message has none
MARKETING_PER_DAY = 3


def _security(*secrets: str, channels: tuple[str, ...] = (MAIL,)) -> Kind:
    return Kind(Category.SECURITY, channels, always=True, secrets=secrets)


def _service(**more: bool | str | tuple[str, ...]) -> Kind:
    return Kind(Category.SERVICE, _ALL, **more)  # type: ignore[arg-type]


def _reminder(switch: str) -> Kind:
    return Kind(Category.REMINDER, _ALL, switch, secrets=_GUEST, waits=True)


def _marketing(**more: str | tuple[str, ...]) -> Kind:
    return Kind(Category.MARKETING, waits=True, per_day=MARKETING_PER_DAY, **more)  # type: ignore[arg-type]


KINDS: Mapping[str, Kind] = {
    "verify": _security("code"),
    "password_reset": _security("token"),
    "password_changed": _security(),
    "email_code": _security("code"),
    "callers_code": _security("code"),
    "email_changed": _security("token"),
    "new_sign_in": _security(),
    "failed_sign_ins": _security(),
    "security_changed": _security(),
    "invitation": _security("token"),
    "company_invitation": _security("token"),
    "sms_code": _security("code", channels=(SMS,)),
    "phone_code": _security("code", channels=(SMS,)),
    "proposal_code": _security("code"),
    "account_deleted": _security(),
    "booking_confirmed": _service(always=True, secrets=(*_GUEST, "skip")),
    "booking_moved": _service(always=True, secrets=_GUEST),
    "booking_cancelled": _service(always=True, secrets=_GUEST),
    "place_open": _service(),
    "booking_link": Kind(Category.SERVICE, always=True, secrets=_GUEST),
    "fee_asked": _service(always=True),
    "hold_declined": _service(always=True, secrets=_GUEST),
    "on_the_way": _service(secrets=("tracking",)),
    "arrival_moved": _service(secrets=("tracking",)),
    "arrived": _service(secrets=_GUEST),
    # Its mail is the receipt.
    "completed": _service(switch="completion", always=True, secrets=_GUEST),
    "fill_failed": _service(always=True, secrets=_GUEST),
    "weather_hold": _service(always=True, secrets=_GUEST),
    "cannot_come": _service(always=True, secrets=_GUEST),
    "window_closed": _service(always=True, secrets=_GUEST),
    "on_again": _service(always=True, secrets=_GUEST),
    "payment_failed": _service(always=True, waits=True, secrets=_GUEST),
    "renewal_coming": _service(always=True, waits=True),
    "plan_changed": _service(always=True),
    "repeat_missed": _service(always=True),
    "repeat_ended": _service(always=True),
    "due_seat": _service(always=True, secrets=("answer",)),
    "due_seat_returned": _service(always=True),
    "receipt": Kind(Category.SERVICE, always=True),
    "refunded": Kind(Category.SERVICE, always=True, waits=True, secrets=_GUEST),
    "tier_reached": Kind(Category.SERVICE, waits=True),
    "tier_lost": Kind(Category.SERVICE, always=True, waits=True),  # the price rises
    "waitlist_welcome": Kind(Category.SERVICE, per_day=3),
    "day_before": _reminder("day_before"),
    "hour_before": _reminder("hour_before"),
    "fill_reminder": Kind(Category.REMINDER, _ALL, "fill_reminder", waits=True),
    "proposal_sent": Kind(Category.SERVICE, always=True, secrets=("token",)),
    "proposal_accepted": Kind(Category.SERVICE, always=True),  # to both sides
    "proposal_declined": Kind(Category.WORK, always=True),
    "route_changed": Kind(Category.WORK, (PUSH,)),
    "new_quote": Kind(Category.WORK, always=True, waits=True),  # to each admin
    "area_open_test": Kind(Category.SERVICE, always=True),  # to the admin who asks for it
    "announcement_test": Kind(Category.SERVICE, always=True),  # the same
    "area_open": _marketing(secrets=("token",)),
    "newsletter": _marketing(switch="newsletter"),
    "offer": _marketing(channels=(MAIL, SMS), switch="marketing"),
}

MARKETING = tuple(name for name, kind in KINDS.items() if kind.category is Category.MARKETING)
SECURITY = tuple(name for name, kind in KINDS.items() if kind.is_security)


def kind_of(name: str) -> Kind:
    """Return a kind's rules.

    Raises:
        UnknownKind: If the code that queued it misspelled the kind.
    """
    if name not in KINDS:
        raise UnknownKind(name)
    return KINDS[name]


_TITLES = {
    "announcement_test": "Announcement, test",
    "area_open_test": "Area open, test",
    "booking_link": "Link to a guest's booking",
    "callers_code": "Code for a caller's new e-mail",
    "cannot_come": "Truck broke down",
    "due_seat": "Seat held for a due car",
    "due_seat_returned": "Seat of a due car given back",
    "fee_asked": "Plan does not cover it",
    "fill_reminder": "Fill-up reminder",
    "new_quote": "Quote asked for",
    "new_sign_in": "Sign-in on a new device",
    "offer": "Special offer",
    "on_again": "Weather hold over",
    "place_open": "Place in a full window",
    "refunded": "Refund or waiver",
    "repeat_missed": "Visit of a repeat not booked",
    "sms_code": "SMS code",
    "window_closed": "Another time asked for",
}


def title(name: str) -> str:
    """Return a kind as the staff's screen calls it: 'Booking confirmed'."""
    return _TITLES.get(name) or name.replace("_", " ").capitalize()


class UnknownKind(Exception):  # noqa: N818 (a bug, not a refusal)
    """No message of this kind exists."""


class MessageGone(Refusal):
    message = "There is no such message (any more)."


class SentAgain(Refusal):
    message = "This message has been sent again already."


class NotTrueAnyMore(Refusal):
    message = "What it says has changed meanwhile: it was not sent for that."


class NoOwnAddress(Refusal):
    message = "A test goes to your own e-mail: sign in with your account first."


class BadLink(Refusal):
    message = "This link is incomplete. Please open it from the e-mail again."


@dataclass(frozen=True, slots=True)
class NotificationSettings:
    """A customer's chosen messages and channels; the defaults hold until they change one."""

    fill_reminder: bool = True
    day_before: bool = True
    hour_before: bool = True
    completion: bool = True
    marketing: bool = False
    newsletter: bool = False
    sms: bool = False  # waits for a consent
    email: bool = True
    push: bool = False

    def toggled(self, name: object) -> Self:
        """Return a copy with one setting toggled; ignore an unknown name."""
        if isinstance(name, str) and name in {field.name for field in fields(self)}:
            return replace(self, **{name: not getattr(self, name)})
        return self


# Each group as the screen shows it: field, label, what it means.
GROUPS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "Service Notifications": (
        ("fill_reminder", "Fill-up Reminders", "When it is time to book your next fill-up"),
        ("day_before", "Day Before Service", "The day before a technician comes"),
        ("hour_before", "Hour Before Service", "An hour before a technician comes"),
        ("completion", "Service Completion", "As soon as your tank is full"),
    ),
    "Marketing Preferences": (
        ("marketing", "Special Offers", "Discounts on plans and fills, by email"),
        ("newsletter", "Newsletter", "News from us, by email"),
    ),
    "Notification Channels": (
        ("sms", "SMS", "Text messages to your phone"),
        ("email", "Email", "Messages to your e-mail address"),
        ("push", "Push", "Notifications on your devices"),
    ),
}


MORNING, EVENING = time(8), time(20)
_BEFORE_EVENING = time(19, 30)  # a reminder that falls into the quiet hours after it
DAY = timedelta(hours=24)


def is_quiet(moment: datetime) -> bool:
    """Return whether a moment is from 20:00 to 08:00 in New York."""
    local = moment.astimezone(NEW_YORK).time()
    return local >= EVENING or local < MORNING


def send_at(kind: str, wanted: datetime, now: datetime) -> datetime:
    """Return when to send a message that is wanted at a moment; never before now.

    A reminder that falls into the quiet hours goes at 19:30 before them, if that is still to come.
    """
    at = max(wanted, now)
    rules = kind_of(kind)
    if not rules.waits or not is_quiet(at):
        return at
    evening = _at(at, _BEFORE_EVENING)
    if evening > at:
        evening = _at(at, _BEFORE_EVENING, days=-1)
    if rules.category is Category.REMINDER and (evening >= now or not is_quiet(now)):
        return max(evening, now)
    morning = _at(at, MORNING)
    return morning if morning > at else _at(at, MORNING, days=1)


def _at(moment: datetime, clock_time: time, *, days: int = 0) -> datetime:
    """Return a time of day in New York on the moment's day, or some days later."""
    day = moment.astimezone(NEW_YORK).date() + timedelta(days=days)
    return datetime.combine(day, clock_time, NEW_YORK).astimezone(UTC)
