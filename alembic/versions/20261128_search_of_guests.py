"""Add a column by which staff find the bookings of guests."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0020_search_of_guests"
down_revision = "0021_search_of_leads"
branch_labels = None
depends_on = None

_BATCH = 1000
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
_NAMES = ("first_name", "last_name", "email")
_PLACE = ("street", "unit", "city", "zip_code")
_GUEST = sa.text("guest_search <> ''")


def upgrade() -> None:
    op.add_column(
        "bookings", sa.Column("guest_search", sa.Text(), server_default="", nullable=False)
    )
    _fill()
    op.create_index(
        "ix_bookings_guests",
        "bookings",
        ["guest_email"],
        sqlite_where=_GUEST,
        postgresql_where=_GUEST,
    )


def _fill() -> None:
    """Fold what is stored of guests, some rows at a time."""
    connection, last = op.get_bind(), ""
    texts = [sa.column(each, sa.String) for each in ("id", "person_id", "guest_email")]
    values = [sa.column(each, sa.JSON) for each in ("contact", "vehicle", "place")]
    table = sa.table("bookings", *texts, *values, sa.column("guest_search", sa.Text))
    change = (
        sa.update(table)
        .where(table.c.id == sa.bindparam("row_id"))
        .values(guest_search=sa.bindparam("folded"))
    )
    theirs = (table.c.guest_email != "", table.c.person_id.is_(None))
    some = sa.select(table.c.id, table.c.contact, table.c.vehicle, table.c.place).where(*theirs)
    some = some.order_by(table.c.id).limit(_BATCH)
    while rows := connection.execute(some.where(table.c.id > last)).all():
        folded = [{"row_id": row[0], "folded": _search_text(*row[1:])} for row in rows]
        connection.execute(change, folded)
        last = rows[-1][0]


def _search_text(
    contact: Mapping[str, Any], vehicle: Mapping[str, Any], place: Mapping[str, Any]
) -> str:
    phone = re.sub(r"\D", "", contact.get("phone", ""))[-10:]
    plate = re.sub(r"[^0-9A-Z]", "", vehicle.get("license_plate", "").upper())
    names = [contact.get(each, "") for each in _NAMES]
    return _searchable(" ".join([*names, phone, plate, *[place.get(each, "") for each in _PLACE]]))


def _searchable(text: str) -> str:
    kept = []
    for each in unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS):
        if each.isalnum():
            kept.append(each)
        elif not unicodedata.combining(each) and each not in "'’ʼ`´":  # noqa: RUF001
            kept.append(" ")
    return " ".join("".join(kept).split())


def downgrade() -> None:
    op.drop_index("ix_bookings_guests", "bookings")
    with op.batch_alter_table("bookings") as batch:
        batch.drop_column("guest_search")
