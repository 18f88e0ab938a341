"""A proposal goes out, and its contacts answer it: once, in time, and themselves."""

import hashlib
from io import BytesIO

import pytest
from pypdf import PdfReader

from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.rules.security import WrongCode
from fuel_app.companies.tables import Company, CompanyInvitation, StoredPriceRule, StoredSite
from fuel_app.kit import secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests
from fuel_app.leads import queries as leads
from fuel_app.leads.tables import Lead
from fuel_app.proposals.rules.documents import Refused
from fuel_app.proposals.rules.states import (
    ACCEPTED,
    DECLINED,
    SENT,
    SUPERSEDED,
    VIEWED,
    WITHDRAWN,
    DraftChanged,
    LinkUnknown,
    NeedsAdmin,
    NeedsReason,
    NotPossible,
    OfferOver,
    OpensSoon,
    ProposalGone,
)
from fuel_app.proposals.service import drafts, offers
from fuel_app.proposals.tables import StoredContact, StoredProposal
from fuel_app.quotes.tables import FleetQuote
from fuel_app.settings import settings
from tests.factories import UNKNOWN_ID
from tests.helpers.people import messages, rows
from tests.proposals.drafts import (
    ADA,
    ADMIN,
    DISPATCHER,
    GRACE,
    HERE,
    a_dispatcher,
    a_draft,
    acceptance,
    an_area,
    code_of,
    founded,
    link,
    next_version,
    passes,
    sent,
    stored,
    words_of,
)

pytestmark = pytest.mark.usefixtures("database")


async def pdf_text(proposal_id: str) -> str:
    file = await drafts.pdf_of(proposal_id, actor=DISPATCHER)
    assert file
    return words_of(" ".join(page.extract_text() for page in PdfReader(BytesIO(file.data)).pages))


async def test_sending_mails_each_contact_a_link_of_their_own():
    await an_area()
    actor = await a_dispatcher()
    draft = await a_draft(actor)
    to, approval = await offers.prepare(draft, 1, actor=actor)
    assert (to, approval) == ([f"Ada Lovelace <{ADA}>", f"Grace Hopper <{GRACE}>"], "")
    await offers.send(draft, 1, actor=actor)
    row = await stored(draft)
    assert (row.state, row.sent_by) == (SENT, actor.person_id)
    assert hashlib.sha256(row.document or b"").hexdigest() == row.sha256
    assert {each.recipient for each in await messages("proposal_sent")} == {ADA, GRACE}
    links = {await link(draft, ADA), await link(draft, GRACE)}
    assert len(links) == 2
    text = await pdf_text(draft)
    assert "Proposal P-1, version 1" in text
    assert "100 Main St, Sarasota, FL 34236" in text
    assert "Evidence" not in text


async def test_a_sent_proposal_does_not_change():
    await an_area()
    proposal_id = await sent()
    with pytest.raises(DraftChanged):
        await drafts.save(proposal_id, 1, {}, actor=ADMIN)
    with pytest.raises(DraftChanged):
        await offers.send(proposal_id, 1, actor=ADMIN)
    assert len(await rows(StoredContact)) == 2


async def test_a_draft_that_is_not_right_is_not_sent():
    await an_area()
    for differs, field in (
        ({"gallons": ""}, "gallons"),
        ({"valid_until": "2020-01-01"}, "valid_until"),
        ({"sites": "Nowhere: 1 Main St, Nowhere 00001"}, "sites"),
    ):
        with pytest.raises(InvalidForm) as refused:
            await sent(ADMIN, **differs)
        assert [*refused.value.messages] == [field]
    with pytest.raises(ProposalGone):
        await offers.send(UNKNOWN_ID, 1, actor=ADMIN)


async def test_below_the_floor_an_admin_sends_it_and_says_why():
    await an_area()
    draft = await a_draft(offset="-0.30", visit_fee="")
    for asked in (
        offers.prepare(draft, 1, actor=DISPATCHER),
        offers.send(draft, 1, actor=DISPATCHER, reason="Please"),
    ):
        with pytest.raises(NeedsAdmin, match=r"below our floor of \$0.25. Ask an admin to send it"):
            await asked
    with pytest.raises(NeedsReason, match="Say why"):
        await offers.send(draft, 1, actor=ADMIN)
    assert "below our floor" in (await offers.prepare(draft, 1, actor=ADMIN))[1]
    await offers.send(draft, 1, actor=ADMIN, reason="Their second yard follows")
    found = await drafts.show(draft, actor=DISPATCHER)
    assert found
    assert found[0].history[0].what.endswith("$0.25. Their second yard follows")


async def test_without_a_known_cost_an_admin_sends_it():
    await an_area(cost=None)
    with pytest.raises(NeedsAdmin, match="what a gallon costs us there"):
        await sent(DISPATCHER)


