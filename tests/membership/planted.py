"""A row in every table for one person, with a value of its own in every text and JSON column.

The columns are found by the schema: a new one is planted by itself.
"""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, timedelta
from itertools import count
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, LargeBinary, String, Table, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.rules.invoices import ACCOUNTS, LINE_KINDS
from fuel_app.billing.rules.receipts import PERSONAL
from fuel_app.bookings.rules.bookings import Car, Location
from fuel_app.kit.clock import day_of, now
from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import UtcTime
from fuel_app.tables import metadata

# Columns that refer to a row without a foreign key.
REFERENCES = {
    "audit_entries.subject_id": "people.id",
    "bookings.payer_id": "payers.id",
    "due_bookings.vehicle_id": "vehicles.id",
    "fills.vehicle_id": "vehicles.id",
    "fills_elsewhere.vehicle_id": "vehicles.id",
    "company_invitations.email": "people.email",
    "invoices.booking_id": "bookings.id",
    "journal_entries.invoice_id": "invoices.id",
    "leads.id": "waitlist_submissions.id",
    "ledger_entries.booking_id": "bookings.id",
    "ledger_entries.fill_id": "fills.id",
    "messages.recipient": "people.email",
    "payments.booking_id": "bookings.id",
    "refused_addresses.address": "people.email",
    "sign_ups.email": "people.email",
    "seat_proposals.vehicle_id": "vehicles.id",
    "series_cars.vehicle_id": "vehicles.id",
    "technician_actions.stop_id": "bookings.id",
    "waived_fees.booking_id": "bookings.id",
    "unsubscribed_addresses.address": "people.email",
}
# Those of the staff, not of the customer.
TECHNICIANS = (
    "shifts.technician_id",
    "technician_actions.person_id",
    "fill_photos.person_id",
    "leads.owner_id",
)
_LATER = {"neighborhoods.pioneer_id"}  # members and neighborhoods refer to each other
_SHORT = 6  # characters: no marker fits, so that the value is looked for in its own column
_CLOSED_LIST = re.compile(r"(\w+) IN \('([^']*)'")
_numbers = count(1)


@dataclass
class Planted:
    """The rows of one person by table, and the values in their columns by 'table.column'."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    @property
    def person_id(self) -> str:
        return self.rows["people"]["id"]

    def found_in(self, stored: Mapping[str, list[dict[str, Any]]]) -> set[str]:
        """Return the columns with a planted value: 'table.column', 'table.column.key' in JSON."""
        return {
            where
            for table, rows in stored.items()
            for row in rows
            for where, value in _leaves(table, row)
            if self._is_planted(where, value)
        }

    def _is_planted(self, where: str, value: str) -> bool:
        if self.values.get(where) == value:
            return True
        return any(len(each) >= _SHORT and each in value for each in self.values.values())


def _leaves(where: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [leaf for key, each in value.items() for leaf in _leaves(f"{where}.{key}", each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in _leaves(where, each)]
    if isinstance(value, bytes):
        return [(where, value.decode(errors="replace"))]
    return [(where, value)] if isinstance(value, str) else []


async def stored() -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table."""
    async with reading() as session:
        return {
            name: [dict(row) for row in (await session.execute(select(table))).mappings()]
            for name, table in metadata.tables.items()
        }


async def plant(session: AsyncSession, **of_person: Any) -> Planted:
    """Store a row of one person in every table, and the technician who came."""
    planted = Planted()
    technician = {"id": str(uuid.uuid4()), "passkey_user": str(uuid.uuid4())}
    await session.execute(insert(metadata.tables["people"]), [technician])
    for table in _in_order():
        row = {
            column.name: technician["id"]
            if f"{table.name}.{column.name}" in TECHNICIANS
            else _value(planted, table, column)
            for column in table.columns
            if column.autoincrement is not True
        }
        if table.name == "people":
            row |= of_person
        planted.rows[table.name] = row
        await session.execute(insert(table), [row])
    return planted


def _in_order() -> list[Table]:
    """Return the tables, each after those that its rows refer to."""
    placed: dict[str, Table] = {}
    left = dict(metadata.tables)
    while left:
        ready = [table for table in left.values() if _needs(table) <= placed.keys()]
        assert ready, f"These refer to each other: {sorted(left)}"
        for table in ready:
            placed[table.name] = left.pop(table.name)
    return list(placed.values())


def _needs(table: Table) -> set[str]:
    columns = {f"{table.name}.{each.name}": each for each in table.columns}
    targets = {_target(where, each) for where, each in columns.items() if where not in _LATER}
    return {target.split(".")[0] for target in targets if target} - {table.name}


