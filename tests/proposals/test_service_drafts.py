"""Staff write proposals: drafts, what they would bring, new versions, the list."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.kit import clock
from fuel_app.proposals.rules.states import (
    DRAFT,
    SENT,
    DraftChanged,
    NoFleetQuote,
    NotPossible,
    ProposalGone,
    ProposalQuery,
)
from fuel_app.proposals.rules.terms import ProposalTerms
from fuel_app.proposals.service import drafts, offers
from fuel_app.quotes import service as quotes
from tests.factories import UNKNOWN_ID, business_quote
from tests.proposals.drafts import (
    ADMIN,
    DISPATCHER,
    HERE,
    a_dispatcher,
    a_draft,
    a_lead,
    acceptance,
    an_area,
    code_of,
    link,
    passes,
    sent,
    stored,
    terms,
)

pytestmark = pytest.mark.usefixtures("database")


async def shown(proposal_id: object):
    found = await drafts.show(proposal_id, actor=DISPATCHER)
    assert found
    return found[0]


async def test_a_draft_begins_once_from_its_quote():
    lead = await a_lead(company_name="Analytical Plumbers", service_location="Sarasota, FL 34236")
    proposal_id = await drafts.begin(lead, actor=DISPATCHER)
    assert await drafts.begin(lead, actor=ADMIN) == proposal_id
    row = await stored(proposal_id)
    assert (row.number, row.version, row.state, row.lead_id) == (1, 1, DRAFT, lead)
    assert row.valid_until == clock.day_of(clock.now()) + timedelta(days=30)
    assert row.terms["vehicle_count"] == "3"
    proposal = await shown(proposal_id)
    assert (proposal.company, proposal.is_draft, proposal.may_withdraw) == (
        "Analytical Plumbers",
        True,
        True,
    )
    assert proposal.document.sections == []  # its site is not right yet
    assert [line.what for line in proposal.history] == ["Begun"]


async def test_only_a_fleet_quote_becomes_a_proposal():
    business = await quotes.request(business_quote(), address=HERE)
    for lead in (business, UNKNOWN_ID, None, ["x"]):
        with pytest.raises(NoFleetQuote):
            await drafts.begin(lead, actor=DISPATCHER)


async def test_two_people_do_not_overwrite_a_draft():
    proposal_id = await a_draft()
    assert await drafts.save(proposal_id, 1, terms(notes="mine"), actor=DISPATCHER) == 2
    for other_id, seen in ((proposal_id, 1), (UNKNOWN_ID, 0), (None, 0)):
        with pytest.raises(DraftChanged):
            await drafts.save(other_id, seen, terms(notes="theirs"), actor=ADMIN)
    assert (await stored(proposal_id)).terms["notes"] == "mine"


async def test_a_draft_is_calculated_by_the_prices_of_its_first_site():
    await an_area()
    known = await drafts.calculation_of(terms(), actor=DISPATCHER)
    assert (known.price, known.cost, known.approval) == ("$3.54 a gallon", "$2.90 a gallon", "")
    elsewhere = terms(sites="Miami: 1 Main St, Miami 33101")
    assert (await drafts.calculation_of(elsewhere, actor=DISPATCHER)).price == "Not known"


async def test_a_new_version_begins_with_the_terms_of_the_former():
    first = await sent(ADMIN)
    second = await drafts.revise(first, actor=DISPATCHER)
    assert await drafts.revise(first, actor=ADMIN) == second
    row = await stored(second)
    assert (row.number, row.version, row.terms["notes"]) == (1, 2, "Gate code on the phone.")
    assert (await stored(first)).state == SENT  # it stands until the new one is sent
    proposal = await shown(first)
    assert not proposal.may_revise
    assert [(each.name, each.state) for each in proposal.versions] == [
        ("P-1, version 2", "Draft"),
        ("P-1, version 1", "Sent"),
    ]


async def test_what_is_accepted_has_no_new_version():
    await an_area()
    proposal_id = await sent()
    await offers.accept(await link(proposal_id), acceptance(await code_of(proposal_id)), HERE)
    with pytest.raises(NotPossible):
        await drafts.revise(proposal_id, actor=ADMIN)
    with pytest.raises(ProposalGone):
        await drafts.revise(UNKNOWN_ID, actor=ADMIN)


async def test_an_expired_proposal_is_renewed():
    first = await sent(ADMIN)
    await passes(first, days=31)
    assert (await shown(first)).state == "Expired"
    assert (await shown(first)).may_revise
    newer = await drafts.revise(first, actor=ADMIN)
    today = clock.day_of(clock.now())
    assert ProposalTerms.parse((await stored(newer)).terms).valid_until > today


async def test_history_names_staff_and_contacts():
    await an_area()
    actor = await a_dispatcher()
    proposal_id = await sent(actor)
    await offers.note_viewed(await link(proposal_id))
    await offers.withdraw(proposal_id, "Wrong price", actor=actor)
    proposal = await shown(proposal_id)
    assert [(line.what, line.who) for line in proposal.history] == [
        ("Withdrawn: Wrong price", "Joan Clarke"),
        ("Viewed", "Ada Lovelace"),
        ("Sent", "Joan Clarke"),
        ("Begun", "Joan Clarke"),
    ]
    assert [(each.email, each.viewed[:6]) for each in proposal.contacts] == [
        ("ada@plumbers.example", "Viewed"),
        ("grace@plumbers.example", "Not vi"),
    ]
    assert not proposal.may_withdraw


async def test_nobody_else_reaches_a_proposal():
    proposal_id, technician = await a_draft(), Actor(frozenset({Role.TECHNICIAN}), "a")
    assert await drafts.show(UNKNOWN_ID, actor=DISPATCHER) is None
    assert await drafts.pdf_of(UNKNOWN_ID, actor=DISPATCHER) is None
    for asked in (
        drafts.begin(UNKNOWN_ID, actor=technician),
        drafts.revise(proposal_id, actor=technician),
        drafts.save(proposal_id, 1, {}, actor=technician),
        drafts.calculation_of(terms(), actor=technician),
        drafts.list_page(ProposalQuery(), actor=technician),
        drafts.show(proposal_id, actor=technician),
        drafts.pdf_of(proposal_id, actor=technician),
        offers.prepare(proposal_id, 1, actor=technician),
        offers.send(proposal_id, 1, actor=technician),
        offers.withdraw(proposal_id, "x", actor=technician),
    ):
        with pytest.raises(NotAllowed):
            await asked
