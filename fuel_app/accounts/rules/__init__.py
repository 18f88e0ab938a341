"""People: roles, actors, sessions and their lifetimes, challenges, sign-ups, own details."""

import hashlib
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import IPv4Address, ip_address, ip_network

from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form


class Role(StrEnum):
    """A right of a person."""

    CUSTOMER = "customer"
    TECHNICIAN = "technician"
    DISPATCHER = "dispatcher"
    ADMIN = "admin"
    COMPANY = "company"  # a person of a company; which one, and their role there, is in companies


ROLES = tuple(Role)
STAFF_ROLES = (Role.TECHNICIAN, Role.DISPATCHER, Role.ADMIN)

# What a role may do besides its own.
_INCLUDES: Mapping[Role, frozenset[Role]] = {Role.ADMIN: frozenset({Role.DISPATCHER})}

SHARED_PASSWORD = "shared password"  # noqa: S105 (an actor's name)
SYSTEM_NAME, VISITOR_NAME = "system", "visitor"


class NotAllowed(Refusal):
    """The actor's role does not reach this."""

    message = "You are not allowed to do this."
    http_status = 403


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, the shared password, the system, or a visitor without a session.

    As text it is what the audit log names: a person's id, 'shared password', 'system', 'visitor'.
    """

    roles: frozenset[Role] = frozenset()
    person_id: str = ""
    sign_up_id: str = ""
    session_id: str = ""
    is_system: bool = False

    def __str__(self) -> str:
        if self.person_id or self.sign_up_id:
            return self.person_id or self.sign_up_id
        if self.session_id:
            return SHARED_PASSWORD
        return SYSTEM_NAME if self.is_system else VISITOR_NAME

    @property
    def as_customer(self) -> "Actor":
        """Return a person as a customer alone: staff see no more on customers' screens."""
        return replace(self, roles=frozenset({Role.CUSTOMER}))

    @property
    def is_shared(self) -> bool:
        """Return whether the session was opened by the shared password."""
        return bool(self.session_id) and not self.person_id and not self.sign_up_id

    def may(self, *wanted: Role) -> bool:
        """Return whether one of these roles is among the actor's."""
        return bool(allowed(self.roles).intersection(wanted))

    def require(self, *wanted: Role) -> None:
        """Refuse an actor without one of these roles. Raises NotAllowed."""
        if not self.may(*wanted):
            raise NotAllowed


SYSTEM = Actor(frozenset(ROLES), is_system=True)


def allowed(roles: Collection[Role]) -> frozenset[Role]:
    """Return the roles with what they include."""
    return frozenset(roles).union(*(_INCLUDES.get(role, frozenset()) for role in roles))


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a signed-in browser."""

    id: str
    last_seen_at: datetime
    expires_at: datetime
    person_id: str = ""
    sign_up_id: str = ""
    roles: frozenset[Role] = frozenset()
    second_factor: bool = False
    proved_at: datetime | None = None

    @property
    def is_shared(self) -> bool:
        return not self.person_id and not self.sign_up_id

    @property
    def actor(self) -> Actor:
        """Return who acts in this session. An admin without a second factor has no staff role."""
        return Actor(self.effective, self.person_id, self.sign_up_id, self.id)

    @property
    def lacks_factor(self) -> bool:
        """Return whether the staff roles wait for a second factor."""
        return Role.ADMIN in self.roles and not self.second_factor and not self.is_shared

    @property
    def effective(self) -> frozenset[Role]:
        return self.roles - set(STAFF_ROLES) if self.lacks_factor else self.roles

    @property
    def is_staff(self) -> bool:
        return self.actor.may(Role.DISPATCHER)

    @property
    def is_of_technician(self) -> bool:
        """Return whether technician is the only role among the staff's."""
        return self.roles.intersection(STAFF_ROLES) == {Role.TECHNICIAN}

    @property
    def is_only_of_company(self) -> bool:
        """Return whether it is a person's who has no part here but in companies."""
        return self.roles == {Role.COMPANY}

    @property
    def has_own_pages(self) -> bool:
        """Return whether a person's own pages are for it: a technician's reaches /drive only."""
        return bool(self.person_id) and self.roles != {Role.TECHNICIAN}

    def wants_renewal(self, now: datetime) -> bool:
        return now - self.last_seen_at >= RENEWED_AFTER

    def is_reauthenticated(self, now: datetime) -> bool:
        """Return whether a password or factor was given a moment ago, for changes of security."""
        return self.proved_at is not None and now - self.proved_at <= REAUTHENTICATED_FOR


RENEWED_AFTER = timedelta(minutes=1)  # not with every event
REAUTHENTICATED_FOR = timedelta(minutes=10)
TICKET_S = 60  # from the right password to the cookie
COOKIE_S = 400 * 86_400  # the most that browsers keep; the session in the database ends before
SIGN_UP_KEPT = timedelta(hours=24)
_CUSTOMER = timedelta(days=30)
_STAFF = timedelta(hours=12)
TECHNICIAN_DAYS = 7  # unless staff have changed it


