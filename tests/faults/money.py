"""Use cases of money that are killed: `python -m tests.faults.money` reads what and where.

Each step that it has tried is a line of JSON: the use case, the step, what is wrong.
"""

import json
import sys
from typing import Any

import structlog

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from tests.faults import phone_cases
from tests.faults.kills import Postgresql, Sqlite, results
from tests.faults.money_cases import CASES


def _drop(*_: Any) -> Any:
    raise structlog.DropEvent


def main() -> None:
    structlog.configure(processors=[_drop])
    spec = json.loads(sys.stdin.readline())
    kind = Sqlite if spec["engine"] == "sqlite" else Postgresql
    place = kind(spec["template"], spec["at"])
    cases = CASES | {phone_cases.CASE.name: phone_cases.CASE}
    for name in spec["cases"]:
        for step, problems in results(cases[name], place, every=spec["every"]):
            print(json.dumps([name, step, problems]), flush=True)


if __name__ == "__main__":
    main()
