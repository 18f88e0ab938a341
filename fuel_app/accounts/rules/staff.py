"""Staff accounts: the first admin, invitations, roles; and a person's audit log in words."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import PlainValidator

from fuel_app.accounts.rules import ROLES, STAFF_ROLES, Role
from fuel_app.accounts.rules.passwords import well_formed_password
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form, line

ROLE_NAMES: Mapping[Role, str] = {role: role.capitalize() for role in Role}


def filter_staff_roles(value: object) -> frozenset[Role]:
    """Return the roles of the staff among the ticked boxes; anything else is left out."""
    values = value if isinstance(value, list | tuple | set | frozenset) else [value]
    ticked = {each for each in values if isinstance(each, str)}
    return frozenset(role for role in STAFF_ROLES if role in ticked)


def require_staff_roles(value: object) -> frozenset[Role]:
    """Return the chosen roles of the staff. Raises ValueError."""
    if chosen := filter_staff_roles(value):
        return chosen
    raise ValueError("Choose at least one role")


class NewAccount(Form):
    """The form of an invited person: a name and a password."""

    first_name: Annotated[str, line("First name")]
    last_name: Annotated[str, line("Last name")]
    password: Annotated[str, PlainValidator(well_formed_password)]


class FirstAdmin(Form):
    """The form of the first admin."""

    first_name: Annotated[str, line("First name")]
    last_name: Annotated[str, line("Last name")]
    email: Email
    password: Annotated[str, PlainValidator(well_formed_password)]


class Invite(Form):
    """The form of an invitation."""

    email: Email
    roles: Annotated[frozenset[Role], PlainValidator(require_staff_roles)]


class AdminExists(Refusal):
    message = "An admin exists already. Sign in with your own account."


class EmailHasAccount(Refusal):
    message = "This email belongs to an account. Invite it later."


class IsDeactivated(Refusal):
    message = "This account is deactivated. Reactivate it first."


class HasRoles(Refusal):
    message = "This person has these roles already."


class LastAdmin(Refusal):
    message = "The last admin stays an admin: make somebody else an admin first."


class PersonGone(Refusal):
    message = "This account is no longer there."


class InvitationGone(Refusal):
    message = "This invitation is used, withdrawn or expired. Ask for a new one."


class OtherAccount(Refusal):
    """An invitation to an account that this browser is not signed in to."""

    message = "Sign in with the account that this invitation is for."


@dataclass(frozen=True)
class StaffMember:
    """A person with a role of the staff, as admins see them; an empty one means none."""

    id: str = ""
    name: str = ""
    email: str = ""
    held: list[str] = field(default_factory=list)  # the roles of the staff
    roles: str = ""  # in words
    has_factor: bool = False
    last_sign_in: str = ""
    is_active: bool = True


@dataclass(frozen=True)
class Invitation:
    """An open invitation, in words."""

    id: str
    email: str
    roles: str
    by: str  # a name
    until: str
    person_id: str  # who has this e-mail already


def role_names(roles: Iterable[Role]) -> str:
    """Return roles in words, such as 'Dispatcher, Admin'."""
    held = set(roles)
    return ", ".join(name for role, name in ROLE_NAMES.items() if role in held)


def stored_roles(roles: Collection[Role]) -> list[str]:
    """Return roles as the audit log and challenges keep them."""
    return sorted(role.value for role in roles)


def parse_roles(stored: Any) -> frozenset[Role]:
    return frozenset(Role(role) for role in stored)


_KINDS: Mapping[str, str] = {  # those whose name does not say it
    "sign_in_failed": "Sign-in failed",
    "factor_added": "Second factor added",
    "factor_removed": "Second factor removed",
    "recovery_codes": "New recovery codes",
    "created": "Account created",
    "personal_changed": "Personal information changed",
    "message_again": "Message sent again",
    "desk_place": "Address changed for a caller",
    "desk_pin": "Pin of an address moved for a caller",
    "desk_vehicle": "Vehicle changed for a caller",
    "desk_phone": "Phone changed for a caller",
    "desk_email": "E-mail changed for a caller",
    "correction_asked": "An admin asked for more",
    "correction_declined": "Asked of an admin and declined",
    "deactivated": "Account deactivated",
    "reactivated": "Account reactivated",
    "deletion_asked": "Account deletion requested",
    "booking_book": "Booked by staff",
    "booking_move": "Booking moved by staff",
    "booking_cancel": "Booking cancelled by staff",
    "booking_complete": "Fill recorded",
    "booking_correct": "Fill corrected",
    "booking_fail": "Could not be filled",
    "booking_charge": "Fuel pumped beside the booking charged",
    "booking_car_charged": "Fuel pumped beside the booking charged",
    "booking_waive": "Fuel pumped beside the booking waived",
    "booking_confirm": "Gallons confirmed",
    "booking_ticket": "Repeated ticket number seen",
}


@dataclass(frozen=True)
class PersonChange:
    """One entry of the audit log about a person, in words."""

    what: str
    before: str
    after: str
    who: str
    when: str


def describe_kind(kind: str) -> str:
    """Return the kind of an entry in words, for the person and the staff alike."""
    return _KINDS.get(kind, kind.replace("_", " ").capitalize())


def describe_values(values: Mapping[str, Any] | None) -> str:
    """Return stored values in words; ids, which tell a reader nothing, are left out."""
    values = values or {}
    roles = {Role(name) for name in values.get("roles", ()) if name in ROLES}
    parts = [
        role_names(roles) if roles else "No roles" if "roles" in values else "",
        str(values.get("what", "")),
        ", ".join(str(name).replace("_", " ") for name in values.get("fields", ())),
        str(values.get("device", "")),
        str(values.get("network", "")),
    ]
    return ", ".join(filter(None, parts))
