"""Triggers that keep how many leads of each type there are: counting a million takes too long.

No code adds to the totals. How many there are is the sum of a type's rows in `lead_totals`: on
SQLite there is one, on PostgreSQL each statement adds one of its own, so that nobody waits for
another's (a file of leads may take a while), and now and then somebody puts the rows together.
"""

from typing import Any

from sqlalchemy import event, text
from sqlalchemy.engine import Connection

from fuel_app.kit.db.tables import metadata

_SQLITE = (
    "INSERT INTO lead_totals (type, leads) VALUES ('fleet', 0), ('business', 0), ('waitlist', 0)",
    "CREATE TRIGGER leads_added AFTER INSERT ON leads"
    " BEGIN UPDATE lead_totals SET leads = leads + 1 WHERE type = NEW.type; END",
    "CREATE TRIGGER leads_removed AFTER DELETE ON leads"
    " BEGIN UPDATE lead_totals SET leads = leads - 1 WHERE type = OLD.type; END",
)
# Summing 500 rows takes no time. What others add meanwhile is not seen, what they put together is
# passed over.
_FUNCTION = """
CREATE FUNCTION leads_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
BEGIN
  FOR added IN
    INSERT INTO lead_totals (type, leads)
    SELECT type, count(*) * (CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END)
    FROM changed GROUP BY type
    RETURNING number
  LOOP
    IF added % 500 = 0 THEN
      WITH free AS (SELECT number FROM lead_totals FOR UPDATE SKIP LOCKED),
      gone AS (
        DELETE FROM lead_totals WHERE number IN (SELECT number FROM free) RETURNING type, leads
      )
      INSERT INTO lead_totals (type, leads) SELECT type, sum(leads) FROM gone GROUP BY type;
    END IF;
  END LOOP;
  RETURN NULL;
END $$
"""
_POSTGRESQL = (
    _FUNCTION,
    "CREATE TRIGGER leads_added AFTER INSERT ON leads REFERENCING NEW TABLE AS changed"
    " FOR EACH STATEMENT EXECUTE FUNCTION leads_counted()",
    "CREATE TRIGGER leads_removed AFTER DELETE ON leads REFERENCING OLD TABLE AS changed"
    " FOR EACH STATEMENT EXECUTE FUNCTION leads_counted()",
)


def create(connection: Connection) -> None:
    for statement in _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL:
        connection.execute(text(statement))


@event.listens_for(metadata, "after_create")
def _create_after_tables(_target: Any, connection: Connection, **_options: Any) -> None:
    create(connection)
