"""The payment provider and the mail server are away while money is due, then they are back."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from fuel_app.billing.providers.stand_in.faults import DOWN, LOST, SLOW
from tests.faults import made
from tests.faults.company import pressed
from tests.faults.injecting import Injected
from tests.faults.mails import mailed, post
from tests.faults.outcome import Outcome
from tests.faults.running import together

FAULTS = (DOWN, "500", "503", LOST, SLOW)  # half of the requests are done, and we do not hear of it


async def away(folder: Path, *, rate: float, seconds: float, gone: float) -> Outcome:
    """Let holds, captures and renewals become due while nothing answers."""
    injected = Injected.into(folder)
    with (
        post() as inbox,
        together(folder, FUEL_SMTP_URL=inbox.url, **injected.settings) as site,
    ):
        crowd = await made.company_of(site)
        due: dict[str, list[str]] = {}

        def interrupt() -> float:
            injected.set(provider=FAULTS)
            inbox.stop()
            due.update(asyncio.run(made.due_in(site)))
            time.sleep(gone)
            injected.set()
            inbox.start()
            return time.monotonic()

        what = f"payment provider and mail server away for {gone:.0f} s and more"
        outcome = await pressed(site, what, crowd, interrupt, rate, seconds)
        missing, again = await made.settled(site, due)
        mails = await mailed(site, inbox)
    counts = ", ".join(f"{len(some)} {kind}s" for kind, some in due.items())
    return replace(
        outcome,
        load=f"{outcome.load}, {counts} due",
        served=outcome.served + sum(map(len, due.values())) + mails.sent,
        lost=outcome.lost + missing + mails.lost,
        doubled=outcome.doubled + again + mails.again + mails.unknown,
        meanwhile=f"{outcome.meanwhile}; {mails.sent} mails",
    )
