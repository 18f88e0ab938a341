"""Leads in `leads` and in each type's own table: changing, deleting, restoring and showing them."""

import json
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import and_, case, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit import audit, outbox
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import on_sqlite
from fuel_app.kit.outbox import Message
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import WAITLIST_STATUS, Change, LeadQuery, LeadRow
from fuel_app.leads.tables import Lead, LeadNote
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.quotes.rules import NEWS_KEY
from fuel_app.quotes.tables import BusinessQuote, FleetQuote
from fuel_app.submissions.rules.details import REFERRED_SHOWN, Linked, LinkedCustomer
from fuel_app.submissions.tables import LeadImport
from fuel_app.waitlist.rules import MAIL_KEYS
from fuel_app.waitlist.tables import WaitlistSubmission

TABLES: Mapping[str, Any] = {
    "fleet": FleetQuote,
    "business": BusinessQuote,
    "waitlist": WaitlistSubmission,
}
_ID_LENGTH = 36
_id, _type = col(Lead.id), col(Lead.type)
_pioneer, _referrer_id = col(Neighborhood.pioneer_id), col(WaitlistSubmission.referred_by_id)

# As an insert does, but before neighborhoods are looked for: none is merged away after that.
_LOCK_MEMBERS = text("LOCK TABLE waitlist_submissions IN ROW EXCLUSIVE MODE")

_OWN = ("status", "lead_source")  # the columns that a lead's own table has, too

Snapshot = dict[str, Any]


async def lock_leads(
    session: AsyncSession, lead_ids: Sequence[str], query: LeadQuery | None = None
) -> list[LeadRow]:
    """Lock these leads until the transaction ends; those that are gone are left out, and with a
    query those that do not match it."""
    locked = select(_id).where(_id.in_(lead_ids)).order_by(col(Lead.number)).with_for_update()
    return await leads.by_ids(session, (await session.scalars(locked)).all(), query)


async def change(
    session: AsyncSession, action: audit.Action, rows: Sequence[LeadRow], wanted: Change
) -> int:
    """Give these locked leads the values of a change. Return how many differed.

    A constant number of statements, however many leads.
    """
    differ = [row for row in rows if wanted.alters(row)]
    after = _plain(wanted.values)
    before = [_plain({name: getattr(row, name) for name in wanted.values}) for row in differ]
    changes = [
        audit.Change(row.id, *_differing(wanted.kind, was, after))
        for row, was in zip(differ, before, strict=True)
    ]
    await audit.record(session, action, changes)
    await _write(session, differ, wanted.values)
    return len(differ)


def _differing(kind: str, before: Snapshot, after: Snapshot) -> tuple[Snapshot, Snapshot]:
    """Return what the log keeps of a change: its main value, and others that differ."""
    names = [name for name in after if name == kind or before[name] != after[name]]
    return {name: before[name] for name in names}, {name: after[name] for name in names}


async def set_back(session: AsyncSession, changes: Sequence[audit.AuditEntry]) -> set[str]:
    """Give leads their former values, except those changed again since."""
    before = {entry.subject_id: entry.before or {} for entry in changes}
    after = {entry.subject_id: entry.after or {} for entry in changes}
    rows = await lock_leads(session, list(before))
    same: dict[str, list[LeadRow]] = {}
    for row in rows:
        if _plain({name: getattr(row, name) for name in after[row.id]}) == after[row.id]:
            same.setdefault(json.dumps(before[row.id]), []).append(row)
    for values, some in same.items():
        await _write(session, some, _typed(json.loads(values)))
    return {row.id for some in same.values() for row in some}


async def lock_entries(session: AsyncSession, lead_ids: Sequence[str]) -> None:
    """Lock the waitlist submissions of these leads: no sign-up links one until the commit."""
    if not on_sqlite(session):
        await session.execute(_LOCK_MEMBERS)
    entry = col(WaitlistSubmission.id)
    await session.execute(
        select(entry).where(entry.in_(lead_ids)).order_by(entry).with_for_update()
    )


async def remove_leads(
    session: AsyncSession, action: audit.Action, rows: Sequence[LeadRow], linked: Collection[str]
) -> int:
    """Delete these locked leads; the log keeps each whole for a while. Return how many.

    Args:
        linked: The waitlist submissions of customers. They only leave the list: membership,
            referrals and the free first fill are the customer's.
    """
    kept = await _snapshots(session, rows)
    for lead_id in linked:
        kept[lead_id] |= {"stays": True, "pioneer_of": [], "referred": []}
    ids = [row.id for row in rows]
    await audit.expire(session, "lead", ids, now() + (action.kept_for or timedelta()))
    await audit.record(session, action, [audit.Change(own_id, kept[own_id]) for own_id in ids])
    for lead_type, ids in _by_type(rows).items():
        gone = [lead_id for lead_id in ids if lead_id not in linked]
        await session.execute(delete(TABLES[lead_type]).where(col(TABLES[lead_type].id).in_(gone)))
    await session.execute(delete(Lead).where(_id.in_(ids)))
    return len(rows)


