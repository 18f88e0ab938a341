"""The table of waitlist submissions."""

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, false
from sqlmodel import Field

from fuel_app.kit import contact
from fuel_app.kit.db.tables import digits
from fuel_app.leads.tables import LeadFields, lead_not_blank
from fuel_app.waitlist.rules import NOTES_MAX


class WaitlistSubmission(LeadFields, table=True):
    """A visitor on the waitlist; with a neighborhood, also its member."""

    __tablename__ = "waitlist_submissions"
    __table_args__ = (
        *lead_not_blank("first_name", "last_name"),
        CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name="email_normalised"),
        CheckConstraint(digits("phone_number", f"IN (0, {contact.PHONE_DIGITS})"), "phone_digits"),
        CheckConstraint(digits("zip_code", f"IN (0, {contact.ZIP_DIGITS})"), "zip_digits"),
        CheckConstraint("referred_by_id <> id", name="no_self_referral"),
        ForeignKeyConstraint(["neighborhood_id"], ["neighborhoods.id"], ondelete="SET NULL"),
        ForeignKeyConstraint(["referred_by_id"], ["waitlist_submissions.id"], ondelete="SET NULL"),
        Index(None, "neighborhood_id"),
        Index(None, "zip_code", "status", "id"),
    )

    first_name: str = Field(max_length=contact.NAME_MAX)
    last_name: str = Field(max_length=contact.NAME_MAX)
    email: str = Field(max_length=contact.EMAIL_MAX, unique=True)
    phone_number: str = Field(default="", max_length=contact.PHONE_DIGITS)
    zip_code: str = Field(default="", max_length=contact.ZIP_DIGITS)
    neighborhood_id: str | None = Field(default=None, max_length=36)
    referred_by_id: str | None = Field(default=None, max_length=36, index=True)
    # What the file said of them that brought them.
    notes: str = Field(default="", max_length=NOTES_MAX, sa_column_kwargs={"server_default": ""})
    # For who joined before the cap of the free first fill was shown.
    free_fill_whole: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    # SHA-256 of the secret by which the tab that joined comes back to its entry.
    resume_hash: str | None = Field(default=None, max_length=64, unique=True)
