"""Whatever a form, a closed list or a registry can write fits its column, as PostgreSQL demands.

SQLite stores a text of any length. The test databases of SQLite refuse one that is too long
(`tests/helpers/lengths.py`), so the tests of services prove the texts that code puts together.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import PlainValidator

import fuel_app.fuel_app  # noqa: F401 (every form, table, job, figure and undo)
from fuel_app.accounts import rules
from fuel_app.accounts.rules import security, staff
from fuel_app.accounts.tables import Passkey, Person, SignUp
from fuel_app.announcements.rules import AnnouncementForm, SendForm
from fuel_app.announcements.tables import Announcement
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.rules.hours import DayForm
from fuel_app.areas.rules.prices import GRADES, PriceTerms
from fuel_app.areas.tables import Area, AreaException, StoredPrice
from fuel_app.billing.rules import corrections
from fuel_app.billing.tables import CreditEntry, CreditNote
from fuel_app.bookings.rules.bookings import GuestContact, VisitNote
from fuel_app.bookings.rules.desk import DeskPlace, DeskVehicle, NewCallersEmail, NewPhone
from fuel_app.bookings.rules.fills import (
    TICKET_MAX,
    AnswerForm,
    CorrectionForm,
    FillRecord,
    ticket_key,
)
from fuel_app.bookings.rules.states import WHO
from fuel_app.bookings.tables import BookingEvent, FillQuestion, FreeFill, StoredBooking
from fuel_app.companies.rules import companies
from fuel_app.companies.rules import documents as company_documents
from fuel_app.companies.rules import people as company_people
from fuel_app.companies.rules import sites as company_sites
from fuel_app.companies.tables import (
    Company,
    CompanyInvitation,
    CompanyPerson,
    StoredCostCenter,
    StoredPurchaseOrder,
    StoredSite,
    TaxExemption,
)
from fuel_app.customers.rules import customers, sign_up, vehicles
from fuel_app.customers.rules.customers import NewNote
from fuel_app.customers.rules.locations import LocationForm, OwnLocation
from fuel_app.customers.rules.makes import OWN_CATALOGUE
from fuel_app.customers.tables import CustomerNote, StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.dispatch.rules import phones, route_changes, trucks
from fuel_app.dispatch.tables import StoredShift, StoredTruck, TechnicianAction
from fuel_app.joining.state import ZipForm
from fuel_app.kit import audit, legal, policies
from fuel_app.kit.db.tables import TableModel
from fuel_app.kit.forms import Form
from fuel_app.kit.jobs.registry import HANDLERS, SCHEDULES
from fuel_app.kit.ui.forms import NoFields
from fuel_app.launch.state.booked import ReasonForm
from fuel_app.leads import rules as leads
from fuel_app.leads.tables import Lead, LeadNote
from fuel_app.messages.rules.kinds import KINDS
from fuel_app.neighborhoods.rules import NeighborhoodForm, name_key
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.office.service import PolicyForm
from fuel_app.office.state.desk import CallersCode
from fuel_app.office.state.neighborhood import MergeForm, PioneerForm
from fuel_app.plans.rules.ledger import Adjustment
from fuel_app.plans.rules.plans import PLANS
from fuel_app.plans.tables import LedgerEntry
from fuel_app.proposals.rules.documents import Acceptance, Refused, Remark
from fuel_app.proposals.rules.terms import ProposalTerms
from fuel_app.proposals.tables import StoredProposal
from fuel_app.quotes import rules as quotes
from fuel_app.quotes.tables import BusinessQuote, FleetQuote
from fuel_app.submissions.rules.desk import Lost, NextStep, QuoteNote
from fuel_app.submissions.rules.imports import ImportedEntry
from fuel_app.tables import metadata
from fuel_app.waitlist.rules import WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.helpers.lengths import length_of

# The tables that take a form's fields, each in the column of its name.
STORED: Mapping[type[Form], tuple[type[TableModel], ...]] = {
    security.SignIn: (),
    security.ForgotPassword: (),
    security.NewPassword: (),
    security.PasswordChange: (),
    staff.NewAccount: (Person,),
    staff.FirstAdmin: (Person,),
    staff.Invite: (Person,),
    security.PhoneForm: (Person,),
    security.PasskeyForm: (Passkey,),
    rules.NewEmail: (Person,),
    NoFields: (),
    PolicyForm: (),  # numbers alone
    PriceTerms: (StoredPrice,),
    DayForm: (AreaException,),
    AreaForm: (Area,),
    corrections.Reason: (CreditNote,),
    corrections.Correction: (CreditNote,),
    Adjustment: (LedgerEntry,),
    GuestContact: (),
    sign_up.NewContact: (SignUp, Person),
    sign_up.NewAccount: (SignUp, Person),
    vehicles.OwnVehicle: (StoredVehicle, FreeFill, StoredBooking),
    vehicles.GuestVehicle: (StoredVehicle, FreeFill, StoredBooking),
    DeskPlace: (StoredAddress,),
    DeskVehicle: (StoredVehicle,),
    NewPhone: (Person,),
    NewCallersEmail: (Person,),
    CallersCode: (),
    customers.OwnPersonal: (Person, StoredCustomer),
    customers.WithoutAddress: (Person, StoredCustomer),
    NewNote: (CustomerNote,),
    LocationForm: (StoredAddress,),
    OwnLocation: (StoredAddress,),
    WaitlistEntry: (WaitlistSubmission,),
    ImportedEntry: (WaitlistSubmission,),
    NeighborhoodForm: (Neighborhood,),
    FillRecord: (),
    CorrectionForm: (),
    AnswerForm: (FillQuestion,),
    phones.Action: (TechnicianAction,),
    AnnouncementForm: (Announcement,),
    SendForm: (),
    ZipForm: (),
    VisitNote: (),
    ReasonForm: (StoredBooking,),
    MergeForm: (),
    PioneerForm: (WaitlistSubmission,),
    route_changes.StormForm: (),
    route_changes.WeatherHoldForm: (StoredBooking,),
    trucks.LoadedForm: (),
    trucks.ShiftForm: (),
    trucks.TruckForm: (StoredTruck,),
    companies.CompanyDetails: (Company,),
    companies.BillingEmails: (),
    companies.CompanyTerms: (Company,),
    companies.StateChange: (),
    companies.CostCenter: (StoredCostCenter,),
    companies.PurchaseOrder: (StoredPurchaseOrder,),
    company_documents.ExemptionForm: (TaxExemption,),
    company_documents.ExemptionDecline: (TaxExemption,),
    company_people.CompanyInvite: (CompanyInvitation,),
    company_people.MemberChange: (CompanyPerson,),
    company_sites.SiteForm: (StoredSite,),
    NextStep: (Lead,),
    Lost: (Lead,),
    QuoteNote: (LeadNote,),
    quotes.FleetQuote: (FleetQuote,),
    quotes.BusinessQuote: (BusinessQuote,),
    ProposalTerms: (StoredProposal,),
    Acceptance: (),
    Refused: (StoredProposal,),
    Remark: (),
}
# Fields in columns of another name, beside those of their own.
ALSO: Mapping[tuple[type[Form], str], tuple[sa.Column[Any], ...]] = {
    (corrections.Reason, "reason"): (
        StoredBooking.__table__.c.reason,
        BookingEvent.__table__.c.note,
    ),
    (corrections.Correction, "reason"): (CreditEntry.__table__.c.text,),
    (GuestContact, "email"): (StoredBooking.__table__.c.guest_email,),
    (vehicles.OwnVehicle, "other_make"): (StoredVehicle.__table__.c.make,),
    (vehicles.OwnVehicle, "other_model"): (StoredVehicle.__table__.c.model,),
    (vehicles.GuestVehicle, "other_make"): (StoredVehicle.__table__.c.make,),
    (vehicles.GuestVehicle, "other_model"): (StoredVehicle.__table__.c.model,),
    (DeskVehicle, "other_make"): (StoredVehicle.__table__.c.make,),
    (DeskVehicle, "other_model"): (StoredVehicle.__table__.c.model,),
    (phones.Action, "stop"): (TechnicianAction.__table__.c.stop_id,),
    (companies.CompanyDetails, "state"): (Company.__table__.c.state_code,),
    (companies.StateChange, "reason"): (Company.__table__.c.state_reason,),
    (ReasonForm, "reason"): (BookingEvent.__table__.c.note,),
    (CorrectionForm, "reason"): (BookingEvent.__table__.c.note,),
    (route_changes.WeatherHoldForm, "reason"): (BookingEvent.__table__.c.note,),
    (trucks.ShiftForm, "truck"): (StoredShift.__table__.c.truck_id,),
    (trucks.ShiftForm, "technician"): (StoredShift.__table__.c.technician_id,),
}
# Texts that no column takes as they are: compared, hashed, or a part of a JSON column.
IN_NO_COLUMN: frozenset[tuple[type[Form], str]] = frozenset(
    {
        (DeskPlace, "reason"),
        (DeskVehicle, "reason"),
        (NewPhone, "reason"),
        (NewCallersEmail, "reason"),
        (CallersCode, "code"),
        (security.SignIn, "email"),
        (security.SignIn, "password"),
        (security.ForgotPassword, "email"),
        (security.NewPassword, "password"),
        (security.PasswordChange, "current"),
        (security.PasswordChange, "new"),
        (staff.NewAccount, "password"),
        (staff.FirstAdmin, "password"),
        (GuestContact, "first_name"),
        (GuestContact, "last_name"),
        (GuestContact, "phone"),
        (VisitNote, "notes"),
        (FillRecord, "ticket"),
        *((ProposalTerms, name) for name in ("legal_name", "billing_email", "frequency", "basis")),
        *((ProposalTerms, name) for name in ("source", "payment", "invoice_cycle", "notes")),
        *((Acceptance, name) for name in ("code", "name", "title", "signature")),
        (Remark, "reason"),
        (MergeForm, "gone"),
        (CorrectionForm, "ticket"),
        (ZipForm, "zip_code"),
        (QuoteNote, "what"),
        (route_changes.StormForm, "area_id"),
    }
)
# Forms of the preview, which stores nothing.
PREVIEW: frozenset[type[Form]] = frozenset(
    {
        sign_up.Contact,
        sign_up.Signup,
        sign_up.Address,
        customers.Personal,
        vehicles.Vehicle,
        vehicles.OneTimeVehicle,
    }
)

_ID = "0195f3d2-7c1a-7bd4-8a1f-3a2c9d5e7f10"
# Texts that grow with a number. Capitals of 'ß' and small letters of 'ﬃ' are longer than they.
PATTERNS: tuple[Callable[[int], str], ...] = (
    lambda n: "W" * n,
    lambda n: "ß" * n,
    lambda n: "ﬃ" * n,
    lambda n: "\u0958" * n,  # its normal form has two characters
    lambda n: "0" * n,
    lambda n: "\n".join("W" * n),
    lambda n: f"{'a' * n}@example.com",
    lambda n: f"{'W' * n} 34236",
    lambda n: f"2020{'0' * n}",
)
TEXTS = ("(941) 555-0123", "+1 941 555 0123", "2020", "correct horse battery", _ID)
MOST = 12_000
LONGEST_KEY = ticket_key("W" * trucks.METER_MAX, "ﬃ" * TICKET_MAX)  # in capitals


def every_form(base: type[Form] = Form) -> Iterator[type[Form]]:
    for form in base.__subclasses__():
        if form.__module__.startswith("fuel_app") and not form.__name__.startswith("_"):
            yield form
        yield from every_form(form)


def texts() -> list[tuple[type[Form], str]]:
    """Return each field of each form whose value is a text."""
    return [
        (form, name)
        for form in STORED
        for name in form.names()
        if name in form.model_fields and form.model_fields[name].annotation is str
    ]


def longest(form: type[Form], field: str) -> str:
    """Return the longest text that a field can have once it is cleaned."""
    (rule,) = (e for e in form.model_fields[field].metadata if isinstance(e, PlainValidator))

    def cleaned(sent: str, make: str = vehicles.OTHER) -> str | None:
        try:
            return str(_call(rule.func, sent, {"make": make}))
        except ValueError:
            return None

    listed = [
        value
        for make in (vehicles.OTHER, *OWN_CATALOGUE)
        for sent in (*TEXTS, *choices(rule.func), *vehicles.own_models(make))
        if (value := cleaned(sent, make)) is not None
    ]
    found = [*listed, *_longest_patterns(cleaned)]
    assert found, "no text is accepted: add a pattern"
    return max(found, key=len)


def _call(rule: Any, sent: str, data: Mapping[str, str]) -> object:
    """Apply a rule, with the fields before its own if it asks for them."""
    if len(inspect.signature(rule).parameters) > 1:
        return rule(sent, SimpleNamespace(data=data))
    return rule(sent)


def _longest_patterns(cleaned: Callable[[str], str | None]) -> Iterator[str]:
    """Yield the longest value of each pattern: what is accepted is so up to a length."""
    for pattern in PATTERNS:
        fits = [n for n in range(1, 45) if cleaned(pattern(n)) is not None]
        if not fits:
            continue
        low, high = fits[-1], MOST
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (
                (middle, high) if cleaned(pattern(middle)) is not None else (low, middle - 1)
            )
        yield cleaned(pattern(low)) or ""


def choices(rule: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts of the closed lists that a rule was made with."""
    if isinstance(rule, str):
        yield rule
    elif isinstance(rule, Mapping | tuple | list | frozenset | set):
        for each in rule:
            yield from choices(each, depth)
    elif isinstance(rule, FunctionType) and depth < 4:
        named = [rule.__globals__.get(name) for name in rule.__code__.co_names]
        cells = [cell.cell_contents for cell in rule.__closure__ or ()]
        for each in (*cells, *(e for e in named if not isinstance(e, str))):
            if not isinstance(each, Mapping) or depth == 0:
                yield from choices(each, depth + 1)


