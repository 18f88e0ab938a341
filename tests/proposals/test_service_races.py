"""Two tabs accept at once, and a process is killed while it does: one company, or none."""

import asyncio
import os
import subprocess
import sys

import pytest

from fuel_app.proposals.rules.states import SENT
from fuel_app.proposals.service import drafts, offers
from fuel_app.settings import ROOT
from tests.helpers.people import messages
from tests.proposals.drafts import (
    DISPATCHER,
    GRACE,
    HERE,
    a_lead,
    acceptance,
    an_area,
    code_of,
    founded,
    link,
    sent,
    stored,
)

pytestmark = pytest.mark.usefixtures("database")


async def test_two_tabs_at_once_make_one_company():
    await an_area()
    proposal_id = await sent()
    mine, others = acceptance(await code_of(proposal_id)), await code_of(proposal_id, GRACE)
    await asyncio.gather(
        offers.accept(await link(proposal_id), mine, HERE),
        offers.accept(await link(proposal_id), mine, "198.51.100.1"),
        offers.accept(await link(proposal_id, GRACE), acceptance(others), "198.51.100.2"),
    )
    assert await founded() == (1, 2, 1)
    assert len(await messages("proposal_accepted")) == 2


_KILLED = """
import asyncio, os, signal, sys
from fuel_app import tables
from fuel_app.proposals.service import offers
from tests.proposals.drafts import acceptance

async def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

offers.close_won = die
asyncio.run(offers.accept(sys.argv[1], acceptance(sys.argv[2]), "203.0.113.1"))
"""


async def test_killed_while_accepting_there_is_nothing_and_the_code_still_works(database_url: str):
    await an_area()
    proposal_id = await sent()
    token, code = await link(proposal_id), await code_of(proposal_id)
    command = [sys.executable, "-c", _KILLED, token, code]
    environment = os.environ | {"FUEL_DATABASE_URL": database_url}
    run = asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, env=environment, stderr=subprocess.PIPE
    )
    killed = await run
    assert killed.returncode == -9, killed.stderr.decode()
    assert await founded() == (0, 0, 0)
    assert (await stored(proposal_id)).state == SENT
    await offers.accept(token, acceptance(code), HERE)
    assert await founded() == (1, 2, 1)


async def test_four_who_begin_a_proposal_of_one_quote_begin_one():
    lead = await a_lead()
    begun = await asyncio.gather(*(drafts.begin(lead, actor=DISPATCHER) for _ in range(4)))
    assert len(set(begun)) == 1
