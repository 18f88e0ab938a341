"""Find leads by ZIP code and by names without punctuation; keep the ZIP code in the list."""

import re
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0021_search_of_leads"
down_revision = "0019_search_of_people"
branch_labels = None
depends_on = None

_BATCH = 1000
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
_ZIP = re.compile(r"(?<=[^0-9-])([0-9]{5})(?:-[0-9]{4})?(?![0-9-])")
_PLACES = {
    "waitlist_submissions": "zip_code",
    "fleet_quotes": "service_location",
    "business_quotes": "service_location",
}
_SHOWN = ("name", "company", "email", "phone")


def upgrade() -> None:
    empty = {"server_default": "", "nullable": False}
    op.add_column("leads", sa.Column("zip_code", sa.String(5), **empty))
    connection, last = op.get_bind(), 0
    leads = sa.table("leads", *[sa.column(each) for each in ("number", "id", "search", *_SHOWN)])
    change = sa.text(
        "UPDATE leads SET zip_code = :zip_code, search = :search WHERE number = :number"
    )
    some = sa.select(leads).order_by(leads.c.number).limit(_BATCH)
    while rows := connection.execute(some.where(leads.c.number > last)).mappings().all():
        codes = _zip_codes(connection, [row["id"] for row in rows])
        connection.execute(
            change,
            [
                {"number": row["number"], "zip_code": code, "search": _search(row, code)}
                for row in rows
                for code in [codes.get(row["id"], "")]
            ],
        )
        last = rows[-1]["number"]
    op.create_index("ix_leads_zip_code_created_at_number", "leads", _INDEXED)
    _rebuild()


_INDEXED = ["zip_code", "created_at", "number"]


def _rebuild() -> None:
    """Read all leads into SQLite's search index again: no trigger follows an update."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("INSERT INTO lead_search(lead_search) VALUES ('rebuild')")


def _zip_codes(connection: sa.Connection, ids: list[str]) -> dict[str, str]:
    codes: dict[str, str] = {}
    for name, column in _PLACES.items():
        table = sa.table(name, sa.column("id"), sa.column(column))
        rows = connection.execute(sa.select(table).where(table.c.id.in_(ids)))
        for own_id, typed in rows:
            found = [typed] if column == "zip_code" else _ZIP.findall(typed)
            codes[own_id] = found[-1] if found else ""
    return codes


def _search(row: sa.RowMapping, zip_code: str) -> str:
    shown = _fold("\n".join(row[each] for each in _SHOWN)).split("\n")
    plain = (_searchable(row["name"]), _searchable(row["company"]))
    digits = re.sub("[^0-9]", "", row["phone"])
    return "\n".join(dict.fromkeys((*shown, *plain, digits, zip_code)))


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(each for each in plain if not unicodedata.combining(each))


def _searchable(text: str) -> str:
    kept = []
    for each in unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS):
        if each.isalnum():
            kept.append(each)
        elif not unicodedata.combining(each) and each not in "'’ʼ`´":  # noqa: RUF001
            kept.append(" ")
    return " ".join("".join(kept).split())


def downgrade() -> None:
    """Leave the search's text: it holds all that the release before looked for."""
    op.drop_index("ix_leads_zip_code_created_at_number", "leads")
    op.drop_column("leads", "zip_code")