def columns_of(form: type[Form], field: str) -> list[sa.Column[Any]]:
    own = [table.__table__.c.get(field) for table in STORED[form]]
    return [*(column for column in own if column is not None), *ALSO.get((form, field), ())]


def test_every_form_is_named():
    assert {*every_form()} == STORED.keys() | PREVIEW
    assert not STORED.keys() & PREVIEW


@pytest.mark.parametrize(
    ("form", "field"), texts(), ids=lambda value: getattr(value, "__name__", value)
)
def test_longest_value_of_a_form_fits_its_columns(form: type[Form], field: str):
    columns = columns_of(form, field)
    assert bool(columns) != ((form, field) in IN_NO_COLUMN), "name the column that takes it"
    value = longest(form, field)
    too_short = {str(e): length_of(e) for e in columns if len(value) > (length_of(e) or MOST)}
    assert too_short == {}, f"{len(value)} characters: {value[:60]!r}"


def test_every_text_of_a_check_fits_its_column():
    found = {
        (table.name, name): re.findall(r"'([^']*)'", values)
        for table in metadata.sorted_tables
        for check in table.constraints
        if isinstance(check, sa.CheckConstraint)
        for name, values in re.findall(r"(\w+) IN \(('.+?')\)", str(check.sqltext))
    }
    assert ("vehicles", "fuel_door") in found
    assert len(found) > 30
    assert _too_long(found) == []


