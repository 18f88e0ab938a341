"""The staff's list of proposals."""

import pytest

from fuel_app.proposals.rules.states import ProposalQuery
from fuel_app.proposals.service import drafts
from tests.proposals.drafts import ADMIN, DISPATCHER, a_lead, next_version, passes, sent

pytestmark = pytest.mark.usefixtures("database")


async def listed(**asked: str) -> list[str]:
    page = await drafts.list_page(ProposalQuery.parse(asked), actor=DISPATCHER)
    assert page.total == len(page.rows)
    return [f"{row.name} {row.company} {row.state}" for row in page.rows]


async def test_staff_list_proposals_by_company_and_state():
    old = await sent(ADMIN, company_name="Zeta Nursery")
    await next_version(old, company_name="Zeta Nursery")
    await passes(await sent(ADMIN, company_name="Ann's Fleet"), days=31)
    await drafts.begin(await a_lead(company_name="Beta"), actor=ADMIN)
    zeta, anns, beta = (
        "P-1, version 2 Zeta Nursery Sent",
        "P-2, version 1 Ann's Fleet Expired",
        "P-3, version 1 Beta Draft",
    )
    assert await listed() == [beta, anns, zeta]
    assert await listed(sort="company") == [anns, beta, zeta]
    assert await listed(q="anns") == [anns]
    assert await listed(state="expired") == [anns]
    assert await listed(state="sent") == [zeta]
    assert await listed(state="draft") == [beta]
    assert await listed(state="superseded") == ["P-1, version 1 Zeta Nursery Superseded"]
