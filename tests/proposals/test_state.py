"""The screens of proposals: the staff's list and editor, and the page of a contact's link."""

from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit import secrets
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ui.forms import FormData
from fuel_app.proposals.rules.terms import TICKED
from fuel_app.proposals.service import drafts, offers
from fuel_app.proposals.state.desk import (
    ProposalsState,
    ProposalState,
    SendProposalState,
    WithdrawProposalState,
)
from fuel_app.proposals.state.link import AcceptState, DeclineState, OfferState
from tests.factories import UNKNOWN_ID
from tests.helpers.admins import AdminTab
from tests.helpers.people import messages
from tests.helpers.tabs import go_to, problems, redirected, run, tab_at, unavailable
from tests.proposals.drafts import (
    ADA,
    ADMIN,
    GRACE,
    a_draft,
    a_lead,
    an_area,
    code_of,
    link,
    sent,
    stored,
    terms,
)
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


def typed(**differs: Any) -> FormData:
    """Return the editor's form as the browser sends it."""
    fields = terms(**differs)
    single = [(name, value) for name, value in fields.items() if name not in TICKED]
    return FormData([*single, *((name, each) for name in TICKED for each in fields[name])])


async def editor(proposal_id: str, *roles: Role) -> AdminTab:
    staff = await AdminTab.at(routes.proposal(proposal_id), *roles)
    await staff.fire(ProposalState.load)
    return staff


async def test_staff_list_proposals():
    await a_draft(company_name="Beta")
    staff = await AdminTab.at(routes.PROPOSALS, Role.DISPATCHER)
    await staff.fire(ProposalsState.load)
    screen = await staff.screen(ProposalsState)
    assert [row.company for row in screen.rows] == ["Beta"]
    assert screen.summary == "1 proposal"


async def test_a_leads_button_begins_a_draft_and_goes_there():
    lead = await a_lead()
    staff = await AdminTab.at(routes.new_proposal(lead), Role.DISPATCHER)
    state = await staff.screen(ProposalState)
    (went,) = await run(state.load())
    proposal_id = await drafts.begin(lead, actor=ADMIN)
    assert redirected(went) == routes.proposal(proposal_id)
    staff = await AdminTab.at(routes.new_proposal(UNKNOWN_ID), email="b@example.com")
    await staff.fire(ProposalState.load)
    assert (await staff.screen(ProposalState)).problem == "A proposal is made from a fleet quote."


async def test_an_unknown_proposal_is_said_to_be_gone():
    staff = await editor(UNKNOWN_ID)
    assert "no such proposal" in (await staff.screen(ProposalState)).problem


async def test_a_draft_is_saved_and_calculated_as_it_is_typed():
    await an_area()
    proposal_id = await a_draft()
    staff = await editor(proposal_id, Role.DISPATCHER)
    screen = await staff.screen(ProposalState)
    assert (screen.values["gallons"], screen.weekdays) == ("14.5", ["mon"])
    await staff.fire(ProposalState.edit, typed(gallons="20"))
    await staff.fire(ProposalState.edit, typed(gallons="20"))  # as the field is left
    row = await stored(proposal_id)
    assert (row.revision, row.terms["gallons"], row.terms["products"]) == (
        2,
        "20",
        ["regular", "diesel"],
    )
    assert screen.calculation.gallons == "780 gallons, 4.3 visits"
    assert screen.saved.startswith("Saved ")


async def test_a_draft_that_another_has_changed_is_shown_anew():
    proposal_id = await a_draft()
    staff = await editor(proposal_id)
    screen = await staff.screen(ProposalState)
    edition = screen.edition
    await drafts.save(proposal_id, 1, terms(notes="theirs"), actor=ADMIN)
    await staff.fire(ProposalState.edit, typed(notes="mine"))
    assert "Somebody else" in screen.error
    assert (screen.values["notes"], screen.edition) == ("theirs", edition + 1)


