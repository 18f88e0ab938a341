"""Break something under load and print what it cost: `python -m tests.faults`.

Arguments choose faults by name. Needs PostgreSQL and Redis (`python -m tests.provision`), and root
for the full disk.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.faults import interruptions
from tests.faults.outcome import table

FAULTS = {
    "process": interruptions.process_killed,
    "database": interruptions.database_away,
    "redis": interruptions.redis_away,
    "disk": interruptions.disk_full,
    "workers": interruptions.workers_killed,
    "providers": interruptions.providers_away,
    "clock": interruptions.clock_wrong,
    "clock-of-two": interruptions.clock_of_two_wrong,
    "backup": interruptions.backup_of_sqlite,
    "backup-postgresql": interruptions.backup_of_postgresql,
}


def main(names: list[str]) -> None:
    if unknown := set(names) - FAULTS.keys():
        raise SystemExit(f"No such fault: {', '.join(unknown)}. There are: {', '.join(FAULTS)}.")
    outcomes = []
    for name in names or FAULTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcomes.append(asyncio.run(FAULTS[name](Path(folder))))
            except PermissionError as error:
                print(f"{name} is left out: {error}", file=sys.stderr)
    print(table(outcomes))
    if any(each.lost or each.doubled or each.half for each in outcomes):
        raise SystemExit("Something was lost, doubled or stored by half.")


if __name__ == "__main__":
    main(sys.argv[1:])