async def test_viewing_is_noted_once_for_each_contact():
    proposal_id = await sent(ADMIN)
    mine, others = await link(proposal_id), await link(proposal_id, GRACE)
    await offers.open_link(mine, HERE)
    assert (await stored(proposal_id)).state == SENT  # opening notes nothing
    for token in (mine, mine, others):
        await offers.note_viewed(token)
    assert (await stored(proposal_id)).state == VIEWED
    found = await drafts.show(proposal_id, actor=DISPATCHER)
    assert found
    assert [line.who for line in found[0].history if line.what == "Viewed"] == [
        "Grace Hopper",
        "Ada Lovelace",
    ]


async def test_a_link_shows_its_contact_the_proposal():
    await an_area()
    offer = await offers.open_link(await link(await sent(), GRACE), HERE)
    assert (offer.contact, offer.email) == ("Grace Hopper", GRACE)
    assert (offer.over, offer.opens_soon, offer.is_accepted) == ("", "", False)
    assert offer.document.name == "P-1, version 1"


async def test_forged_links_show_nothing_and_are_limited():
    proposal_id = await sent(ADMIN)
    forged = [None, "x", f"{proposal_id}.x", secrets.token("proposal", proposal_id)]
    for token in forged:
        with pytest.raises(LinkUnknown):
            await offers.open_link(token, HERE)
        for asked in (
            offers.note_viewed(token),
            offers.decline(token, Refused.parse({"reason": "no"})),
            offers.send_code(token, HERE),
            offers.accept(token, acceptance(), HERE),
        ):
            with pytest.raises(LinkUnknown):
                await asked
    for _ in range(16):
        with pytest.raises(LinkUnknown):
            await offers.open_link("x", HERE)
    with pytest.raises(TooManyRequests):
        await offers.open_link(await link(proposal_id), HERE)


async def test_accepting_makes_a_company_with_all_that_was_agreed():
    await an_area()
    actor = await a_dispatcher()
    proposal_id = await sent(actor)
    token = await link(proposal_id)
    await offers.accept(token, acceptance(await code_of(proposal_id)), HERE)
    row = await stored(proposal_id)
    (company,) = await rows(Company)
    assert (row.state, row.company_id) == (ACCEPTED, company.id)
    assert (company.name, company.terms, company.po_required) == (
        "Analytical Plumbers",
        "net_15",
        True,
    )
    assert company.account_owner_id == actor.person_id
    assert {each.zip_code for each in await rows(StoredSite)} == {"34236", "34205"}
    (rule,) = await rows(StoredPriceRule)
    assert (rule.basis, rule.offset_mills) == ("area", 240)
    (invitation,) = await rows(CompanyInvitation)
    assert (invitation.email, invitation.role) == (ADA, "owner")
    assert [each.status for each in await rows(Lead, id=row.lead_id)] == ["Closed Won"]
    assert [each.status for each in await rows(FleetQuote, id=row.lead_id)] == ["Closed Won"]
    evidence = row.evidence or {}
    assert (evidence["name"], evidence["title"]) == ("Ada Lovelace", "Fleet manager")
    assert (evidence["email"], evidence["address"], evidence["signature"]) == (
        ADA,
        HERE,
        "ada lovelace",
    )
    assert evidence["sha256"] == row.sha256


async def test_both_sides_get_the_signed_proposal():
    await an_area()
    proposal_id = await sent(DISPATCHER)  # by the shared password: no person
    await offers.accept(await link(proposal_id), acceptance(await code_of(proposal_id)), HERE)
    told = await messages("proposal_accepted")
    assert {each.recipient for each in told} == {ADA, settings.support_email}
    text = await pdf_text(proposal_id)
    row = await stored(proposal_id)
    for said in (
        "Evidence of acceptance",
        "Ada Lovelace, Fleet manager",
        "s. 668.50",
        "I may bind the company",
        HERE,
    ):
        assert said in text
    assert row.sha256 in text.replace(" ", "")
    offer = await offers.open_link(await link(proposal_id, GRACE), HERE)
    assert (offer.is_accepted, dict(offer.evidence)["Signature"]) == (True, "ada lovelace")
    of_signer = {"Code sent to": ADA, "Network address": HERE}
    assert not of_signer.keys() & dict(offer.evidence).keys()
    own = await offers.open_link(await link(proposal_id), HERE)
    assert of_signer.items() <= dict(own.evidence).items()


async def test_accepted_twice_is_accepted_once():
    await an_area()
    proposal_id = await sent()
    token, code = await link(proposal_id), await code_of(proposal_id)
    await offers.accept(token, acceptance(code), HERE)
    first = await stored(proposal_id)
    await offers.accept(token, acceptance(code, title="Another"), HERE)
    await offers.accept(await link(proposal_id, GRACE), acceptance("123456"), HERE)
    assert (await stored(proposal_id)).evidence == first.evidence
    assert await founded() == (1, 2, 1)


async def test_a_forwarded_link_binds_nobody_without_the_contacts_code():
    await an_area()
    proposal_id = await sent()
    token, code = await link(proposal_id), await code_of(proposal_id)
    others_code = await code_of(proposal_id, GRACE)
    for wrong in ("000000", others_code):
        with pytest.raises(InvalidForm) as refused:
            await offers.accept(token, acceptance(wrong), HERE)
        assert refused.value.messages == {"code": WrongCode.message}
    for _ in range(3):  # the last of five tries
        with pytest.raises(InvalidForm):
            await offers.accept(token, acceptance("999999"), HERE)
    with pytest.raises(InvalidForm):
        await offers.accept(token, acceptance(code), HERE)
    assert await founded() == (0, 0, 0)
    await offers.accept(token, acceptance(await code_of(proposal_id)), HERE)


