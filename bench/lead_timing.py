"""Times each question about the leads, ours and Django's in turn, in a process for one database.

`FUEL_DATABASE_URL=... python -m bench.lead_timing 100000` prints a JSON list of `Timing`.

Ours is asked as a browser asks: the event that the list's address sends goes over the websocket to
the site as `make run` serves it, and the time ends with the last byte of the answer. Django answers
in this process, through its test client: no socket, no server, no browser.
"""

import asyncio
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import uvloop
from aiohttp import ClientSession

from bench import QUICK, stock_admin
from bench.lead_questions import MILLION, USUAL, Question, questions
from bench.people import Sizes
from fuel_app.accounts.rules import security
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.settings import settings
from fuel_app.submissions.state.leads import LeadsState
from tests.site import STAFF_PASSWORD, served
from tests.websocket import Visitor

ROUNDS = 1 if QUICK else 3
_LOADING = f"{LeadsState.get_full_name()}.loading"


@dataclass
class Timing:
    """Milliseconds that one question took, a number for each round."""

    kind: str
    question: str
    ours: list[float] = field(default_factory=list)
    stock: list[float] = field(default_factory=list)
    sent: int = 0  # bytes that our answer has on the websocket


async def _token() -> str:
    signed_in = await sessions.sign_in_shared(STAFF_PASSWORD, security.Visitor())
    token = await sessions.redeem_ticket(signed_in.ticket)
    assert token
    return token.token


async def _ask(visitor: Visitor, question: Question) -> tuple[float, int]:
    """Return the milliseconds that our answer takes, and its bytes."""
    visitor.state.pop(_LOADING, None)
    visitor.received = 0
    visitor.go_to(question.address)
    started = time.perf_counter()
    await visitor.send(LeadsState.load)
    await visitor.until(lambda: visitor.state.get(_LOADING) is False)
    took = 1000 * (time.perf_counter() - started)
    assert visitor.value(LeadsState, "failed") is not True
    return took, visitor.received


async def measure(url: str, site: str, sizes: Sizes) -> list[Timing]:
    asked = {question: Timing(question.kind, str(question)) for question in questions(sizes)}
    here = asyncio.get_running_loop()
    # Django's connection belongs to one thread, which must not be that of an event loop.
    with ThreadPoolExecutor(1) as thread:
        stock = await here.run_in_executor(thread, stock_admin.start, url)

        def timed(question: Question) -> float:
            started = time.perf_counter()
            stock(question)
            return 1000 * (time.perf_counter() - started)

        async with (
            ClientSession() as session,
            Visitor(session, site, cookie=f"{COOKIE}={await _token()}") as visitor,
        ):
            for question in asked:
                await _ask(visitor, question)  # warm
            for number in range(ROUNDS):
                print(f"round {number + 1} of {ROUNDS} ...", file=sys.stderr)
                for question, timing in asked.items():
                    took, timing.sent = await _ask(visitor, question)
                    timing.ours.append(took)
                    timing.stock.append(await here.run_in_executor(thread, timed, question))
    return [*asked.values()]


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), FUEL_DATABASE_URL=settings.database_url) as site,
    ):
        (sizes,) = (each for each in (USUAL, MILLION) if str(each.total) == sys.argv[1])
        timings = uvloop.run(measure(settings.database_url, site.url, sizes))
    print(json.dumps([asdict(timing) for timing in timings]))
