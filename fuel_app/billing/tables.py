"""Tables of money: payers with their card, invoices, payments, credit, the journal."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, text
from sqlmodel import Field

from fuel_app.billing.rules import invoices as rules
from fuel_app.billing.rules import payments
from fuel_app.billing.rules.corrections import ANSWERS, GIFT, REASON_MAX, REQUESTED
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, numbered, one_of

_NEW = text("state = 'new' AND invoice_id IS NOT NULL")
_OPEN = text("state = 'open'")
_DISPUTED = text("dispute <> ''")
_ASKED = text("answer = ''")


def _json() -> Any:
    return Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class Payer(TableModel, table=True):
    """A customer or a guest as the payment provider knows them, with one card at most."""

    __tablename__ = "payers"
    __table_args__ = (
        CheckConstraint("(card_id = '') = (card_last4 = '')", name="card_whole"),
        Index(None, "provider_id"),
        Index(None, "card_fingerprint"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36, unique=True
    )
    key: str = Field(max_length=60, unique=True)  # 'person:<id>', or 'guest:<the tab's key>'
    provider_id: str = Field(default="", max_length=60)  # of Stripe's customer; '' until made
    card_id: str = Field(default="", max_length=60)  # of Stripe's payment method; '' without a card
    card_brand: str = Field(default="", max_length=20)
    card_last4: str = Field(default="", max_length=4)
    card_month: int = 0
    card_year: int = 0
    card_fingerprint: str = Field(default="", max_length=60)
    card_problem: str = Field(default="", max_length=60)  # code of the last decline
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class Checkout(TableModel, table=True):
    """A checkout on the provider's page, to add a card or to confirm a payment."""

    __tablename__ = "card_setups"

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    payer_id: str = Field(foreign_key="payers.id", ondelete="CASCADE", max_length=36, index=True)
    session_id: str | None = Field(default=None, max_length=100, unique=True)
    done_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    # The booking whose guest accepts the terms by adding the card.
    accepted_for: str | None = Field(default=None, max_length=36)


class CreditEntry(TableModel, table=True):
    """A change of a customer's credit. Never updated: the balance is their sum."""

    __tablename__ = "credit_entries"
    __table_args__ = (Index(None, "payer_id", "id"), Index(None, "actor", "at"))

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    key: str = Field(max_length=120, unique=True)  # makes it happen once
    payer_id: str = Field(foreign_key="payers.id", ondelete="RESTRICT", max_length=36)
    amount_cents: int
    text: str = Field(max_length=200)
    actor: str = Field(max_length=100)
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class Counter(TableModel, table=True):
    """The last number given to an invoice or a credit note."""

    __tablename__ = "counters"

    name: str = Field(primary_key=True, max_length=20)
    last: int


class StoredInvoice(TableModel, table=True):
    """An invoice. Once it is open its total and lines never change."""

    __tablename__ = "invoices"
    __table_args__ = (
        CheckConstraint(one_of("kind", rules.KINDS), name="kind_known"),
        CheckConstraint(one_of("state", rules.STATES), name="state_known"),
        CheckConstraint("total_cents >= 0", name="total_not_negative"),
        CheckConstraint("paid_cents >= 0 AND waived_cents >= 0", name="amounts_not_negative"),
        CheckConstraint("paid_cents + waived_cents <= total_cents", name="not_overpaid"),
        CheckConstraint("refunded_cents BETWEEN 0 AND paid_cents", name="refund_paid"),
        CheckConstraint(
            "(number IS NULL) = (opened_at IS NULL)"
            " AND (state IN ('draft', 'void') OR number IS NOT NULL)",
            name="number_when_opened",
        ),
        CheckConstraint(
            "(state = 'paid')"
            " = (opened_at IS NOT NULL AND paid_cents + waived_cents = total_cents)",
            name="paid_in_full",
        ),
        Index(None, "payer_id", "id"),
        Index(None, "booking_id"),
        Index(None, "opened_at"),
        Index("ix_invoices_open", "payer_id", sqlite_where=_OPEN, postgresql_where=_OPEN),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    key: str = Field(max_length=120, unique=True)  # 'renewal:<person>:<period>', 'fill:<booking>'
    number: int | None = Field(default=None, unique=True)
    kind: str = Field(max_length=10)
    state: str = Field(default=rules.DRAFT, max_length=20)
    payer_id: str = Field(foreign_key="payers.id", ondelete="RESTRICT", max_length=36)
    booking_id: str | None = Field(default=None, max_length=36)
    period: date | None = None
    total_cents: int
    paid_cents: int = 0
    waived_cents: int = 0
    refunded_cents: int = 0
    details: dict[str, Any] = _json()
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    opened_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]