async def test_sending_asks_first_and_shows_what_is_wrong():
    await an_area()
    proposal_id = await a_draft()
    staff = await editor(proposal_id, Role.DISPATCHER)
    screen, dialog = await staff.screen(ProposalState), await staff.screen(SendProposalState)
    focused = await staff.fire(ProposalState.submit, typed(gallons="many"))
    assert problems(screen.errors) == {"gallons": "Gallons is a number up to 5,000"}
    assert focused == ["proposal_gallons"]
    await staff.fire(ProposalState.submit, typed())
    assert (dialog.opened, dialog.approval) == (True, "")
    assert dialog.to == f"Ada Lovelace <{ADA}> and Grace Hopper <{GRACE}>"
    await staff.fire(SendProposalState.submit, FormData([("reason", "")]))
    assert (dialog.opened, screen.proposal.state) == (False, "Sent")
    assert await staff.said() == ["The proposal is on its way."]


async def test_below_the_floor_a_dispatcher_is_refused_and_an_admin_says_why():
    await an_area()
    proposal_id = await a_draft()
    low = typed(offset="-0.40", visit_fee="")
    staff = await editor(proposal_id, Role.DISPATCHER)
    await staff.fire(ProposalState.submit, low)
    assert "Ask an admin to send it." in (await staff.screen(ProposalState)).error
    admin = await AdminTab.at(routes.proposal(proposal_id), email="boss@example.com")
    await admin.fire(ProposalState.load)
    await admin.fire(ProposalState.submit, low)
    dialog = await admin.screen(SendProposalState)
    assert "below our floor" in dialog.approval
    await admin.fire(SendProposalState.submit, FormData([("reason", "")]))
    assert "Say why" in dialog.error
    await admin.fire(SendProposalState.submit, FormData([("reason", "A second yard")]))
    assert (await stored(proposal_id)).state == "sent"


async def test_staff_preview_withdraw_and_renew():
    await an_area()
    proposal_id = await sent()
    staff = await editor(proposal_id, Role.DISPATCHER)
    screen = await staff.screen(ProposalState)
    await staff.fire(ProposalState.show_preview)
    assert (screen.previewing, screen.preview.name) == (True, "P-1, version 1")
    await staff.fire(ProposalState.close_preview, False)
    assert not screen.previewing
    await staff.fire(WithdrawProposalState.begin)
    await staff.fire(WithdrawProposalState.submit, FormData([("reason", "Wrong price")]))
    assert (screen.proposal.state, screen.proposal.reason) == ("Withdrawn", "Wrong price")
    (went,) = await run(screen.revise())
    newer = str(redirected(went))
    assert newer != routes.proposal(proposal_id)
    go_to(staff.tab, newer, cookie=staff.tab.router.headers.raw_headers["cookie"])
    await staff.fire(ProposalState.load)
    assert (screen.proposal.name, screen.proposal.is_draft) == ("P-1, version 2", True)


async def test_a_failed_revision_is_said(monkeypatch: pytest.MonkeyPatch):
    staff = await editor(await sent(ADMIN))
    monkeypatch.setattr(drafts, "revise", unavailable)
    await staff.fire(ProposalState.revise)
    assert await staff.said() == [FAILED]


async def test_staff_download_the_pdf(browser):
    await an_area()
    proposal_id = await sent()
    staff = {"cookie": f"{COOKIE}={await a_token()}"}
    answered = await browser.get(routes.proposal_file(proposal_id), headers=staff)
    assert answered.headers["content-type"] == "application/pdf"
    assert 'filename="P-1-v1.pdf"' in answered.headers["content-disposition"]
    assert (await browser.get(routes.proposal_file(UNKNOWN_ID), headers=staff)).status_code == 404
    assert (await browser.get(routes.proposal_file(proposal_id))).status_code == 401


def form(**differs: Any) -> dict[str, Any]:
    accepted = {"code": "000000", "name": "Ada Lovelace", "title": "Owner", "binds": "on"}
    return accepted | {"consents": "on", "signature": "Ada Lovelace"} | differs


