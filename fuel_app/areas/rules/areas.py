"""Service areas: their form, the steps of their status, the checklist of their opening."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

from pydantic import PlainValidator

from fuel_app.areas.rules.grades import GRADE_LABELS, GRADES
from fuel_app.areas.rules.hours import Hours
from fuel_app.kit import contact
from fuel_app.kit.contact import is_zip_code
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.legal import TERMS_VERSION

AREA_NAME_MAX = 60
ZIPS_MAX = 500  # of one area
TAX_MAX = 2000  # basis points
_PERCENT = re.compile(r"([0-9]{1,2})(?:\.([0-9]{1,2}))?\s*%?")
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


def taken_zips(zips_by_area: Mapping[str, Sequence[str]]) -> str:
    """Return the message that names the ZIPs of other areas."""
    return "; ".join(
        f"{', '.join(zips)} {'belongs' if len(zips) == 1 else 'belong'} to {name}"
        for name, zips in zips_by_area.items()
    )


def clean_grades(value: object) -> tuple[str, ...]:
    """Return the ticked grades; anything else is left out."""
    ticked = value if isinstance(value, list | tuple) else [value]
    if chosen := tuple(grade for grade in GRADES if grade in ticked):
        return chosen
    raise ValueError("Offer at least one grade")


def clean_percent(value: object) -> int:
    """Return the basis points of a percentage as people type it, such as '7.5' or '7 %'."""
    typed = value.strip() if isinstance(value, str) and len(value) < 50 else ""
    found = _PERCENT.fullmatch(typed)
    points = 100 * int(found[1]) + int((found[2] or "").ljust(2, "0")) if found else None
    if points is None or points > TAX_MAX:
        raise ValueError(f"Enter a percentage from 0 to {TAX_MAX // 100}, such as 7.5")
    return points


def percent(basis_points: int) -> str:
    """Return a percentage as it stands in its field, such as '7.5'."""
    whole, rest = divmod(basis_points, 100)
    return f"{whole}.{rest:02}".rstrip("0") if rest else str(whole)


class AreaForm(Form):
    """An area as staff type it."""

    name: Annotated[str, line("Area name", AREA_NAME_MAX)]
    zips: Annotated[tuple[str, ...], PlainValidator(clean_zips)]
    grades: Annotated[tuple[str, ...], PlainValidator(clean_grades)]
    tax: Annotated[int, PlainValidator(clean_percent)]  # basis points
    streets: Annotated[bool, PlainValidator(lambda ticked: ticked == "yes")]


@dataclass(frozen=True, slots=True)
class AreaRow:
    """An area with its ZIPs."""

    id: str
    name: str
    status: str
    zips: tuple[str, ...]
    opened_at: datetime | None
    grades: tuple[str, ...]
    tax: int  # basis points
    streets: bool  # whether a fill may be on a street


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


def checklist(
    *,
    placeholders: Collection[str],
    has_mail: bool,
    has_payments: bool,
    hours: Hours,
    unpriced: Iterable[str],
) -> list[Point]:
    """Return what an opening needs.

    Args:
        placeholders: The settings that are still at their defaults.
        has_mail: Whether mail can be sent.
        has_payments: Whether payments move money.
        hours: Of the area.
        unpriced: Its grades that cannot be sold.
    """
    windows = [window for day in hours.windows_by_weekday for window in day]
    places = sum(window.capacity for window in windows)
    missing = ", ".join(GRADE_LABELS[grade] for grade in unpriced)
    return [
        Point(
            "A price for each offered grade",
            done=not missing,
            note=f"No current price: {missing}" if missing else "Set",
        ),
        _counted("Delivery windows", len(windows), "windows a week"),
        _counted("Capacity", places, "fills a week"),
        _set("Support phone", "FUEL_SUPPORT_PHONE", done="FUEL_SUPPORT_PHONE" not in placeholders),
        _set("Support email", "FUEL_SUPPORT_EMAIL", done="FUEL_SUPPORT_EMAIL" not in placeholders),
        _set("Address", "FUEL_COMPANY_ADDRESS", done="FUEL_COMPANY_ADDRESS" not in placeholders),
        Point("Mail", has_mail, "Set" if has_mail else "No mail server is set (FUEL_SMTP_URL)"),
        Point(
            "Payments",
            has_payments,
            "Set" if has_payments else "No live key is set (FUEL_STRIPE_SECRET_KEY)",
        ),
        Point("Terms", done=True, note=f"Version {TERMS_VERSION}"),
    ]


def _counted(label: str, count: int, unit: str) -> Point:
    return Point(label, bool(count), f"{count} {unit}" if count else "Add them under Hours")


def _set(label: str, variable: str, *, done: bool) -> Point:
    return Point(label, done, "Set" if done else f"Set {variable}")
