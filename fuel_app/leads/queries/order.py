"""The orders of the staff's list: each is the head of one index of `leads`."""

from typing import Any

from sqlalchemy import ColumnElement, Select, literal_column
from sqlmodel import col

from fuel_app.leads.rules import LeadQuery
from fuel_app.leads.tables import QUOTED, Lead

number: Any = col(Lead.number)  # None only until the database has numbered the row
name: Any = col(Lead.name_key)
_type, _created_at = col(Lead.type), col(Lead.created_at)
_type_read = literal_column("+leads.type")  # for SQLite: no index is to be chosen by it

# Each ends in the number: the order is the same every time.
_KEYS: dict[str, tuple[Any, ...]] = {
    "type": (_type, _created_at, number),
    "status": (col(Lead.shown_status), _created_at, number),
    "date": (_created_at, number),
    "name": (name, number),
    "source": (col(Lead.lead_source), _created_at, number),
}


def keys(query: LeadQuery) -> tuple[Any, ...]:
    """What the query's order compares, one after the other; the number is the last."""
    if query.type == "waitlist" and query.sort == "status":
        return _KEYS["date"]  # the whole waitlist is shown with one status
    return _KEYS[query.sort]


def order(query: LeadQuery, *, backwards: bool = False) -> list[ColumnElement[Any]]:
    descending = query.descending is not backwards
    return [key.desc() if descending else key.asc() for key in keys(query)]


def of_type(found: Select[Any], query: LeadQuery, *, on_sqlite: bool) -> Select[Any]:
    """Only the query's type, for a walk along the order.

    SQLite would rather find the type first, and then sort nearly all leads.
    """
    if not query.type:
        return found
    if query.type != "waitlist":
        return found.where(_type == query.type, QUOTED)  # in so many words, for its own indexes
    if on_sqlite and query.sort in {"name", "source"}:
        return found.where(_type_read == query.type)
    return found.where(_type == query.type)


def type_read(found: Select[Any], query: LeadQuery, *, on_sqlite: bool) -> Select[Any]:
    """Only the query's type, read from each lead that another index has found."""
    if not query.type:
        return found
    return found.where((_type_read if on_sqlite else _type) == query.type)
