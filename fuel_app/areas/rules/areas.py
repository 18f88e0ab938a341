"""Service areas: their form, the steps of their status, the checklist of their opening."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.contact import is_zip_code
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.legal import TERMS_VERSION

AREA_NAME_MAX = 60
REASON_MAX = 100  # of a closure
ZIPS_MAX = 500  # of one area
WAITLIST, OPEN, PAUSED = AREA_STATUSES = ("waitlist", "open", "paused")

NAME_TAKEN = "There is an area with this name already"


class AreaGone(Refusal):
    message = "This area is not there any more."


class AreaChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Somebody else has changed this area meanwhile. You now see the newer state."


class NeedsNamedAdmin(Refusal):
    """The shared password cannot open an area."""

    message = "Only an admin with an account can open an area. Create the first admin under People."


class NotReady(Refusal):
    """Points of the checklist are missing, and the site is not on localhost."""

    def __init__(self, missing: Iterable[str]) -> None:
        super().__init__(f"This area cannot open yet. Missing: {', '.join(missing)}.")


class HasCustomers(Refusal):
    message = "Customers have signed up, so this area cannot be closed any more. Pause it instead."


class HasOpened(Refusal):
    message = "An area that has been open cannot be deleted."


def clean_zips(value: object) -> tuple[str, ...]:
    """Return the ZIPs of a text, each once, in order; they are separated by spaces or commas."""
    typed = re.split(r"[ ,;]+", contact.text(value)) if isinstance(value, str) else []
    zips = sorted({part for part in typed if part})
    if not zips:
        raise ValueError("Enter at least one ZIP code")
    if wrong := next((part for part in zips if not is_zip_code(part)), None):
        raise ValueError(f"'{wrong[:20]}' is not a ZIP code: it must be 5 digits")
    if len(zips) > ZIPS_MAX:
        raise ValueError(f"An area has at most {ZIPS_MAX} ZIP codes")
    return tuple(zips)


class AreaForm(Form):
    """An area as staff type it."""

    name: Annotated[str, line("Area name", AREA_NAME_MAX)]
    zips: Annotated[tuple[str, ...], PlainValidator(clean_zips)]


@dataclass(frozen=True, slots=True)
class AreaRow:
    """An area with its ZIPs."""

    id: str
    name: str
    status: str
    zips: tuple[str, ...]
    opened_at: datetime | None


class StatusChange(NamedTuple):
    """A change of an area's status."""

    before: tuple[str, ...]
    after: str


STATUS_CHANGES = {
    "open": StatusChange((WAITLIST,), OPEN),
    "pause": StatusChange((OPEN,), PAUSED),
    "resume": StatusChange((PAUSED,), OPEN),
    "close": StatusChange((OPEN, PAUSED), WAITLIST),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the checklist of an opening."""

    label: str
    done: bool
    note: str


_LATER = "Comes with a later release"


def checklist(*, placeholders: Collection[str], has_mail: bool) -> list[Point]:
    """Return what an opening needs.

    Args:
        placeholders: The settings that are still at their defaults.
        has_mail: Whether mail can be sent.
    """
    return [
        Point("A price for each offered grade", done=False, note=_LATER),
        Point("Delivery windows", done=False, note=_LATER),
        Point("Capacity", done=False, note=_LATER),
        _set("Support phone", "FUEL_SUPPORT_PHONE", done="FUEL_SUPPORT_PHONE" not in placeholders),
        _set("Support email", "FUEL_SUPPORT_EMAIL", done="FUEL_SUPPORT_EMAIL" not in placeholders),
        Point("Mail", has_mail, "Set" if has_mail else "No mail server is set (FUEL_SMTP_URL)"),
        Point("Payments", done=False, note=_LATER),
        Point("Terms", done=True, note=f"Version {TERMS_VERSION}"),
    ]


def _set(label: str, variable: str, *, done: bool) -> Point:
    return Point(label, done, "Set" if done else f"Set {variable}")
