"""Queries on the outbox, the staff's list of messages, and what recipients have chosen."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, func, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.lists import Page, pages_of
from fuel_app.kit.outbox import ERROR_MAX, FAILED, PUSH, QUEUED, SENT, SKIPPED, Message
from fuel_app.messages.rules.delivery import KEPT_HERE
from fuel_app.messages.rules.kinds import SECURITY, NotificationSettings
from fuel_app.messages.rules.listing import NOT_SENT, PAGE_SIZE, SHOWN_OF_PERSON, MessageQuery
from fuel_app.messages.rules.push import DEVICES_MOST, FAILURES_MOST, Subscription
from fuel_app.messages.tables import (
    PushSubscription,
    RefusedAddress,
    SmsConsent,
    StoredPreferences,
    UnsubscribedAddress,
)

_id, _state, _kind = col(Message.id), col(Message.state), col(Message.kind)
_recipient, _person = col(Message.recipient), col(Message.person_id)
_sent, _body = col(Message.sent_at), col(Message.body)
_about = col(Message.payload)["booking"].as_string()
AGAIN = "again:"  # begins the key of a message that was sent again, before its id


async def find_message(
    session: AsyncSession, message_id: str, *, lock: bool = False
) -> Message | None:
    """Return a message; `lock` keeps others from changing it in this transaction."""
    return await session.get(Message, message_id, with_for_update=lock or None)


async def change_message(session: AsyncSession, message_id: str, **values: Any) -> None:
    """Set values of a message that is queued; one that has its outcome stays as it is.

    One that was skipped while its provider had it was sent all the same: it gets that state, and no
    personal data, which may be erased.
    """
    if "error" in values:
        values["error"] = values["error"][:ERROR_MAX] or None
    this = update(Message).where(_id == message_id)
    changed = await session.execute(this.where(_state == QUEUED).values(**values))
    if values.get("state") == SENT and not changed.rowcount:  # type: ignore[attr-defined]
        outcome = {name: values[name] for name in ("state", "sent_at", "error")}
        await session.execute(this.where(_state == SKIPPED).values(**outcome))


async def earlier(
    session: AsyncSession, row: Message, recipient: str, kinds: Collection[str], since: datetime
) -> list[datetime]:
    """Return when the recipient got messages of these kinds since a moment, the first one first.

    Those that are being sent count too, unless they come after this one.
    """
    to_recipient = _recipient == recipient
    if row.person_id:  # until it is sent, a person's message has no address
        to_recipient = or_(to_recipient, _person == row.person_id)
    before = or_((_state == SENT) & (_sent > since), (_state == QUEUED) & (_id < row.id))
    at = func.coalesce(_sent, col(Message.created_at))
    times = select(at).where(to_recipient, _kind.in_(kinds), before, _id != row.id)
    return sorted((await session.scalars(times)).all())


async def empty_bodies(session: AsyncSession, before: datetime, limit: int) -> int:
    """Empty the texts of some messages queued before a moment. Return how many."""
    old = select(_id).where(_body.is_not(None), col(Message.created_at) < before).limit(limit)
    emptied = update(Message).where(_id.in_(old)).values(body=None)
    done: Any = await session.execute(emptied, execution_options={"synchronize_session": False})
    return done.rowcount


async def has_key(session: AsyncSession, key: str) -> bool:
    return await session.scalar(select(_id).where(col(Message.key) == key)) is not None


_UNSYNCED = {"synchronize_session": False}
_NAMES = tuple(each.name for each in fields(NotificationSettings))
_REASON_MAX = 300
_phone, _consenting = col(SmsConsent.phone), col(SmsConsent.person_id)
_device, _device_of = col(PushSubscription.id), col(PushSubscription.person_id)
_endpoint = col(PushSubscription.endpoint)
_NO_OFFERS = {"offers_wording": "", "offers_agreed_at": None}
_GETS_TEXTS = col(SmsConsent.agreed_at).is_not(None), col(SmsConsent.stopped_at).is_(None)


async def preferences_of(session: AsyncSession, person_id: str) -> NotificationSettings:
    row = await session.get(StoredPreferences, person_id, populate_existing=True)
    chosen = {name: getattr(row, name) for name in _NAMES} if row else {}
    return NotificationSettings(**chosen)


async def shown_preferences(session: AsyncSession, person_id: str) -> NotificationSettings:
    """Return a person's switches; notifications are off without a device. One statement."""
    row = (
        select(StoredPreferences, exists().where(_device_of == person_id))
        .select_from(select(literal(1)).subquery())
        .outerjoin(StoredPreferences, col(StoredPreferences.person_id) == person_id)
    )
    stored, has_device = (await session.execute(row)).one()
    chosen = {name: getattr(stored, name) for name in _NAMES} if stored else {}
    known = NotificationSettings(**chosen)
    return replace(known, push=known.push and has_device)