async def _write(session: AsyncSession, rows: Sequence[LeadRow], values: Mapping[str, Any]) -> None:
    own = {name: value for name, value in values.items() if name in _OWN}
    for lead_type, ids in _by_type(rows).items() if own else ():
        await session.execute(
            update(TABLES[lead_type]).where(col(TABLES[lead_type].id).in_(ids)).values(own)
        )
    listed: dict[str, Any] = {**values, "revision": col(Lead.revision) + 1}
    if "status" in own:
        listed["shown_status"] = case((_type == "waitlist", WAITLIST_STATUS), else_=own["status"])
    ids = [row.id for row in rows]
    await session.execute(update(Lead).where(_id.in_(ids)).values(listed))


def _by_type(rows: Sequence[LeadRow]) -> Mapping[str, list[str]]:
    of_type: dict[str, list[str]] = {}
    for row in rows:
        of_type.setdefault(row.type, []).append(row.id)
    return of_type


async def _snapshots(session: AsyncSession, rows: Sequence[LeadRow]) -> dict[str, Snapshot]:
    """Return each lead as JSON: its rows, and the ids of the rows that refer to it."""
    ids = [row.id for row in rows]
    listed = await session.execute(select(Lead.__table__).where(col(Lead.id).in_(ids)))
    blank = {"pioneer_of": [], "referred": [], "notes": []}
    kept: dict[str, Snapshot] = {
        line["id"]: {"type": line["type"], "line": _plain(line), **deepcopy(blank)}
        for line in listed.mappings()
    }
    for note in await leads.notes(session, ids):
        kept[note.lead_id]["notes"].append(_plain(note.model_dump()))
    for table in TABLES.values():
        stored = await session.execute(select(table.__table__).where(col(table.id).in_(ids)))
        for row in stored.mappings():
            kept[row["id"]]["row"] = _plain(row)
    for neighborhood_id, pioneer in await session.execute(
        select(col(Neighborhood.id), _pioneer).where(_pioneer.in_(ids))
    ):
        kept[str(pioneer)]["pioneer_of"].append(neighborhood_id)
    for guest_id, referrer in await session.execute(
        select(col(WaitlistSubmission.id), _referrer_id).where(_referrer_id.in_(ids))
    ):
        kept[str(referrer)]["referred"].append(guest_id)
    return kept


async def restore(session: AsyncSession, deleted: Sequence[Snapshot]) -> set[str]:
    """Store these leads again. Return their ids.

    One whose e-mail address has joined again since, that is there already, whose import has been
    undone, or whose customer's account has been emptied is left out.
    """
    free = await _without_taken(session, deleted)
    if not free:
        return set()
    if not on_sqlite(session):
        await session.execute(_LOCK_MEMBERS)
    await _forget_what_is_gone(session, free)
    for lead_type, table in TABLES.items():
        gone = [kept for kept in free if kept["type"] == lead_type and not kept.get("stays")]
        rows = [_typed(kept["row"]) for kept in gone]
        if rows:
            await session.execute(insert(table), rows)
    await session.execute(insert(Lead), [_typed(kept["line"]) for kept in free])
    notes = [_typed(note) for kept in free for note in kept.get("notes", ())]
    if notes:
        await session.execute(insert(LeadNote), notes)
    await audit.expire(session, "lead", [kept["row"]["id"] for kept in free], None)
    back = {kept["row"]["id"] for kept in free}
    for kept in free:
        own_id = kept["row"]["id"]
        await _point_at(session, Neighborhood, "pioneer_id", kept["pioneer_of"], own_id)
        await _point_at(session, WaitlistSubmission, "referred_by_id", kept["referred"], own_id)
    return back


async def _without_taken(session: AsyncSession, deleted: Sequence[Snapshot]) -> list[Snapshot]:
    ids = [kept["row"]["id"] for kept in deleted]
    emails = [kept["row"]["email"] for kept in deleted if kept["type"] == "waitlist"]
    import_ids = {kept["line"]["import_id"] for kept in deleted} - {None}
    entry, email = col(WaitlistSubmission.id), col(WaitlistSubmission.email)
    removed = select(col(LeadImport.id)).where(
        col(LeadImport.id).in_(import_ids), col(LeadImport.state).not_in(["running", "done"])
    )
    listed = set(await session.scalars(select(_id).where(_id.in_(ids))))
    entries = set(await session.scalars(select(entry).where(entry.in_(ids))))
    taken = set(await session.scalars(select(email).where(email.in_(emails))))
    undone = set(await session.scalars(removed))

    def is_free(kept: Snapshot) -> bool:
        row = kept["row"]
        if row["id"] in listed or kept["line"]["import_id"] in undone:
            return False
        if kept.get("stays"):
            return row["id"] in entries
        return kept["type"] != "waitlist" or row["email"] not in taken

    return [kept for kept in deleted if is_free(kept)]


