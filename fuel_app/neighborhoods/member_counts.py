"""Triggers that keep each group's member count: whatever path a change takes, it is counted.

The count is a column of the group, so that a list reads it. No code adds to it.
"""

from typing import Any

from sqlalchemy import event, text
from sqlalchemy.engine import Connection

from fuel_app.kit.db.tables import metadata

_ADD = "UPDATE neighborhoods SET members = members + 1 WHERE id = NEW.neighborhood_id"
_TAKE = "UPDATE neighborhoods SET members = members - 1 WHERE id = OLD.neighborhood_id"
_MOVED = "UPDATE OF neighborhood_id ON waitlist_submissions"
_SQLITE = (
    f"CREATE TRIGGER members_added AFTER INSERT ON waitlist_submissions"
    f" WHEN NEW.neighborhood_id IS NOT NULL BEGIN {_ADD}; END",
    f"CREATE TRIGGER members_moved AFTER {_MOVED}"
    f" WHEN OLD.neighborhood_id IS NOT NEW.neighborhood_id BEGIN {_TAKE}; {_ADD}; END",
    f"CREATE TRIGGER members_removed AFTER DELETE ON waitlist_submissions"
    f" WHEN OLD.neighborhood_id IS NOT NULL BEGIN {_TAKE}; END",
)

# Staff who merge groups hold this lock alone, all others share it, and take it before any row:
# nobody then waits in a circle for a group and its members.
GROUPS_LOCK = 3_405_691_582
_SHARE = f"""
CREATE FUNCTION members_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared({GROUPS_LOCK});
  RETURN NEW;
END $$
"""
_SHARED = (
    """
CREATE TRIGGER members_wait BEFORE INSERT ON waitlist_submissions
FOR EACH ROW WHEN (NEW.neighborhood_id IS NOT NULL) EXECUTE FUNCTION members_wait()
""",
    """
CREATE TRIGGER members_wait_all BEFORE UPDATE OF neighborhood_id OR DELETE ON waitlist_submissions
FOR EACH STATEMENT EXECUTE FUNCTION members_wait()
""",
)

# Once for each statement and group, and the groups in the order of their ids, so that two
# statements that change many members never wait for each other in a circle either.
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
_POSTGRESQL = {
    "members_added": ("INSERT", _NEW, _JOINED),
    "members_moved": ("UPDATE", f"{_OLD} {_NEW}", f"{_JOINED} UNION ALL {_LEFT}"),
    "members_removed": ("DELETE", _OLD, _LEFT),
}


def create(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        for trigger in _SQLITE:
            connection.execute(text(trigger))
        return
    for statement in (_SHARE, *_SHARED):
        connection.execute(text(statement))
    for name, (happening, tables, changes) in _POSTGRESQL.items():
        connection.execute(text(_FUNCTION.format(name=name, changes=changes)))
        connection.execute(text(_TRIGGER.format(name=name, event=happening, tables=tables)))


@event.listens_for(metadata, "after_create")
def _create_after_tables(_target: Any, connection: Connection, **_options: Any) -> None:
    create(connection)