async def lock_preferences(session: AsyncSession, person_id: str) -> NotificationSettings:
    """Return a person's switches, locked until the transaction ends."""
    values = {"person_id": person_id} | asdict(NotificationSettings())
    await session.execute(insert_new(session, StoredPreferences).values(**values))
    row = select(StoredPreferences).where(col(StoredPreferences.person_id) == person_id)
    await session.execute(row.with_for_update())
    return await preferences_of(session, person_id)


async def save_preferences(
    session: AsyncSession, person_id: str, chosen: NotificationSettings
) -> None:
    row = update(StoredPreferences).where(col(StoredPreferences.person_id) == person_id)
    await session.execute(row.values(**asdict(chosen)))


async def is_refused(session: AsyncSession, address: str) -> bool:
    return await session.get(RefusedAddress, address) is not None


async def refuse_address(session: AsyncSession, address: str, reason: str) -> None:
    """Note that an address refuses mail."""
    row = {"address": address, "reason": reason[:_REASON_MAX]}
    await session.execute(insert_new(session, RefusedAddress).values(**row))


async def forgive_address(session: AsyncSession, address: str) -> None:
    """Forget that an address has refused mail."""
    await session.execute(delete(RefusedAddress).where(col(RefusedAddress.address) == address))


async def clear_address(session: AsyncSession, address: str) -> None:
    """Forget that an address has refused mail or unsubscribed: it is a person's, with switches."""
    await forgive_address(session, address)
    unsubscribed = col(UnsubscribedAddress.address) == address
    await session.execute(delete(UnsubscribedAddress).where(unsubscribed))


async def is_unsubscribed(session: AsyncSession, address: str) -> bool:
    return await session.get(UnsubscribedAddress, address) is not None


async def unsubscribe_address(session: AsyncSession, address: str) -> None:
    await session.execute(insert_new(session, UnsubscribedAddress).values(address=address))


async def consent_of(session: AsyncSession, phone: str) -> SmsConsent | None:
    return await session.get(SmsConsent, phone, populate_existing=True)


async def add_consent(
    session: AsyncSession, phone: str, person_id: str, wording: str, now: datetime
) -> None:
    """Store a consent with its wording. A STOP stays until START, as the provider sees it too."""
    await session.execute(insert_new(session, SmsConsent).values(phone=phone, wording=""))
    consent = update(SmsConsent).where(_phone == phone)
    formers = consent.where(_consenting.is_distinct_from(person_id))
    await session.execute(formers.values(**_NO_OFFERS))
    await session.execute(consent.values(person_id=person_id, wording=wording, agreed_at=now))


async def agree_to_offers(
    session: AsyncSession, phone: str, person_id: str, wording: str, now: datetime
) -> bool:
    """Store the consent to offers of a person who gets texts there. Return whether they do."""
    own = update(SmsConsent).where(_phone == phone, _consenting == person_id, *_GETS_TEXTS)
    agreed = own.values(offers_wording=wording, offers_agreed_at=now).returning(_phone)
    return await session.scalar(agreed, execution_options=_UNSYNCED) is not None


async def end_offers(session: AsyncSession, person_id: str) -> None:
    """End a person's consents to offers by text message."""
    own = update(SmsConsent).where(_consenting == person_id)
    await session.execute(own.values(**_NO_OFFERS), execution_options=_UNSYNCED)


async def has_agreed_to_offers(session: AsyncSession, phone: str, person_id: str) -> bool:
    own = _phone == phone, _consenting == person_id, col(SmsConsent.offers_agreed_at).is_not(None)
    return bool(await session.scalar(select(exists().where(*own, *_GETS_TEXTS))))