async def _forget_what_is_gone(session: AsyncSession, deleted: Sequence[Snapshot]) -> None:
    """Clear the references to neighborhoods and referrers that are gone.

    A referrer that comes back in the same batch refers to its guests itself.
    """
    for key, table in (("neighborhood_id", Neighborhood), ("referred_by_id", WaitlistSubmission)):
        named = {kept["row"].get(key) for kept in deleted} - {None}
        rows = await session.scalars(select(col(table.id)).where(col(table.id).in_(named)))
        existing = set(rows)
        for kept in deleted:
            if key in kept["row"] and kept["row"][key] not in existing:
                kept["row"][key] = None


async def _point_at(
    session: AsyncSession, table: Any, key: str, ids: Sequence[str], own_id: str
) -> None:
    if not ids:
        return
    unset = update(table).where(col(table.id).in_(ids), col(getattr(table, key)).is_(None))
    await session.execute(unset.values({key: own_id}))


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        key: value.isoformat() if isinstance(value, date) else value for key, value in row.items()
    }


_READS = {"created_at": datetime.fromisoformat, "next_step_on": date.fromisoformat}


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    return row | {key: read(row[key]) for key, read in _READS.items() if row.get(key)}


async def forget_mails(session: AsyncSession) -> None:
    """Empty the mails to and about leads that are gone. O(those), by an index."""
    key = col(Message.key)
    for prefix in (*MAIL_KEYS, NEWS_KEY):
        own_id = func.substr(key, len(prefix) + 1, _ID_LENGTH)
        is_gone = ~select(Lead).where(_id == own_id).exists()
        await outbox.erase(session, and_(key.startswith(prefix, autoescape=True), is_gone))


NEIGHBORHOOD = (col(Neighborhood.id), col(Neighborhood.name))
PERSON = (
    col(WaitlistSubmission.id),
    col(WaitlistSubmission.first_name) + " " + col(WaitlistSubmission.last_name),
)


async def stored_row(session: AsyncSession, row: LeadRow) -> dict[str, Any]:
    """Return the columns of a lead's own table."""
    table = TABLES[row.type]
    rows = await session.execute(select(table.__table__).where(col(table.id) == row.id))
    return dict(rows.mappings().one())


async def stored_rows(session: AsyncSession, rows: Sequence[LeadRow]) -> dict[str, dict[str, Any]]:
    """Return the columns of these leads' own tables, by id."""
    stored: dict[str, dict[str, Any]] = {}
    for lead_type, ids in _by_type(rows).items():
        table = TABLES[lead_type]
        found = await session.execute(select(table.__table__).where(col(table.id).in_(ids)))
        stored |= {each["id"]: dict(each) for each in found.mappings()}
    return stored


async def neighborhood_names(
    session: AsyncSession, ids: Collection[str | None]
) -> dict[str | None, str]:
    rows = await session.execute(select(*NEIGHBORHOOD).where(NEIGHBORHOOD[0].in_(ids)))
    return {own_id: name for own_id, name in rows}


async def linked(session: AsyncSession, columns: Any, wanted_id: str | None) -> Linked:
    """Return a neighborhood or a person with this id; a blank one without any."""
    row = (await session.execute(select(*columns).where(columns[0] == wanted_id))).first()
    return Linked(*row) if row else Linked()


async def referred(session: AsyncSession, lead_id: str) -> tuple[tuple[Linked, ...], int]:
    """Return the first ones whom a lead has referred, and how many there are."""
    guests = select(*PERSON).where(_referrer_id == lead_id).order_by(PERSON[0])
    shown = await session.execute(guests.limit(REFERRED_SHOWN))
    total = await session.scalar(select(func.count()).where(_referrer_id == lead_id))
    return tuple(Linked(*guest) for guest in shown), total or 0


async def customers(
    session: AsyncSession, linked: Sequence[str], query: LeadQuery | None = None
) -> list[LinkedCustomer]:
    """Return the leads of these customers' submissions by name; with a query, those that match."""
    columns = (col(Lead.name), col(WaitlistSubmission.neighborhood_id).is_not(None))
    chosen: Any = select(*columns).join(WaitlistSubmission, PERSON[0] == _id)
    chosen = chosen.where(_id.in_(linked)).order_by(col(Lead.name_key), col(Lead.number))
    if query:
        chosen = leads.matching(session, chosen, query)
    return [LinkedCustomer(*row) for row in await session.execute(chosen)]
