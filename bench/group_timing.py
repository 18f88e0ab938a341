"""Times each question about the groups in a process for one database.

`FUEL_DATABASE_URL=... python -m bench.group_timing` prints a JSON list of `Timing`.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import sqlalchemy as sa
import uvloop

from bench import QUICK
from bench.group_questions import Question, questions
from bench.grouped import GROUPS
from fuel_app.kit.db.session import reading
from fuel_app.neighborhoods import service as neighborhood_list
from fuel_app.neighborhoods.rules.detail import MEMBERS_SHOWN, MemberQuery
from fuel_app.neighborhoods.rules.listing import GroupQuery, pages_of

ROUNDS = 3 if QUICK else 20


@dataclass
class Timing:
    """Milliseconds that one question took, a number a round."""

    kind: str
    question: str
    took: list[float] = field(default_factory=list)


async def _timed(ask: Callable[[], Awaitable[Any]]) -> float:
    started = time.perf_counter()
    await ask()
    return 1000 * (time.perf_counter() - started)


async def _largest() -> tuple[str, int]:
    found = sa.select(GROUPS.c.id, GROUPS.c.members).order_by(GROUPS.c.members.desc()).limit(1)
    async with reading() as session:
        row = (await session.execute(found)).one()
    return row.id, row.members


async def _asked() -> dict[tuple[str, str], Callable[[], Awaitable[Any]]]:
    """All that is asked, by its kind and its words."""

    def listed(question: Question) -> Callable[[], Awaitable[Any]]:
        return lambda: neighborhood_list.page(question.query)

    def opened(page: int) -> Callable[[], Awaitable[Any]]:
        return lambda: neighborhood_list.detail(group_id, MemberQuery(page=page))

    group_id, members = await _largest()
    asked = {(each.kind, str(each)): listed(each) for each in questions()}
    last = pages_of(members, MEMBERS_SHOWN)
    for page in (1, last // 4, last // 2, last):
        asked["detail", f"{members:,} members, page {page}"] = opened(page)
    asked["map", "every ZIP"] = lambda: neighborhood_list.areas(GroupQuery())
    return asked


async def measure() -> list[Timing]:
    asked = await _asked()
    timings = [Timing(*words) for words in asked]
    for ask in asked.values():
        await ask()  # warm
    for number in range(ROUNDS):
        print(f"round {number + 1} of {ROUNDS} ...", file=sys.stderr)
        for timing, ask in zip(timings, asked.values(), strict=True):
            timing.took.append(await _timed(ask))
    return timings


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
        print(json.dumps([asdict(timing) for timing in runner.run(measure())]))
