"""A staff tab whose connection is lost during a save."""

import json

from fuel_app.leads.rules import STATUSES
from fuel_app.submissions.state.leads import LeadsState
from tests.deployment import run
from tests.hardening.strangers import answered, arrive, bait, cookie_of_staff, visitor, visitor_as
from tests.site import Site


def test_save_repeated_after_a_lost_connection_happens_once(site: Site):
    async def save_twice() -> str:
        cookie = await cookie_of_staff(site)
        lead, _neighborhood = await bait(site)
        async with visitor(site, cookie=cookie) as tab:
            await arrive(tab)
            rows = {row["id"]: row for row in tab.value(LeadsState, "rows")}
            save = {"lead_id": lead, "revision": rows[lead]["revision"], "status": STATUSES[1]}
            await tab.send(LeadsState.set_status, **save)
        async with visitor_as(tab, site, cookie=cookie) as tab:
            await arrive(tab)
            await tab.send(LeadsState.set_status, **save)
            await answered(tab)
        return lead

    lead = run(save_twice())
    saved = site.rows("SELECT after FROM audit_entries WHERE subject_id = ?", lead)
    assert saved == [(json.dumps({"status": STATUSES[1]}),)]