def lifetime(session: Session, technician_days: int = TECHNICIAN_DAYS) -> timedelta:
    """Return how long a session lasts without use; the strictest role decides."""
    if session.sign_up_id:
        return SIGN_UP_KEPT
    if session.is_shared or not session.roles.isdisjoint({Role.ADMIN, Role.DISPATCHER}):
        return _STAFF
    is_technician = Role.TECHNICIAN in session.roles
    return timedelta(days=technician_days) if is_technician else _CUSTOMER


class Purpose(StrEnum):
    """The purpose of a challenge. A code is typed; a link leads to a page with a button."""

    VERIFY = "verify"  # code: the e-mail of a sign-up
    RESET = "reset"  # link: a new password
    EMAIL = "email"  # code: a new e-mail
    CALLERS_EMAIL = "callers email"  # code: a new e-mail, which a caller reads out to staff
    EMAIL_UNDO = "email undo"  # link: the former e-mail
    INVITE = "invite"  # link: a member of the staff
    FACTOR = "factor"  # the second step of a sign-in, bound to its tab
    SMS = "sms"  # code: second factor by text message
    PHONE = "phone"  # code: verifies a phone
    PROPOSAL = "proposal"  # code: a contact of a company accepts
    PASSKEY = "passkey"  # the random bytes that a passkey signs


PURPOSES = tuple(Purpose)
GOOD_FOR: Mapping[Purpose, timedelta] = {
    Purpose.VERIFY: timedelta(minutes=10),
    Purpose.RESET: timedelta(minutes=30),
    Purpose.EMAIL: timedelta(minutes=10),
    Purpose.CALLERS_EMAIL: timedelta(minutes=10),
    Purpose.EMAIL_UNDO: timedelta(days=7),
    Purpose.INVITE: timedelta(days=7),
    Purpose.FACTOR: timedelta(minutes=10),
    Purpose.SMS: timedelta(minutes=10),
    Purpose.PHONE: timedelta(minutes=10),
    Purpose.PROPOSAL: timedelta(minutes=10),
    Purpose.PASSKEY: timedelta(minutes=5),
}
TRIES = 5

SHARED_PASSWORD_MAX = 200


def label(session_id: str) -> str:
    """Return a session's name for logs: enough to tell two apart, of no use to an attacker."""
    return session_id[-8:]


def new_token() -> str:
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return a token's stored form. It is random and long, so a fast hash suffices."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


_SYSTEMS = (
    *(("iphone", "iPhone"), ("ipad", "iPad"), ("android", "Android"), ("windows", "Windows")),
    *(("mac os", "Mac"), ("cros", "Chromebook"), ("linux", "Linux")),
)
_BROWSERS = (("edg", "Edge"), ("firefox", "Firefox"), ("chrome", "Chrome"), ("safari", "Safari"))


def device_of(user_agent: object) -> str:
    """Return a coarse name such as 'Chrome on Windows' for the user agent of a browser."""
    sent = user_agent[:500].lower() if isinstance(user_agent, str) else ""
    browser = next((name for part, name in _BROWSERS if part in sent), "A browser")
    system = next((name for part, name in _SYSTEMS if part in sent), "")
    return f"{browser} on {system}" if system else browser


def network_of(address: str) -> str:
    """Return the network of an address as shown to its owner; '' without one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    if isinstance(parsed, IPv4Address):
        return ".".join([*str(parsed).split(".")[:2], "x", "x"])
    return str(ip_network((int(parsed) >> 80 << 80, 48)).network_address)


@dataclass(frozen=True, slots=True)
class Applicant:
    """A person who signs up: e-mail lower-cased, phone as 10 digits, ZIP as 5."""

    first_name: str
    last_name: str
    email: str
    phone: str
    zip_code: str


@dataclass(frozen=True, slots=True)
class PendingSignUp:
    """A sign-up whose e-mail is not verified."""

    id: str
    applicant: Applicant
    plan_id: str
    comes_from: Mapping[str, str] = field(default_factory=dict)  # what led here: ids by kind


class SignUpGone(Refusal):
    """A sign-up that was deleted after 24 hours, or has become an account."""

    message = "Your sign-up has expired. Please sign up again."


CODES_TO_PHONE = "Turn off codes by text message under Privacy & Security first."


@dataclass(frozen=True, slots=True)
class Details:
    """A person's details, as the person's own screens show them."""

    first_name: str
    last_name: str
    email: str
    phone: str
    email_verified: bool
    phone_verified: bool
    password_since: datetime


class AccountGone(Refusal):
    """The account, or the sign-up, has been closed or has lapsed meanwhile."""

    message = "This account is closed."


class NewEmail(Form):
    """A person's new e-mail."""

    email: Email


class EmailInUse(Refusal):
    """Only the owner of the address, who has typed its code, is told this."""

    message = "This e-mail cannot be used. Please choose another one."


class OfStaff(Refusal):
    message = "This account is one of the staff's. Its owner changes this when signed in."


class CallersEmailInUse(Refusal):
    """Refusal that staff read once the caller has read the code, and so owns the address."""

    message = "Another account has this e-mail: the caller can sign in to that one with it."


class SameEmail(Refusal):
    message = "This is the customer's e-mail already."


class FormerInUse(Refusal):
    message = "Your former e-mail belongs to another account by now. Please call or write to us."
