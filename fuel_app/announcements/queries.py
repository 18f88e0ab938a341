"""Queries on announcements, on who gets one, and on what has become of its messages."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    and_,
    case,
    delete,
    exists,
    false,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.announcements.rules import DRAFT, NEWSLETTER, NO_PLAN, Audience
from fuel_app.announcements.tables import Announcement
from fuel_app.areas.tables import AreaZip
from fuel_app.customers.tables import StoredAddress, StoredCustomer
from fuel_app.kit.outbox import SENT, SKIPPED, Message
from fuel_app.messages.rules.delivery import KEPT_HERE
from fuel_app.messages.tables import RefusedAddress, SmsConsent, StoredPreferences
from fuel_app.plans.rules.plans import ACTIVE, PAST_DUE
from fuel_app.plans.tables import Subscription

_id, _state = col(Announcement.id), col(Announcement.state)
_person, _email, _phone = col(Person.id), col(Person.email), col(Person.phone)
_batch: ColumnElement[str] = Message.__table__.c.batch_id
_UNSYNCED = {"synchronize_session": False}


async def newest(session: AsyncSession, limit: int) -> Sequence[Announcement]:
    return (await session.scalars(select(Announcement).order_by(_id.desc()).limit(limit))).all()


async def find(
    session: AsyncSession, announcement_id: str, *, lock: bool = False
) -> Announcement | None:
    """Return an announcement; `lock` keeps others from changing it in this transaction."""
    return await session.get(Announcement, announcement_id, with_for_update=lock or None)


async def change(session: AsyncSession, announcement_id: str, revision: int, **values: Any) -> bool:
    """Change a draft that is as it was seen. Return whether it was."""
    seen = _id == announcement_id, _state == DRAFT, col(Announcement.revision) == revision
    changed = update(Announcement).where(*seen).values(**values, revision=revision + 1)
    return await session.scalar(changed.returning(_id), execution_options=_UNSYNCED) is not None


async def remove(session: AsyncSession, announcement_id: str) -> bool:
    """Delete a draft. Return whether there was one."""
    gone = delete(Announcement).where(_id == announcement_id, _state == DRAFT)
    return await session.scalar(gone.returning(_id), execution_options=_UNSYNCED) is not None


class Reached(NamedTuple):
    """A person who gets an announcement, and by what."""

    person_id: str
    by_mail: bool
    by_text: bool


async def next_people(session: AsyncSession, of: Announcement, limit: int) -> list[Reached]:
    """Return who gets an announcement next."""
    by_mail, by_text, who = _audience(of)
    people = select(_person, by_mail, by_text).where(*who).order_by(_person).limit(limit)
    rows = await session.execute(people.join(StoredPreferences, _chosen_by))
    return [Reached(person, bool(mail), bool(text)) for person, mail, text in rows]


async def count_people(session: AsyncSession, of: Announcement) -> Audience:
    """Count who is still to get an announcement."""
    by_mail, by_text, who = _audience(of)
    counts = func.count(), func.count().filter(by_mail), func.count().filter(by_text)
    counted = select(*counts).select_from(Person).join(StoredPreferences, _chosen_by)
    return Audience(*(await session.execute(counted.where(*who))).one())


_chosen_by = col(StoredPreferences.person_id) == _person


def _audience(
    of: Announcement,
) -> tuple[ColumnElement[bool], ColumnElement[bool], list[ColumnElement[bool]]]:
    """Return who gets an announcement by mail, who by text, and who gets it at all.

    They have agreed to its kind. Of those who have no e-mail that is verified and takes mail, nor
    a phone with a consent, there is nothing to send. All of it is asked again as it is sent.
    """
    is_newsletter = of.kind == NEWSLETTER
    wants = col(StoredPreferences.newsletter if is_newsletter else StoredPreferences.marketing)
    by_mail = and_(
        col(StoredPreferences.email),
        col(Person.email_verified_at).is_not(None),
        ~exists().where(col(RefusedAddress.address) == _email),
    )
    has_agreed = exists().where(
        col(SmsConsent.phone) == _phone,
        col(SmsConsent.person_id) == _person,
        col(SmsConsent.offers_agreed_at).is_not(None),
        col(SmsConsent.stopped_at).is_(None),
    )
    is_verified = col(Person.phone_verified_at).is_not(None)
    has_text = true() if of.text else false()
    by_text = and_(has_text, col(StoredPreferences.sms), is_verified, has_agreed)
    is_active = col(Person.deactivated_at).is_(None), col(Person.deleted_at).is_(None)
    who = [wants, *is_active, _person > of.reached, or_(by_mail, by_text)]
    if of.area_id:
        who.append(_lives_in(of.area_id))
    if of.plan_id:
        who.append(_has_plan(of.plan_id))
    return by_mail, by_text, who


def _lives_in(area_id: str) -> ColumnElement[bool]:
    """Return who has an address in an area; the ZIP of sign-up counts until there is one."""
    zips = select(col(AreaZip.zip_code)).where(col(AreaZip.area_id) == area_id)
    address_of = col(StoredAddress.person_id) == _person
    signed_up = col(StoredCustomer.person_id) == _person, col(StoredCustomer.zip_code).in_(zips)
    return or_(
        exists().where(address_of, col(StoredAddress.zip_code).in_(zips)),
        and_(~exists().where(address_of), exists().where(*signed_up)),
    )


def _has_plan(plan_id: str) -> ColumnElement[bool]:
    runs = col(Subscription.state).in_((ACTIVE, PAST_DUE))
    has_any = col(Subscription.person_id) == _person, runs
    if plan_id == NO_PLAN:
        return ~exists().where(*has_any)
    return exists().where(*has_any, col(Subscription.plan_id) == plan_id)


async def count_messages(
    session: AsyncSession, ids: Collection[str]
) -> dict[str, dict[tuple[str, str], int]]:
    """Count the messages of announcements by channel and state.

    One that is settled since nothing can be sent here was not sent.
    """
    is_kept = col(Message.error).in_(KEPT_HERE)
    by = (_batch, col(Message.channel), case((is_kept, SKIPPED), else_=col(Message.state)))
    counted = select(*by, func.count()).where(_batch.in_(ids)).group_by(*by)
    found: dict[str, dict[tuple[str, str], int]] = {}
    for batch_id, channel, state, number in await session.execute(counted):
        found.setdefault(batch_id, {})[channel, state] = number
    return found


async def count_unsubscribed(session: AsyncSession, ids: Collection[str]) -> dict[str, int]:
    """Count those who got an announcement, and do not want its kind any more."""
    is_newsletter = col(Message.kind) == NEWSLETTER
    wants_no_more = or_(
        and_(is_newsletter, ~col(StoredPreferences.newsletter)),
        and_(~is_newsletter, ~col(StoredPreferences.marketing)),
    )
    counted = (
        select(_batch, func.count(col(Message.person_id).distinct()))
        .join(StoredPreferences, col(StoredPreferences.person_id) == col(Message.person_id))
        .where(_batch.in_(ids), col(Message.state) == SENT, wants_no_more)
        .group_by(_batch)
    )
    return {batch_id: number for batch_id, number in await session.execute(counted)}