class InvoiceLine(TableModel, table=True):
    """One line of an invoice."""

    __tablename__ = "invoice_lines"
    __table_args__ = (
        CheckConstraint(one_of("kind", rules.LINE_KINDS), name="kind_known"),
        CheckConstraint("(kind = 'fuel') = (milligallons IS NOT NULL)", name="gallons_of_fuel"),
        CheckConstraint("(milligallons IS NULL) = (price_mills IS NULL)", name="price_of_gallons"),
    )

    invoice_id: str = Field(
        primary_key=True, foreign_key="invoices.id", ondelete="CASCADE", max_length=36
    )
    position: int = Field(primary_key=True)
    kind: str = Field(max_length=20)
    text: str = Field(max_length=200)
    amount_cents: int
    milligallons: int | None = None
    price_mills: int | None = None


class StoredPayment(TableModel, table=True):
    """One attempt to hold or charge an amount. Its id is the provider's idempotency key."""

    __tablename__ = "payments"
    __table_args__ = (
        CheckConstraint(one_of("kind", payments.KINDS), name="kind_known"),
        CheckConstraint(one_of("state", payments.STATES), name="state_known"),
        CheckConstraint("amount_cents > 0", name="amount_positive"),
        CheckConstraint("captured_cents BETWEEN 0 AND amount_cents", name="captured_of_amount"),
        CheckConstraint("refunded_cents BETWEEN 0 AND captured_cents", name="refunded_of_captured"),
        CheckConstraint("(state = 'succeeded') = (captured_cents > 0)", name="captured_succeeded"),
        # One open attempt for an invoice: it is never charged twice.
        Index(
            "uq_payments_invoice_id_new",
            "invoice_id",
            unique=True,
            sqlite_where=_NEW,
            postgresql_where=_NEW,
        ),
        Index(None, "payer_id", "id"),
        Index(None, "invoice_id"),
        Index(None, "booking_id"),
        Index(None, "state", "created_at"),
        Index(
            "ix_payments_disputed", "created_at", sqlite_where=_DISPUTED, postgresql_where=_DISPUTED
        ),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    key: str = Field(max_length=120, unique=True)  # 'hold:<booking>:<revision>:<try>', ...
    kind: str = Field(max_length=10)
    state: str = Field(default=payments.NEW, max_length=10)
    payer_id: str = Field(foreign_key="payers.id", ondelete="RESTRICT", max_length=36)
    invoice_id: str | None = Field(
        default=None, foreign_key="invoices.id", ondelete="RESTRICT", max_length=36
    )
    booking_id: str | None = Field(default=None, max_length=36)
    card_id: str = Field(default="", max_length=60)
    card_brand: str = Field(default="", max_length=20)  # as the receipt names it
    card_last4: str = Field(default="", max_length=4)
    amount_cents: int
    captured_cents: int = 0
    refunded_cents: int = 0
    code: str = Field(default="", max_length=60)  # why it failed
    provider_id: str | None = Field(default=None, max_length=60, unique=True)
    capture_before: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    dispute: str = Field(default="", max_length=30)  # Stripe's status; '' for none
    dispute_due_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]  # evidence is taken until then
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    settled_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    tried_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]  # last, to learn its outcome