def test_every_kind_and_name_fits_its_column():
    nouns, kinds = zip(*audit._REVERTS, strict=True)
    known: dict[tuple[str, str], Any] = {
        ("messages", "kind"): KINDS,
        ("jobs", "kind"): HANDLERS,
        ("schedules", "name"): SCHEDULES,
        ("figures", "name"): policies.POLICIES,
        ("audit_entries", "subject_id"): policies.POLICIES,
        ("audit_entries", "noun"): nouns,
        ("audit_entries", "kind"): kinds,
        ("areas", "grades"): [" ".join(GRADES)],
        ("bookings", "ended_by"): WHO,
        ("technician_actions", "kind"): phones.ACTION_KINDS,
        ("subscriptions", "pending_plan_id"): [plan.id for plan in PLANS],
        ("sign_ups", "plan_id"): [plan.id for plan in PLANS],
        ("people", "terms_version"): [legal.TERMS_VERSION],
        ("people", "privacy_version"): [legal.PRIVACY_VERSION],
        ("waitlist_submissions", "status"): leads.STATUSES,
        ("waitlist_submissions", "lead_source"): leads.SOURCES,
        ("fills", "ticket_key"): [LONGEST_KEY],
        ("fill_questions", "ticket_key"): [LONGEST_KEY],
        ("neighborhoods", "name_key"): [name_key(longest(NeighborhoodForm, "name"))],
    }
    assert [name for name, values in known.items() if not values] == []
    assert _too_long(known) == []


def _too_long(known: Mapping[tuple[str, str], Any]) -> list[str]:
    return [
        f"{table}.{column}: {value}"
        for (table, column), values in known.items()
        for value in values
        if len(value) > (length_of(metadata.tables[table].c[column]) or MOST)
    ]