async def test_codes_are_limited_and_only_the_last_one_works():
    await an_area()
    proposal_id = await sent()
    token, first = await link(proposal_id), await code_of(proposal_id)
    last = ""
    for _ in range(4):
        last = await code_of(proposal_id)
    with pytest.raises(TooManyRequests):
        await offers.send_code(token, HERE)
    with pytest.raises(InvalidForm):
        await offers.accept(token, acceptance(first), HERE)
    await offers.accept(token, acceptance(last), HERE)
    (contact,) = await rows(StoredContact, email=ADA)
    assert secrets.code(Purpose.PROPOSAL, contact.challenge_id) == last


async def over(proposal_id: str, token: str, code: str) -> str:
    """Return the words with which all answers are refused."""
    said = set()
    for asked in (
        offers.accept(token, acceptance(code), HERE),
        offers.send_code(token, HERE),
        offers.decline(token, Refused.parse({"reason": "no"})),
    ):
        with pytest.raises(OfferOver) as refused:
            await asked
        said.add(str(refused.value))
    offer = await offers.open_link(token, HERE)
    assert said == {offer.over}
    state = (await stored(proposal_id)).state
    await offers.note_viewed(token)
    assert (await stored(proposal_id)).state == state
    return offer.over


async def test_an_expired_proposal_cannot_be_accepted():
    await an_area()
    proposal_id = await sent()
    token, code = await link(proposal_id), await code_of(proposal_id)
    await passes(proposal_id, days=31)
    assert "was valid until" in await over(proposal_id, token, code)


async def test_a_new_version_ends_the_links_of_the_former():
    await an_area()
    first = await sent()
    tokens = [(await link(first, email), await code_of(first, email)) for email in (ADA, GRACE)]
    newer = await next_version(first, notes="Now with fewer words.")
    for token, code in tokens:
        assert "newer version" in await over(first, token, code)
    assert (await stored(first)).state == SUPERSEDED
    unsent = [each.state for each in await messages("proposal_sent")]
    assert unsent == ["skipped", "skipped", "queued", "queued"]
    await offers.accept(await link(newer), acceptance(await code_of(newer)), HERE)
    assert (await stored(newer)).state == ACCEPTED


async def test_a_withdrawn_proposal_says_so():
    await an_area()
    proposal_id = await sent()
    token, code = await link(proposal_id), await code_of(proposal_id)
    await offers.withdraw(proposal_id, "Wrong price", actor=DISPATCHER)
    assert "withdrawn" in await over(proposal_id, token, code)
    row = await stored(proposal_id)
    assert (row.state, row.reason) == (WITHDRAWN, "Wrong price")
    with pytest.raises(NotPossible):
        await offers.withdraw(proposal_id, "Again", actor=DISPATCHER)


async def test_accepted_while_a_new_version_is_written_the_new_one_is_not_sent():
    await an_area()
    first = await sent()
    newer = await drafts.revise(first, actor=ADMIN)
    await offers.accept(await link(first), acceptance(await code_of(first)), HERE)
    with pytest.raises(NotPossible):
        await offers.send(newer, 0, actor=ADMIN, reason="x")


async def test_declining_asks_why_and_tells_whoever_sent_it():
    await an_area()
    actor = await a_dispatcher()
    proposal_id = await sent(actor)
    token = await link(proposal_id)
    with pytest.raises(InvalidForm):
        Refused.parse({"reason": " "})
    await offers.decline(token, Refused.parse({"reason": "Too dear"}))
    row = await stored(proposal_id)
    assert (row.state, row.reason) == (DECLINED, "Too dear")
    (told,) = await messages("proposal_declined")
    assert (told.person_id, told.payload["reason"]) == (actor.person_id, "Too dear")
    assert "was declined" in (await offers.open_link(token, HERE)).over


async def test_accepting_waits_until_the_first_sites_area_is_open():
    proposal_id = await sent(ADMIN)
    token = await link(proposal_id)
    assert (await offers.open_link(token, HERE)).opens_soon.startswith("We open soon in 34236.")
    for asked in (offers.send_code(token, HERE), offers.accept(token, acceptance(), HERE)):
        with pytest.raises(OpensSoon):
            await asked
    await an_area()
    assert (await offers.open_link(token, HERE)).opens_soon == ""
    await offers.accept(token, acceptance(await code_of(proposal_id)), HERE)
    assert await founded() == (1, 2, 1)


async def test_a_deleted_lead_does_not_keep_a_proposal_from_being_accepted():
    await an_area()
    proposal_id = await sent()
    async with transaction() as session:
        await leads.remove(session, (await stored(proposal_id)).lead_id)
    await offers.accept(await link(proposal_id), acceptance(await code_of(proposal_id)), HERE)
    assert len(await rows(StoredProposal, state=ACCEPTED)) == 1