async def consents_of(session: AsyncSession, person_id: str) -> list[SmsConsent]:
    """Return a person's consents to text messages."""
    return list(await session.scalars(select(SmsConsent).where(_consenting == person_id)))


async def forget_person(session: AsyncSession, person_id: str) -> None:
    """Remove a person's switches, devices and consents. A STOP stays, without the person."""
    await session.execute(delete(PushSubscription).where(_device_of == person_id))
    switches = col(StoredPreferences.person_id) == person_id
    await session.execute(delete(StoredPreferences).where(switches))
    own, goes = _consenting == person_id, col(SmsConsent.stopped_at).is_(None)
    await session.execute(delete(SmsConsent).where(own, goes))
    nobodys = {"person_id": None, "wording": "", **_NO_OFFERS}
    await session.execute(update(SmsConsent).where(own).values(**nobodys))


async def stop_consents(session: AsyncSession, phone: str, now: datetime | None) -> None:
    """Note a phone's STOP, or with None its START."""
    await session.execute(insert_new(session, SmsConsent).values(phone=phone, wording=""))
    consent = update(SmsConsent).where(_phone == phone)
    await session.execute(consent.values(stopped_at=now, **_NO_OFFERS))


async def devices_of(session: AsyncSession, person_id: str) -> list[PushSubscription]:
    """Return the browsers that show a person's notifications, the first one first."""
    own = select(PushSubscription).where(_device_of == person_id).order_by(_device)
    return list(await session.scalars(own, execution_options={"populate_existing": True}))


async def has_device(session: AsyncSession, person_id: str) -> bool:
    return bool(await session.scalar(select(exists().where(_device_of == person_id))))


async def add_device(
    session: AsyncSession, of: Subscription, person_id: str, session_id: str, device: str
) -> bool:
    """Store a browser for a person, whose row is locked. Return False if it is not theirs to add.

    One that is known stays one row. Another person's becomes this person's only with the same
    keys, which nobody but the browser has. Beyond the most, those that were added first go.
    """
    owner = {"person_id": person_id, "session_id": session_id, "device": device}
    values = {"endpoint": of.endpoint, "p256dh": of.p256dh, "auth": of.auth, **owner}
    await session.execute(insert_new(session, PushSubscription).values(id=new_id(), **values))
    is_same = (col(PushSubscription.p256dh) == of.p256dh) & (col(PushSubscription.auth) == of.auth)
    this = update(PushSubscription).where(
        _endpoint == of.endpoint, is_same | (_device_of == person_id)
    )
    changed = this.values(**values, failures=0).returning(_device)
    if await session.scalar(changed, execution_options=_UNSYNCED) is None:
        return False
    own = await devices_of(session, person_id)
    former = [each.id for each in own[:-DEVICES_MOST]]
    await session.execute(delete(PushSubscription).where(_device.in_(former)))
    return True


async def remove_device(session: AsyncSession, endpoint: str, person_id: str) -> bool:
    """Remove a person's own browser. Return whether there was one."""
    own = delete(PushSubscription).where(_endpoint == endpoint, _device_of == person_id)
    return await session.scalar(own.returning(_device)) is not None


async def settle_pushes(
    session: AsyncSession,
    *,
    taken: Collection[str],
    refused: Collection[str],
    gone: Collection[str],
    now: datetime,
) -> None:
    """Store what push services have answered, by the ids of subscriptions.

    Those that are gone are removed, as are those that have been refused too often in a row.
    """
    is_over = _device.in_(refused) & (col(PushSubscription.failures) >= FAILURES_MOST - 1)
    await session.execute(delete(PushSubscription).where(_device.in_(gone) | is_over))
    was_used = update(PushSubscription).where(_device.in_(taken))
    await session.execute(
        was_used.values(last_used_at=now, failures=0), execution_options=_UNSYNCED
    )
    failed = update(PushSubscription).where(_device.in_(refused))
    counted = failed.values(failures=col(PushSubscription.failures) + 1)
    await session.execute(counted, execution_options=_UNSYNCED)


_FEW = 1_000