class CreditNote(TableModel, table=True):
    """A correction of an invoice: off what is due, back to the card, or to the balance."""

    __tablename__ = "credit_notes"
    __table_args__ = (
        CheckConstraint("amount_cents > 0", name="amount_positive"),
        CheckConstraint(one_of("way", ("waived", "card", "credit")), name="way_known"),
        Index(None, "invoice_id"),
        Index(None, "actor", "at"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    key: str = Field(max_length=120, unique=True)
    number: int = Field(unique=True)
    invoice_id: str = Field(foreign_key="invoices.id", ondelete="RESTRICT", max_length=36)
    way: str = Field(max_length=10)
    amount_cents: int
    reason: str = Field(max_length=200)
    actor: str = Field(max_length=100)
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class WaivedFee(TableModel, table=True):
    """A late fee that staff have waived as they cancelled a booking: no invoice was made of it."""

    __tablename__ = "waived_fees"
    __table_args__ = (
        CheckConstraint("amount_cents > 0", name="amount_positive"),
        Index(None, "payer_id"),
        Index(None, "actor", "at"),
    )

    booking_id: str = Field(primary_key=True, max_length=36)
    payer_id: str = Field(foreign_key="payers.id", ondelete="RESTRICT", max_length=36)
    amount_cents: int
    actor: str = Field(max_length=100)
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class Refund(TableModel, table=True):
    """Money going back to the card of one payment. Its id is the idempotency key."""

    __tablename__ = "refunds"
    __table_args__ = (
        CheckConstraint("amount_cents > 0", name="amount_positive"),
        CheckConstraint(
            one_of("state", ("new", "succeeded", "failed", "retried")), name="state_known"
        ),
        Index(None, "payment_id"),
        Index(None, "credit_note_id"),
        Index(None, "state", "created_at"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    payment_id: str = Field(foreign_key="payments.id", ondelete="RESTRICT", max_length=36)
    credit_note_id: str | None = Field(  # None: more came in than was due
        default=None, foreign_key="credit_notes.id", ondelete="RESTRICT", max_length=36
    )
    amount_cents: int
    state: str = Field(default="new", max_length=10)
    provider_id: str | None = Field(default=None, max_length=60, unique=True)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    tried_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]  # last, to learn its outcome


class JournalEntry(TableModel, table=True):
    """One movement of money between two accounts. Never updated."""

    __tablename__ = "journal_entries"
    __table_args__ = (
        CheckConstraint(one_of("debit", rules.ACCOUNTS), name="debit_known"),
        CheckConstraint(one_of("credit", rules.ACCOUNTS), name="credit_known"),
        CheckConstraint("amount_cents > 0 AND debit <> credit", name="moves_money"),
        Index(None, "day", "number"),
        Index(None, "invoice_id"),
    )

    number: int | None = numbered()
    key: str = Field(max_length=120, unique=True)
    day: date  # in New York
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    debit: str = Field(max_length=20)
    credit: str = Field(max_length=20)
    amount_cents: int
    invoice_id: str | None = Field(default=None, max_length=36)
    text: str = Field(default="", max_length=200)


class WebhookEvent(TableModel, table=True):
    """An event of the provider, heard once. Only its object's id counts, which is read anew."""

    __tablename__ = "webhook_events"
    __table_args__ = (Index(None, "outcome", "received_at"),)

    id: str = Field(primary_key=True, max_length=100)
    type: str = Field(max_length=100)
    object_id: str = Field(max_length=100)
    outcome: str = Field(default="queued", max_length=10)  # queued, done, ignored, unmatched
    received_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class StandInObject(TableModel, table=True):
    """An object of the stand-in for Stripe, as its API answers it."""

    __tablename__ = "stand_in_objects"
    __table_args__ = (Index(None, "kind", "owner"),)

    id: str = Field(primary_key=True, max_length=100)
    kind: str = Field(max_length=40)
    owner: str = Field(default="", max_length=60)  # Stripe's customer
    body: dict[str, Any] = _json()


class StandInKey(TableModel, table=True):
    """An idempotency key that the stand-in has answered, with its answer."""

    __tablename__ = "stand_in_keys"

    key: str = Field(primary_key=True, max_length=255)
    fingerprint: str = Field(max_length=64)  # of the request
    status: int
    body: dict[str, Any] = _json()
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class CorrectionRequest(TableModel, table=True):
    """An amount beyond what its asker may give, which an admin approves or declines once."""

    __tablename__ = "correction_requests"
    __table_args__ = (
        CheckConstraint(one_of("way", REQUESTED), name="way_known"),
        CheckConstraint("amount_cents > 0", name="amount_positive"),
        CheckConstraint(f"(way = '{GIFT}') = (invoice_id IS NULL)", name="invoice_corrected"),
        CheckConstraint(one_of("answer", ("", *ANSWERS)), name="answer_known"),
        CheckConstraint("(answer = '') = (answered_at IS NULL)", name="answered_whole"),
        Index(None, "payer_id", "id"),
        # What waits for an admin, among all that was ever asked.
        Index("ix_correction_requests_open", "id", sqlite_where=_ASKED, postgresql_where=_ASKED),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    key: str = Field(max_length=36, unique=True)  # the dialog's, which the correction takes
    way: str = Field(max_length=10)
    payer_id: str = Field(foreign_key="payers.id", ondelete="RESTRICT", max_length=36)
    invoice_id: str | None = Field(
        default=None, foreign_key="invoices.id", ondelete="RESTRICT", max_length=36
    )
    amount_cents: int
    reason: str = Field(max_length=REASON_MAX)
    asked_by: str = Field(max_length=100)  # as the audit log names an actor
    asked_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    answer: str = Field(default="", max_length=10)
    answered_by: str = Field(default="", max_length=100)
    answered_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
