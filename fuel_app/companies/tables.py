"""Tables of companies: the company, its people, sites, price rules, cost centers and orders."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, LargeBinary, Text, UniqueConstraint
from sqlmodel import Field

from fuel_app.companies.rules.companies import (
    CENTER_MAX,
    COMPANY_MAX,
    CYCLES,
    PO_MAX,
    REASON_MAX,
    STATES,
    STREET_MAX,
    TERMS,
)
from fuel_app.companies.rules.documents import (
    CERTIFICATE_MAX,
    DOCUMENTS,
    EXEMPTION_KINDS,
    EXEMPTION_STATES,
    FILE_NAME_MAX,
)
from fuel_app.companies.rules.people import COMPANY_ROLES
from fuel_app.companies.rules.price_rules import BASES, SOURCE_MAX
from fuel_app.companies.rules.sites import (
    GATE_MAX,
    HOURS_MAX,
    PERMIT_MAX,
    SITE_MAX,
    TEXT_MAX,
)
from fuel_app.kit.clock import now
from fuel_app.kit.contact import EMAIL_MAX, NAME_MAX
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of, sorted_text


def _id() -> Any:
    return Field(default_factory=new_id, primary_key=True, max_length=36)


def _of_company(**more: Any) -> Any:
    return Field(foreign_key="companies.id", ondelete="CASCADE", max_length=36, **more)


def _moment() -> Any:
    return Field(default_factory=now, sa_type=UtcTime, nullable=False)


def _maybe() -> Any:
    return Field(default=None, sa_type=UtcTime)


def _document() -> Any:
    return Field(
        default=None, foreign_key="company_documents.id", ondelete="SET NULL", max_length=36
    )


class Company(TableModel, table=True):
    """A company that we serve: a fleet, an employer, or both."""

    __tablename__ = "companies"
    __table_args__ = (
        CheckConstraint(one_of("state", STATES), name="state_known"),
        CheckConstraint(one_of("terms", TERMS), name="terms_known"),
        CheckConstraint(one_of("invoice_cycle", CYCLES), name="cycle_known"),
        CheckConstraint("is_fleet OR is_employer", name="has_kind"),
        Index(None, "name", "id"),
    )

    id: str = _id()
    name: str = Field(sa_type=sorted_text(COMPANY_MAX), nullable=False)  # type: ignore[call-overload]
    search_name: str = Field(sa_type=Text)  # the names as a search compares them
    legal_name: str = Field(default="", max_length=COMPANY_MAX)
    is_fleet: bool = False
    is_employer: bool = False
    billing_emails: list[str] = Field(sa_column=Column(JSON, nullable=False))
    street: str = Field(default="", max_length=STREET_MAX)
    city: str = Field(default="", max_length=NAME_MAX)
    state_code: str = Field(default="", max_length=2)
    zip_code: str = Field(default="", max_length=5)
    terms: str = Field(max_length=10)
    invoice_cycle: str = Field(max_length=10)
    po_required: bool = False
    credit_limit_cents: int | None = None
    state: str = Field(default="active", max_length=10)
    state_reason: str = Field(default="", max_length=REASON_MAX)
    # Of the staff; whose account is erased owns nothing any more.
    account_owner_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36
    )
    revision: int = 0
    created_at: datetime = _moment()


class CompanyPerson(TableModel, table=True):
    """A person of a company."""

    __tablename__ = "company_people"
    __table_args__ = (
        CheckConstraint(one_of("role", COMPANY_ROLES), name="role_known"),
        Index(None, "person_id"),
    )

    company_id: str = _of_company(primary_key=True)
    person_id: str = Field(
        primary_key=True, foreign_key="people.id", ondelete="CASCADE", max_length=36
    )
    role: str = Field(max_length=20)
    # The ids of the sites that the person is limited to; null for all.
    sites: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    chosen_at: datetime | None = _maybe()  # when the person last turned to this company
    created_at: datetime = _moment()


class CompanyInvitation(TableModel, table=True):
    """An invitation to a company; its link's token derives from the id."""

    __tablename__ = "company_invitations"
    __table_args__ = (
        CheckConstraint(one_of("role", COMPANY_ROLES), name="role_known"),
        Index(None, "company_id", "email"),
        Index(None, "email"),
    )

    id: str = _id()
    company_id: str = _of_company()
    email: str = Field(max_length=EMAIL_MAX)
    role: str = Field(max_length=20)
    sites: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    invited_by: str = Field(max_length=100)  # as the audit log names an actor
    created_at: datetime = _moment()
    expires_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    accepted_at: datetime | None = _maybe()
    withdrawn_at: datetime | None = _maybe()


