"""Neighborhoods count their members and can be sorted and searched; what staff did to them."""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0003_neighborhood_counts"
down_revision = "0002_staff_tables"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_MANY = 2_000


def upgrade() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    # In words that both databases take: SQLite would otherwise copy the table, and the members of
    # the old one would lose their groups with it.
    op.execute(
        "ALTER TABLE neighborhoods ADD COLUMN members INTEGER DEFAULT 0 NOT NULL"
        " CONSTRAINT ck_neighborhoods_members_counted CHECK (members >= 0)"
    )
    collation = "" if on_sqlite else ' COLLATE "C"'
    for column in ("search_name", "pioneer_key"):
        op.execute(
            f"ALTER TABLE neighborhoods ADD COLUMN {column} VARCHAR{collation} DEFAULT '' NOT NULL"
        )
    op.create_table(
        "neighborhood_changes",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("neighborhood_id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("by_session", sa.String(36), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("moved", sa.Integer(), nullable=False),
        sa.Column("undone_at", _TIME, nullable=True),
        sa.CheckConstraint("kind IN ('rename', 'merge', 'pioneer')", name="kind_known"),
        sa.PrimaryKeyConstraint("id", name="pk_neighborhood_changes"),
    )
    op.create_index(
        "ix_neighborhood_changes_neighborhood_id_id",
        "neighborhood_changes",
        ["neighborhood_id", "id"],
    )
    op.create_table(
        "neighborhood_moves",
        sa.Column("change_id", sa.String(36), nullable=False),
        sa.Column("submission_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(
            ["change_id"],
            ["neighborhood_changes.id"],
            name="fk_neighborhood_moves_change_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["waitlist_submissions.id"],
            name="fk_neighborhood_moves_submission_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("change_id", "submission_id", name="pk_neighborhood_moves"),
    )
    op.create_index("ix_neighborhood_moves_submission_id", "neighborhood_moves", ["submission_id"])
    op.create_table(
        "neighborhood_redirects",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("neighborhood_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(
            ["neighborhood_id"],
            ["neighborhoods.id"],
            name="fk_neighborhood_redirects_neighborhood_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_neighborhood_redirects"),
    )
    op.create_index(
        "ix_neighborhood_redirects_neighborhood_id", "neighborhood_redirects", ["neighborhood_id"]
    )
    _count_and_name()
    for statement in _SQLITE if on_sqlite else _POSTGRESQL:
        op.execute(statement)


_ADD = "UPDATE neighborhoods SET members = members + 1 WHERE id = NEW.neighborhood_id"
_TAKE = "UPDATE neighborhoods SET members = members - 1 WHERE id = OLD.neighborhood_id"
_SQLITE = (
    "CREATE TRIGGER members_added AFTER INSERT ON waitlist_submissions"
    f" WHEN NEW.neighborhood_id IS NOT NULL BEGIN {_ADD}; END",
    "CREATE TRIGGER members_moved AFTER UPDATE OF neighborhood_id ON waitlist_submissions"
    f" WHEN OLD.neighborhood_id IS NOT NEW.neighborhood_id BEGIN {_TAKE}; {_ADD}; END",
    "CREATE TRIGGER members_removed AFTER DELETE ON waitlist_submissions"
    f" WHEN OLD.neighborhood_id IS NOT NULL BEGIN {_TAKE}; END",
)
_SHARE = (
    """
CREATE FUNCTION members_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(3405691582);
  RETURN NEW;
END $$
""",
    """
CREATE TRIGGER members_wait BEFORE INSERT ON waitlist_submissions
FOR EACH ROW WHEN (NEW.neighborhood_id IS NOT NULL) EXECUTE FUNCTION members_wait()
""",
    """
CREATE TRIGGER members_wait_all BEFORE UPDATE OF neighborhood_id OR DELETE ON waitlist_submissions
FOR EACH STATEMENT EXECUTE FUNCTION members_wait()
""",
)
_FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tally record;
BEGIN
  FOR tally IN
    SELECT neighborhood_id, sum(change) AS difference FROM ({changes}) AS changes
    WHERE neighborhood_id IS NOT NULL
    GROUP BY neighborhood_id HAVING sum(change) <> 0 ORDER BY neighborhood_id
  LOOP
    UPDATE neighborhoods SET members = members + tally.difference WHERE id = tally.neighborhood_id;
  END LOOP;
  RETURN NULL;
END $$
"""
_TRIGGER = """
CREATE TRIGGER {name} AFTER {event} ON waitlist_submissions
REFERENCING {tables} FOR EACH STATEMENT EXECUTE FUNCTION {name}()
"""
_JOINED = "SELECT neighborhood_id, 1 AS change FROM joined"
_LEFT = "SELECT neighborhood_id, -1 AS change FROM gone"
_NEW, _OLD = "NEW TABLE AS joined", "OLD TABLE AS gone"
_NAMES = ("members_added", "members_moved", "members_removed")
_POSTGRESQL = _SHARE + tuple(
    template.format(name=name, event=event, tables=tables, changes=changes)
    for name, event, tables, changes in zip(
        _NAMES,
        ("INSERT", "UPDATE", "DELETE"),
        (_NEW, f"{_OLD} {_NEW}", _OLD),
        (_JOINED, f"{_JOINED} UNION ALL {_LEFT}", _LEFT),
        strict=True,
    )
    for template in (_FUNCTION, _TRIGGER)
)


def _count_and_name() -> None:
    """What the groups that are there already would have."""
    op.execute(
        "UPDATE neighborhoods SET members ="
        " (SELECT count(*) FROM waitlist_submissions WHERE neighborhood_id = neighborhoods.id)"
    )
    connection = op.get_bind()
    found = connection.execute(
        sa.text(
            "SELECT n.id, n.name, p.first_name, p.last_name FROM neighborhoods n"
            " LEFT JOIN waitlist_submissions p ON p.id = n.pioneer_id"
        )
    )
    keep = sa.text(
        "UPDATE neighborhoods SET search_name = :search_name, pioneer_key = :pioneer_key"
        " WHERE id = :id"
    )
    for rows in list(found.partitions(_MANY)):
        connection.execute(keep, [_keys(*row) for row in rows])


def _keys(group_id: str, name: str, first: str | None, last: str | None) -> dict[str, str]:
    pioneer = f"{last}\n{first} {last}" if last is not None else ""
    return {"id": group_id, "search_name": _fold(name), "pioneer_key": _fold(pioneer)}


def _fold(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in letters if not unicodedata.combining(c))


def downgrade() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for name in _NAMES:
        op.execute(f"DROP TRIGGER {name}" + ("" if on_sqlite else " ON waitlist_submissions"))
        if not on_sqlite:
            op.execute(f"DROP FUNCTION {name}()")
    if not on_sqlite:
        op.execute("DROP FUNCTION members_wait() CASCADE")
    op.drop_table("neighborhood_redirects")
    op.drop_table("neighborhood_moves")
    op.drop_table("neighborhood_changes")
    for column in ("pioneer_key", "search_name", "members"):
        op.execute(f"ALTER TABLE neighborhoods DROP COLUMN {column}")
