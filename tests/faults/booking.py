"""A process that books for many customers, one after the other; each confirmation is a line.

`python -m tests.faults.booking` reads its ground and the keys as a line of JSON.
"""

import asyncio
import json
import sys

import fuel_app.tables  # noqa: F401 (every table)
from tests.helpers.booking_crowd import Ground

AT_ONCE = 8


async def main() -> None:
    spec = json.loads(sys.stdin.readline())
    ground, slots = Ground.of(spec["ground"]), spec["slots"]
    work = iter(list(enumerate(spec["keys"])))

    async def tab() -> None:
        for number, key in work:
            turn, place = divmod(number, len(ground.bookers))
            who, slot = ground.bookers[place], slots[(number + turn) % len(slots)]  # no pair twice
            booked = await who.book(slot, key, await who.estimate(slot))
            print(json.dumps([key, booked.id, booked.slot_id]), flush=True)

    await asyncio.gather(*(tab() for _ in range(AT_ONCE)))


if __name__ == "__main__":
    asyncio.run(main())