class CompanyDocument(TableModel, table=True):
    """A file of a company: a permit, a certificate, a picture of a lot."""

    __tablename__ = "company_documents"
    __table_args__ = (
        CheckConstraint(one_of("kind", DOCUMENTS), name="kind_known"),
        Index(None, "company_id"),
    )

    id: str = _id()
    company_id: str = _of_company()
    kind: str = Field(max_length=20)
    name: str = Field(max_length=FILE_NAME_MAX)
    media_type: str = Field(max_length=40)
    file: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    uploaded_by: str = Field(max_length=100)
    created_at: datetime = _moment()


class TaxExemption(TableModel, table=True):
    """A company's claim to pay no tax: without an admin's approval it pays as everybody."""

    __tablename__ = "tax_exemptions"
    __table_args__ = (
        CheckConstraint(one_of("state", EXEMPTION_STATES), name="state_known"),
        CheckConstraint(one_of("kind", EXEMPTION_KINDS), name="kind_known"),
        Index(None, "company_id", "id"),
    )

    id: str = _id()
    company_id: str = _of_company()
    kind: str = Field(max_length=20)
    certificate: str = Field(max_length=CERTIFICATE_MAX)
    valid_to: date
    document_id: str = Field(foreign_key="company_documents.id", ondelete="CASCADE", max_length=36)
    state: str = Field(default="asked", max_length=10)
    asked_by: str = Field(max_length=100)
    asked_at: datetime = _moment()
    decided_by: str = Field(default="", max_length=100)
    decided_at: datetime | None = _maybe()
    reason: str = Field(default="", max_length=REASON_MAX)


class StoredSite(TableModel, table=True):
    """A place of a company where its vehicles stand."""

    __tablename__ = "company_sites"
    __table_args__ = (
        CheckConstraint("lat BETWEEN -90 AND 90 AND lng BETWEEN -180 AND 180", name="on_earth"),
        UniqueConstraint("company_id", "name"),
        Index(None, "zip_code"),
    )

    id: str = _id()
    company_id: str = _of_company()
    name: str = Field(max_length=SITE_MAX)
    street: str = Field(max_length=STREET_MAX)
    city: str = Field(max_length=NAME_MAX)
    zip_code: str = Field(max_length=5)
    lat: float
    lng: float
    is_approximate: bool = True
    gate_code: str = Field(default="", max_length=GATE_MAX)
    contact_name: str = Field(default="", max_length=NAME_MAX)
    contact_phone: str = Field(default="", max_length=10)
    hours: str = Field(default="", max_length=HOURS_MAX)
    parking: str = Field(default="", max_length=TEXT_MAX)
    permit_authority: str = Field(default="", max_length=PERMIT_MAX)
    permit_number: str = Field(default="", max_length=PERMIT_MAX)
    permit_valid_to: date | None = None
    permit_document_id: str | None = _document()
    picture_id: str | None = _document()  # a photo or sketch of the lot
    closed_at: datetime | None = _maybe()
    created_at: datetime = _moment()


class StoredPriceRule(TableModel, table=True):
    """A version of a company's price rule; the newest whose day has come holds."""

    __tablename__ = "price_rules"
    __table_args__ = (
        CheckConstraint(one_of("basis", BASES), name="basis_known"),
        CheckConstraint("(basis = 'fixed') = (fixed_mills IS NOT NULL)", name="fixed_has_price"),
        UniqueConstraint("company_id", "version"),
    )

    id: str = _id()
    company_id: str = _of_company()
    version: int
    basis: str = Field(max_length=10)
    offset_mills: int = 0
    floor_mills: int | None = None
    cap_mills: int | None = None
    fixed_mills: int | None = None
    source: str = Field(default="", max_length=SOURCE_MAX)
    effective_from: date
    actor: str = Field(max_length=100)
    created_at: datetime = _moment()


class StoredCostCenter(TableModel, table=True):
    """A cost center of a company."""

    __tablename__ = "cost_centers"
    __table_args__ = (UniqueConstraint("company_id", "name"),)

    id: str = _id()
    company_id: str = _of_company()
    name: str = Field(max_length=CENTER_MAX)
    monthly_budget_cents: int | None = None
    closed_at: datetime | None = _maybe()


class StoredPurchaseOrder(TableModel, table=True):
    """A purchase order of a company: its number stands on the invoices that it covers."""

    __tablename__ = "purchase_orders"
    __table_args__ = (UniqueConstraint("company_id", "number"),)

    id: str = _id()
    company_id: str = _of_company()
    number: str = Field(max_length=PO_MAX)
    amount_cents: int | None = None
    valid_to: date | None = None
    closed_at: datetime | None = _maybe()
    created_at: datetime = _moment()
