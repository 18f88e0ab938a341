"""The people of a company: their roles, what each role may do, and which sites they see."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.accounts.rules import NotAllowed
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form

INVITED_FOR = timedelta(days=14)

MOST_PEOPLE = 200  # of one company, its open invitations included


class CompanyRole(StrEnum):
    """A role of a person in a company."""

    OWNER = "owner"
    MANAGER = "manager"
    ACCOUNTANT = "accountant"
    VIEWER = "viewer"


COMPANY_ROLES = tuple(CompanyRole)


class Action(StrEnum):
    """One thing that a person of a company may do; every event and route names one."""

    SEE_OVERVIEW = "see overview"  # what every person of the company sees first
    SEE_SITES = "see sites"  # with vehicles and visits
    CHANGE_SITES = "change sites"  # with vehicles, schedules, decisions about exceptions
    SEE_INVOICES = "see invoices"
    PAY_INVOICES = "pay invoices"
    CHANGE_BILLING = "change billing"  # billing e-mails, purchase orders, cost centers
    SEE_PEOPLE = "see people"
    CHANGE_COMPANY = "change company"  # its people, name and address, tax exemption


_SEES = frozenset({Action.SEE_OVERVIEW, Action.SEE_SITES, Action.SEE_INVOICES, Action.SEE_PEOPLE})
_PAYS = {Action.SEE_OVERVIEW, Action.SEE_INVOICES, Action.PAY_INVOICES, Action.CHANGE_BILLING}
MAY: Mapping[CompanyRole, frozenset[Action]] = {
    CompanyRole.OWNER: frozenset(Action),
    CompanyRole.MANAGER: _SEES | {Action.CHANGE_SITES},
    CompanyRole.ACCOUNTANT: frozenset(_PAYS),
    CompanyRole.VIEWER: _SEES,
}
# What a closed company's people may still do: its invoices stay theirs.
_AFTER_CLOSING = frozenset({Action.SEE_OVERVIEW, Action.SEE_INVOICES, Action.PAY_INVOICES})

ROLE_NAMES: Mapping[str, str] = {role.value: role.capitalize() for role in CompanyRole}
ROLE_NOTES: Mapping[str, str] = {
    CompanyRole.OWNER: "Everything, with people, billing and the company itself",
    CompanyRole.MANAGER: "Sites, vehicles and schedules; reads invoices",
    CompanyRole.ACCOUNTANT: "Invoices, payments, purchase orders and cost centers",
    CompanyRole.VIEWER: "Reads everything, changes nothing",
}


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's place in one company, as it is stored now.

    Args:
        sites: The ids of the sites that the person is limited to; None for all of them.
    """

    company_id: str
    company_name: str
    person_id: str
    role: CompanyRole
    sites: frozenset[str] | None = None
    is_closed: bool = False

    def may(self, action: Action) -> bool:
        return action in MAY[self.role] and (not self.is_closed or action in _AFTER_CLOSING)

    def require(self, action: Action) -> None:
        """Refuse what the role does not reach. Raises NotAllowed."""
        if not self.may(action):
            raise NotAllowed

    def sees(self, site_id: str) -> bool:
        """Return whether a site is among those that the person sees."""
        return self.sites is None or site_id in self.sites

    def require_site(self, site_id: str) -> None:
        """Refuse a site that the person does not see. Raises NotAllowed."""
        if not self.sees(site_id):
            raise NotAllowed


def _role(value: object) -> str:
    return contact.one_of("Role", COMPANY_ROLES)(value)


def _ids(value: object) -> tuple[str, ...]:
    """Return what is ticked, each once; ids are looked up among the company's own."""
    ticked = value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(each for each in ticked if isinstance(each, str) and each))


class CompanyInvite(Form):
    """The form that invites a person to a company; without ticked sites they see all."""

    email: Email
    role: Annotated[str, PlainValidator(_role)]
    sites: Annotated[tuple[str, ...], PlainValidator(_ids)]


class MemberChange(Form):
    """The form that changes a person's role and sites."""

    role: Annotated[str, PlainValidator(_role)]
    sites: Annotated[tuple[str, ...], PlainValidator(_ids)]


def limited_to(role: str, ticked: tuple[str, ...], known: frozenset[str]) -> list[str] | None:
    """Return the sites that a person is limited to; None for all of the company's.

    Owners are never limited, and others who have nothing ticked.

    Raises:
        SiteUnknown: If a site is not the company's own: that limits nobody to nothing.
    """
    if not ticked or role == CompanyRole.OWNER:
        return None
    if not known.issuperset(ticked):
        raise SiteUnknown
    return list(ticked)


@dataclass(frozen=True, slots=True)
class Member:
    """A person of a company, or an open invitation to it, as screens show one."""

    id: str  # the person's, or the invitation's
    name: str
    email: str
    role: str
    role_name: str
    sites: str  # names, or 'All sites'
    site_ids: list[str]
    is_invitation: bool = False
    until: str = ""  # of an invitation
    is_you: bool = False


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    """An open invitation, as its page shows it; an empty one is none."""

    id: str = ""
    company: str = ""
    email: str = ""
    role: str = ""
    until: str = ""
    person_id: str = ""  # who has this e-mail already


class SiteUnknown(Refusal):
    message = "One of these sites is not there any more. Choose again."


class MemberGone(Refusal):
    message = "This person is not in the company any more."


class IsMember(Refusal):
    message = "This person is in the company already."


class LastOwner(Refusal):
    message = "A company needs an owner: make another person an owner first."


class TooManyPeople(Refusal):
    message = f"A company has up to {MOST_PEOPLE} people and open invitations."


class CompanyInvitationGone(Refusal):
    message = "This invitation is used, withdrawn or expired. Ask the company for a new one."


class OtherPersonsInvitation(Refusal):
    message = "This invitation is for another e-mail. Sign in with the account that has it."
