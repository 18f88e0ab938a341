"""Service areas: their form, the steps of their status, the checklist of their opening."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import PlainValidator

from fuel_app import routes
from fuel_app.areas.rules.hours import Hours
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
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

_NO_HOURS = "Add them under Hours"
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
    match = _PERCENT.fullmatch(typed)
    points = 100 * int(match[1]) + int((match[2] or "").ljust(2, "0")) if match else None
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


STATUS_CHANGES = {  # from which status, and to which one
    "open": ((WAITLIST,), OPEN),
    "pause": ((OPEN,), PAUSED),
    "resume": ((PAUSED,), OPEN),
    "close": ((OPEN, PAUSED), WAITLIST),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the checklist of an opening; `href` is where it is mended, if that is a page."""

    label: str
    done: bool
    note: str
    href: str = ""


def checklist(
    area_id: str,
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
        has_payments: Whether payments move money.
        unpriced: The area's grades that cannot be sold.
    """
    windows = [window for day in hours.windows_by_weekday for window in day]
    capacity = sum(window.capacity for window in windows)
    to_hours = routes.hours_of_area(area_id)
    no_price = ", ".join(GRADE_LABELS[grade] for grade in unpriced)

    def point(label: str, done: object, missing: str, note: str = "Set", href: str = "") -> Point:
        return Point(label, bool(done), note if done else missing, "" if done else href)

    def setting(label: str, variable: str) -> Point:
        return point(label, variable not in placeholders, f"Set {variable}")

    return [
        point(
            "A price for each offered grade",
            not no_price,
            f"No current price: {no_price}",
            href=routes.SETTINGS_PRICES,
        ),
        point("Delivery windows", windows, _NO_HOURS, f"{len(windows)} windows a week", to_hours),
        point("Capacity", capacity, _NO_HOURS, f"{capacity} fills a week", to_hours),
        setting("Support phone", "FUEL_SUPPORT_PHONE"),
        setting("Support email", "FUEL_SUPPORT_EMAIL"),
        setting("Address", "FUEL_COMPANY_ADDRESS"),
        point(
            "Mail",
            has_mail,
            "No mail server is set (FUEL_SMTP_URL)",
            href=routes.SETTINGS_MESSAGES,
        ),
        point(
            "Payments",
            has_payments,
            "No live key is set (FUEL_STRIPE_SECRET_KEY)",
            href=routes.SETTINGS_MONEY,
        ),
        Point("Terms", done=True, note=f"Version {TERMS_VERSION}"),
    ]