def _value(planted: Planted, table: Table, column: Column[Any]) -> Any:
    where, number = f"{table.name}.{column.name}", next(_numbers)
    fixed = _fixed(number)
    if where in fixed:
        value = fixed[where]
    elif target := _target(where, column):
        own_table, name = target.split(".")
        value = planted.rows.get(own_table, {}).get(name)
    elif (listed := _closed_list(table, column.name)) is not None:
        value = listed
    elif _is(column, JSON):
        value = {"planted": f"ZZ{number:05} {where}"}
    elif _is(column, String):
        value = _text(where, column, number)
    elif _is(column, LargeBinary):
        value = f"ZZ{number:05} {where}".encode()
    elif column.nullable:
        return None
    else:
        value = _plain(column, number)
    is_link = where in REFERENCES or column.foreign_keys or _is_id(column)
    if not is_link and where not in {"people.passkey_user"}:
        for leaf, text in _leaves(where, value):
            if _closed_list(table, column.name) is None and text:
                planted.values[leaf] = text
    return value


def _target(where: str, column: Column[Any]) -> str:
    for key in column.foreign_keys:
        return key.target_fullname
    return REFERENCES.get(where, "")


def _is_id(column: Column[Any]) -> bool:
    return column.name == "id" and _is(column, String) and _length(column) == 36


def _is(column: Column[Any], kind: type) -> bool:
    """Return whether a column's type is of a kind, decorated or not."""
    return isinstance(getattr(column.type, "impl", column.type), kind)


def _length(column: Column[Any]) -> int:
    return getattr(column.type, "length", None) or 200


def _closed_list(table: Table, name: str) -> str | None:
    checks = [str(each.sqltext) for each in table.constraints if isinstance(each, CheckConstraint)]
    found = map(_CLOSED_LIST.match, checks)
    return next((each[2] for each in found if each and each[1] == name), None)


def _text(where: str, column: Column[Any], number: int) -> str:
    length = _length(column)
    if _is_id(column):
        return str(uuid.uuid4())
    if column.name in ("phone", "phone_number") and length == 10:
        return f"94155{number:05}"
    if column.name == "zip_code":
        return f"{10_000 + number}"
    if column.name == "email":
        return f"zz{number:05}@example.com"
    if length <= _SHORT:
        return f"{number:0{length}}"[-length:]
    return f"ZZ{number:05} {where}"[:length]


def _plain(column: Column[Any], number: int) -> Any:
    if isinstance(column.type, UtcTime):
        return now()
    kind = column.type.python_type
    if kind is date:
        return day_of(now()) + timedelta(days=number)
    if kind is bool:
        return False
    is_key = column.primary_key and len(column.table.primary_key) == 1
    return number if column.unique or is_key else 1


def _fixed(number: int) -> dict[str, Any]:
    """Return what a constraint or the code that reads it asks for."""

    def planted(name: str) -> str:
        return f"ZZ{number:05} {name}"

    car = {each.name: planted(each.name) for each in fields(Car)} | {"tank_tenths": 150}
    place: dict[str, Any] = {each.name: planted(each.name) for each in fields(Location)}
    place |= {"lat": 27.3, "lng": -82.5, "is_approximate": False, "zip_code": "34236"}
    amounts = ("paid_cents", "waived_cents", "refunded_cents", "captured_cents")
    none = {f"{table}.{name}": 0 for table in ("invoices", "payments") for name in amounts}
    return none | {
        "addresses.lat": 27.3,
        "area_windows.weekday": 0,
        "area_windows.closes": 2,
        "companies.is_fleet": True,
        "fills.pays_by": "fee",
        "fills.outcome": "",
        "fills.position": 1,
        "bookings.ends_at": now() + timedelta(hours=2),
        "fills.vehicle": car,
        "bookings.place": place,
        "invoices.details": {name: planted(name) for name in (*PERSONAL, "plan", "wording")},
        "invoice_lines.kind": next(each for each in LINE_KINDS if each != "fuel"),
        "jobs.outcome": None,
        "journal_entries.credit": ACCOUNTS[1],
        "lead_imports.under_way": None,
        "lead_imports.actor": planted("actor")[:36],
        "leads.type": "waitlist",
        "challenges.sign_up_id": None,
        "sessions.expires_at": now() + timedelta(days=1),
        "sessions.sign_up_id": None,
        "proposals.number": number,
        "shifts.ends_at": now() + timedelta(hours=8),
        "slot_places.hold_id": None,
        "trucks.tanks": {"regular": 1000},
        "route_stops.loaded": {"regular": 1000},
        "vehicles.tank_tenths": 150,
        "audit_entries.noun": "person",
        "preferences.marketing": True,
    }
