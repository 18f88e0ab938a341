"""Searches in the order of names: who has the term at the beginning of the name lies together.

They are often all that a search finds, a tenth of all leads. The order's index knows where they
begin, the search's index knows the others; so nobody collects and sorts them all.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, select, union_all
from sqlmodel import col

from fuel_app.db.lead_order import number, of_type, order
from fuel_app.db.models import Lead
from fuel_app.domain.leads import LeadQuery

BEGINNING = 4  # letters of a name that the search's indexes know as its beginning
LAST_SIGN = "\U0010ffff"

name: Any = col(Lead.name_key)


def beginning(query: LeadQuery) -> str:
    """How names begin that a search in their order finds together; '' in another order."""
    return query.term[:BEGINNING] if query.sort == "name" and query.term[BEGINNING - 1 :] else ""


def with_beginning(
    others: Select[Any], query: LeadQuery, matches: ColumnElement[bool], *, most: int, sqlite: bool
) -> Select[Any]:
    """Those of the names that begin so, and the others.

    Args:
        others: Name and number of each.
        matches: Whether a name that begins so is one that the search finds.
        most: So many of those that begin so are enough.
    """
    begins = beginning(query)
    those = (
        select().add_columns(name, number).where(name >= begins, name < begins + LAST_SIGN, matches)
    )
    those = of_type(those, query, on_sqlite=sqlite).order_by(*order(query)).limit(most)
    first = union_all(select(those.subquery()), others).subquery()
    by = [key.desc() if query.descending else key.asc() for key in first.c]
    return select(first.c.number).order_by(*by)
