"""The payment provider and the mail server are away while money is due, then they are back."""

import time
from collections.abc import Callable
from pathlib import Path

from fuel_app.billing.providers.stand_in.transport import DOWN, LOST, SLOW
from tests.faults import made
from tests.faults.injecting import Injected
from tests.faults.mails import post, with_mails
from tests.faults.outcome import Outcome
from tests.faults.running import together

FAULTS = (DOWN, "500", "503", LOST, SLOW)  # the last two are done, and we do not hear of it


async def away(folder: Path, *, rate: float, seconds: float, gone: float) -> Outcome:
    """Let holds, captures and renewals become due while nothing answers."""
    injected = Injected.into(folder)
    with (
        post() as inbox,
        together(folder, FUEL_SMTP_URL=inbox.url, **injected.settings) as site,
    ):
        crowd = await made.company_of(site)

        def interrupt(money_is_due: Callable[[], None]) -> float:
            injected.set(provider=FAULTS)
            inbox.stop()
            money_is_due()
            time.sleep(gone)
            injected.set()
            inbox.start()
            return time.monotonic()

        what = f"payment provider and mail server away for {gone:.0f} s and more"
        outcome = await made.pressed_when_due(site, what, crowd, interrupt, rate, seconds)
        return await with_mails(outcome, site, inbox, senders=2)
