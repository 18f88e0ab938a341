"""Add columns for searching names and addresses without case, accents and punctuation."""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0019_search_of_people"
down_revision = "0018_audit_actors"
branch_labels = None
depends_on = None

_BATCH = 1000
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
_SOURCES = {
    ("people", "search_name"): ("first_name", "last_name"),
    ("addresses", "search"): ("street", "unit", "city", "zip_code"),
}


def upgrade() -> None:
    for (table, column), sources in _SOURCES.items():
        op.add_column(table, sa.Column(column, sa.Text(), server_default="", nullable=False))
        _fill(table, column, sources)


def _fill(name: str, column: str, sources: tuple[str, ...]) -> None:
    """Fold what is stored, some rows at a time."""
    connection, last = op.get_bind(), ""
    table = sa.table(name, *[sa.column(each, sa.String) for each in ("id", column, *sources)])
    change = (
        sa.update(table)
        .where(table.c.id == sa.bindparam("row_id"))
        .values({column: sa.bindparam("folded")})
    )
    some = sa.select(table.c.id, *[table.c[each] for each in sources]).order_by(table.c.id)
    while rows := connection.execute(some.where(table.c.id > last).limit(_BATCH)).all():
        folded = [{"row_id": row[0], "folded": _searchable(" ".join(row[1:]))} for row in rows]
        connection.execute(change, folded)
        last = rows[-1][0]


def _searchable(text: str) -> str:
    kept = []
    for each in unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS):
        if each.isalnum():
            kept.append(each)
        elif not unicodedata.combining(each) and each not in "'’ʼ`´":  # noqa: RUF001
            kept.append(" ")
    return " ".join("".join(kept).split())


def downgrade() -> None:
    for table, column in _SOURCES:
        with op.batch_alter_table(table) as batch:
            batch.drop_column(column)
