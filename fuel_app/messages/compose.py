"""A message as its recipient reads it: its content in its frame, with or without its secrets."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fuel_app import routes
from fuel_app.accounts.rules import SHARED_PASSWORD, SYSTEM_NAME
from fuel_app.accounts.service import directory
from fuel_app.accounts.service.directory import Revealed
from fuel_app.kit import clock, secrets
from fuel_app.kit.calendar_file import Entry
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.outbox import MAIL, PUSH, Message
from fuel_app.messages.providers import Rendered, rendered
from fuel_app.messages.rules.content import content_of
from fuel_app.messages.rules.kinds import (
    BLANK,
    INVITED,
    INVITED_TO_COMPANY,
    MANAGED,
    OFFERED,
    PROPOSED,
    REPEATED,
    TRACKED,
    kind_of,
)
from fuel_app.messages.rules.parts import Content
from fuel_app.messages.rules.push import Notice, notice_of
from fuel_app.settings import settings

_IN_CALENDAR = {"booking_confirmed", "booking_moved", "booking_cancelled"}
UNSUBSCRIBE = "unsubscribe"  # the purpose of its token, derived from the message's id


@dataclass(frozen=True, slots=True)
class Composed:
    """A message as it is sent and as it is stored, with codes and links blanked.

    Args:
        sms: The text alone, also of a notification.
    """

    shown: Rendered
    sms: str
    stored: str
    notice: Notice | None = None
    unsubscribe: str = ""
    entry: Entry | None = None


async def compose(row: Message, says: str, revealed: Revealed | None) -> Composed:
    """Return a message of the outbox as it is sent.

    Args:
        says: The kind whose text it has; not its own where the e-mail is an account's already.

    Raises:
        MissingValue: If it was queued without a value that its text needs.
    """
    rules = kind_of(row.kind)
    values = await _values(row, revealed)
    content = content_of(says, values)
    hidden = {name: BLANK for name in rules.secrets if values.get(name)}
    blanked = content_of(says, values | hidden)
    if row.channel == PUSH:
        notice = _notice(row, content)
        return Composed(rendered(content), notice.body, blanked.at_a_glance, notice)
    if row.channel != MAIL:
        return Composed(rendered(content), content.sms, blanked.sms)
    link = _unsubscribe(row) if not rules.always else ""
    stored = rendered(blanked, unsubscribe=_unsubscribe(row, BLANK) if link else "")
    shown = rendered(content, unsubscribe=link)
    entry = _entry(row, content) if row.kind in _IN_CALENDAR else None
    return Composed(shown, content.sms, stored.text, unsubscribe=link, entry=entry)


async def says_of(row: Message, to: str, asked_by: str | None) -> str:
    """Return the kind whose text a message has: a code for an e-mail that is another account's
    becomes 'You already have an account'."""
    if row.kind not in {"verify", "email_code"}:
        return row.kind
    owner = await directory.find_holder_id(to)
    return row.kind if owner in (None, asked_by) else "account_exists"


def _entry(row: Message, content: Content) -> Entry:
    """Return the booking as an entry of its recipient's calendar."""
    booking = row.payload
    return Entry(
        id=booking["booking"],
        revision=booking["revision"],
        starts_at=datetime.fromisoformat(booking["starts_at"]),
        ends_at=datetime.fromisoformat(booking["ends_at"]),
        title=f"Fill-up: {booking['vehicle']}",
        place=booking.get("place", ""),
        address=settings.public_url + content.button.path if content.button else "",
        is_cancelled=row.kind == "booking_cancelled",
    )


def _notice(row: Message, content: Content) -> Notice:
    """Return a message as a notification; one about the same thing takes its place."""
    about = row.payload.get("booking") or row.payload.get("once") or row.id
    return notice_of(
        content.at_a_glance,
        content.button.path if content.button else routes.HOME,
        about=f"{row.kind} {about}",
        is_urgent=not kind_of(row.kind).waits,
        good_until=row.good_until,
        now=clock.now(),
    )


def _unsubscribe(row: Message, token: str = "") -> str:
    token = token or secrets.token(UNSUBSCRIBE, row.id)
    return f"{settings.public_url}{routes.UNSUBSCRIBE}?t={token}"


async def _values(row: Message, revealed: Revealed | None) -> dict[str, Any]:
    """Return the values of a message's text: its payload, completed."""
    values: dict[str, Any] = dict(row.payload)
    at = values.get("at")
    values["at"] = clock.date_and_time(datetime.fromisoformat(at) if at else row.created_at)
    ends = values.get("free_until_at")
    if ends and datetime.fromisoformat(ends) < clock.now():
        values["free_until"] = ""
    if by := values.get("by"):
        values["by"] = await _inviter(str(by))
    if proposal := well_formed_id(values.get("proposal")):
        values["answer"] = secrets.token(PROPOSED, proposal)
    if revealed:
        values |= {"code": revealed.code, "token": revealed.token}
    elif submission := well_formed_id(values.get("submission")):
        values["token"] = secrets.token(INVITED, submission)
    elif invitation := well_formed_id(values.pop("company_invitation", None)):
        values["token"] = secrets.token(INVITED_TO_COMPANY, invitation)
    elif contact := well_formed_id(values.get("proposal_contact")):
        values["token"] = secrets.token(OFFERED, contact)
    elif booking := well_formed_id(values.get("booking")):
        values["tracking"] = secrets.token(TRACKED, booking)
        if values.get("repeats"):
            values["skip"] = secrets.token(REPEATED, booking)
        if row.person_id is None:
            values["token"] = secrets.token(MANAGED, booking)
    return values


async def _inviter(actor: str) -> str:
    """Return who invites, by name; the brand stands in for the shared password."""
    if well_formed_id(actor):
        return (await directory.names([actor]))[actor]
    return settings.brand_name if actor in {SHARED_PASSWORD, SYSTEM_NAME} else actor