class Page:
    """A contact's page, in a tab without a browser."""

    def __init__(self, token: str, connection: str = "connection-1") -> None:
        self.tab = tab_at(routes.proposal_view(token), connection=connection)

    async def fire(self, event: Any, *arguments: Any) -> OfferState:
        for state in (OfferState, AcceptState, DeclineState):
            if event in state.event_handlers.values():
                await run(event.fn(await self.tab.get_state(state), *arguments))
        return await self.tab.get_state(OfferState)


async def test_a_contact_reads_asks_for_the_code_and_accepts():
    await an_area()
    proposal_id = await sent()
    page = Page(await link(proposal_id))
    screen = await page.fire(OfferState.arrive)
    assert (screen.offer.contact, screen.problem) == ("Ada Lovelace", "")
    assert (await stored(proposal_id)).state == "viewed"
    await page.fire(OfferState.begin_acceptance)
    assert (screen.stage, screen.sent_to) == ("accept", ADA)
    assert [each.recipient for each in await messages("proposal_code")] == [ADA]
    accept = await page.tab.get_state(AcceptState)
    await page.fire(AcceptState.submit, form(name="W" * 200))
    assert problems(accept.errors)["name"] == "Name must be 100 characters or fewer"
    await page.fire(AcceptState.edit, form(name="Ada"))
    assert "signature" in problems(accept.errors)
    await page.fire(AcceptState.submit, form())
    assert problems(accept.errors) == {"code": "This code is not right. Check it and try again."}
    await page.fire(AcceptState.submit, form(code=await code_of(proposal_id)))
    assert (screen.offer.is_accepted, screen.stage) == (True, "")
    assert (await stored(proposal_id)).state == "accepted"


async def test_a_contact_declines_and_says_why():
    proposal_id = await sent(ADMIN)
    page = Page(await link(proposal_id))
    screen = await page.fire(OfferState.arrive)
    assert screen.offer.opens_soon
    await page.fire(OfferState.begin_decline)
    await page.fire(OfferState.leave)
    assert screen.stage == ""
    await page.fire(DeclineState.submit, {"reason": ""})
    assert problems((await page.tab.get_state(DeclineState)).errors)
    await page.fire(DeclineState.edit, {"reason": "Too"})
    await page.fire(DeclineState.submit, {"reason": "Too dear"})
    assert "declined" in screen.offer.over
    assert (await stored(proposal_id)).reason == "Too dear"


async def test_a_code_is_refused_in_words_once_the_proposal_is_over():
    await an_area()
    proposal_id = await sent()
    page = Page(await link(proposal_id))
    screen = await page.fire(OfferState.arrive)
    screen.busy = True
    await page.fire(OfferState.begin_acceptance)  # the second press of a double click
    assert await messages("proposal_code") == []
    screen.busy = False
    await offers.withdraw(proposal_id, "x", actor=ADMIN)
    await page.fire(OfferState.begin_acceptance)
    assert (screen.error, screen.stage) == ("", "")
    assert "withdrawn" in screen.offer.over


async def test_too_many_codes_are_said_beside_the_button():
    await an_area()
    proposal_id = await sent()
    page = Page(await link(proposal_id))
    screen = await page.fire(OfferState.arrive)
    for _ in range(6):
        await page.fire(OfferState.begin_acceptance)
    assert screen.error.startswith("Too many attempts")


async def test_a_forged_link_shows_nothing_and_answers_nothing():
    await an_area()
    proposal_id = await sent()
    page = Page(secrets.token("proposal", proposal_id))
    screen = await page.fire(OfferState.arrive)
    assert screen.problem.startswith("This link does not work")
    assert screen.offer.document.name == ""
    await page.fire(OfferState.begin_acceptance)
    await page.fire(AcceptState.submit, form())
    await page.fire(DeclineState.submit, {"reason": "no"})
    assert (await stored(proposal_id)).state == "sent"
    assert await messages("proposal_code") == []


async def test_another_connection_with_the_tabs_token_is_shown_nothing():
    await an_area()
    page = Page(await link(await sent()))
    screen = await page.fire(OfferState.arrive)
    assert screen.offer.contact
    go_to(page.tab, "/proposals/view/x", connection="connection-2")
    assert screen.dict() == {}
    screen = await page.fire(OfferState.leave)
    assert screen.offer.contact == ""