async def list_page(session: AsyncSession, query: MessageQuery) -> Page[Message]:
    """Return a page of rows; beyond the end, the last one."""
    matching = _matching(query)
    some = sorted(await session.scalars(select(_id).where(*matching).limit(_FEW + 1)))
    total = len(some)
    if total > _FEW:
        counted = select(func.count()).select_from(Message).where(*matching)
        total = await session.scalar(counted) or 0
    pages = pages_of(total, PAGE_SIZE)
    number = min(query.page, pages)
    start = (number - 1) * PAGE_SIZE
    order = _id.desc() if query.descending else _id.asc()
    if total > _FEW:
        statement = select(Message).where(*matching).limit(PAGE_SIZE).offset(start)
    else:
        ids = some[::-1] if query.descending else some
        statement = select(Message).where(_id.in_(ids[start : start + PAGE_SIZE]))
    return Page(tuple(await session.scalars(statement.order_by(order))), number, pages, total)


async def failed_since(
    session: AsyncSession, since: datetime, most: int
) -> tuple[list[Message], int]:
    """Return the latest messages of some days that failed and were not sent again; and how many.

    By the index of states.
    """
    statement = select(Message, func.count().over()).where(*_failed_since(since))
    rows = (await session.execute(statement.order_by(_id.desc()).limit(most))).all()
    return [row for row, _ in rows], rows[0][1] if rows else 0


async def bookings_failed_since(session: AsyncSession, since: datetime) -> frozenset[str]:
    """Return the bookings of the messages that `failed_since` is about."""
    statement = select(_about).distinct().where(*_failed_since(since), _about.is_not(None))
    return frozenset(filter(None, await session.scalars(statement)))


def _failed_since(since: datetime) -> tuple[ColumnElement[bool], ...]:
    again = aliased(Message)
    is_again = exists().where(col(again.key) == literal(AGAIN) + _id)
    return _state == FAILED, col(Message.created_at) > since, ~is_again


async def waiting(session: AsyncSession) -> list[tuple[str, int, datetime, str]]:
    """Return per channel how many messages are retried, since when, and why one of them is.

    By the index of state and error.
    """
    error, channel = col(Message.error), col(Message.channel)
    rows = await session.execute(
        select(channel, func.count(), func.min(col(Message.created_at)), func.max(error))
        .where(_state == QUEUED, error.is_not(None))
        .group_by(channel)
        .order_by(channel)
    )
    return [(*row,) for row in rows]


def _matching(query: MessageQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.q:
        found = _recipient.contains(query.of_recipient, autoescape=True)
        conditions.append(found | _person.in_(_named(query.words)) if query.words else found)
    if query.of_state:
        conditions.append(_state == (SENT if query.of_state == NOT_SENT else query.of_state))
    if query.of_state in (SENT, NOT_SENT):
        is_kept = func.coalesce(col(Message.error), "").in_(KEPT_HERE)
        conditions.append(is_kept if query.of_state == NOT_SENT else ~is_kept)
    if query.of_kind:
        conditions.append(_kind == query.of_kind)
    return conditions


def _named(words: Sequence[str]) -> Select[Any]:
    """Select the people whose names have each of these words."""
    return select(col(Person.id)).where(*(col(Person.search_name).contains(w) for w in words))


async def last_about(
    session: AsyncSession, booking_id: str, person_id: str, email: str
) -> Message | None:
    """Return the message about a booking that its customer, or else a guest, was sent last."""
    whose = _person == person_id if person_id else _recipient == email
    about = select(Message).where(whose, _state == SENT, _about == booking_id)
    return await session.scalar(about.order_by(_sent.desc(), _id.desc()).limit(1))


async def of_person(session: AsyncSession, person_id: str, *, security: bool) -> list[Message]:
    """Return a person's latest messages, newest first; no notification that nobody wanted."""
    is_unwanted = (col(Message.channel) == PUSH) & (_state == SKIPPED)
    of_person = select(Message).where(_person == person_id, ~is_unwanted)
    if not security:
        of_person = of_person.where(_kind.not_in(SECURITY))
    return list(await session.scalars(of_person.order_by(_id.desc()).limit(SHOWN_OF_PERSON)))
