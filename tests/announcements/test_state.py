"""The screen of announcements in a tab without a browser."""

import pytest

from fuel_app import routes
from fuel_app.announcements import service as announcements
from fuel_app.announcements.rules import AnnouncementForm, Draft
from fuel_app.announcements.state import (
    PAGE_SIZE,
    AnnouncementsState,
    DraftState,
    EndState,
    SendState,
)
from tests.factories import UNKNOWN_ID
from tests.helpers.admins import AdminTab
from tests.helpers.announcements import OFFER, TYPED, a_draft, found, readers
from tests.helpers.launch import ADMIN
from tests.helpers.open_area import open_area
from tests.helpers.outbox import NOON, set_clock
from tests.helpers.people import messages


@pytest.fixture
async def tab(monkeypatch, sqlite_database) -> AdminTab:
    set_clock(monkeypatch, NOON)
    await readers(2)
    tab = await AdminTab.at(routes.SETTINGS_ANNOUNCEMENTS)
    await tab.fire(AnnouncementsState.load)
    return tab


async def lines(tab: AdminTab) -> list[tuple[str, str]]:
    return [(each.subject, each.badge) for each in (await tab.screen(AnnouncementsState)).lines]


async def test_an_offer_is_written_edited_tried_and_sent(tab):
    area_id = await open_area()
    draft = await tab.screen(DraftState)
    await tab.fire(DraftState.begin, "")
    assert (draft.opened, draft.draft, draft.areas) == (
        True,
        Draft(),
        [{"id": area_id, "name": "Sarasota"}],
    )
    assert await tab.fire(DraftState.submit, OFFER | {"subject": ""}) == ["announcement_subject"]
    assert draft.opened
    await tab.fire(DraftState.submit, OFFER)
    assert (draft.opened, await lines(tab)) == (False, [("$5 off", "Draft")])
    (line,) = (await tab.screen(AnnouncementsState)).lines
    await tab.fire(DraftState.begin, line.id)
    assert draft.draft.text == OFFER["text"]
    await tab.fire(DraftState.submit, OFFER | {"subject": "$6 off"})
    sending = await tab.screen(SendState)
    await tab.fire(SendState.ask, line.id)
    assert (sending.people, sending.channels) == ("2 customers", "2 e-mails")
    assert (sending.subject, sending.sms) == (
        "$6 off",
        "Gulfside Fuel: $5 off your next fill. Reply STOP to end.",
    )
    assert sending.page == f"/api/announcements/{line.id}/mail"
    for _ in range(2):
        await tab.fire(SendState.send_test)
    assert sending.tested == "grace@example.com"
    assert len(await messages("announcement_test")) == 1
    assert await tab.fire(SendState.submit, {"when": "2026-03-01T09:00"}) == [
        "announcement_send_when"
    ]
    await tab.fire(SendState.submit, {"when": ""})
    assert (sending.opened, await lines(tab)) == (False, [("$6 off", "Going out")])
    assert (await tab.said())[-1] == "It is going out"


async def test_one_is_scheduled_and_recalled_paused_resumed_and_cancelled(tab):
    draft = await a_draft()
    await tab.fire(SendState.ask, draft)
    await tab.fire(SendState.submit, {"when": "2026-03-03T09:00"})
    assert (await tab.said())[-1] == "It goes out Mar 3, 2026, 9:00 AM"
    await tab.fire(AnnouncementsState.step, "recall", draft)
    assert await lines(tab) == [("A second truck", "Draft")]
    await tab.fire(SendState.ask, draft)
    await tab.fire(SendState.submit, {"when": ""})
    for kind, badge in (("pause", "Paused"), ("resume", "Going out"), ("cancel", "Going out")):
        await tab.fire(AnnouncementsState.step, kind, draft)  # Cancel has a question
        assert await lines(tab) == [("A second truck", badge)]
    await tab.fire(AnnouncementsState.step, "resume", draft)
    assert (await tab.said())[-1].startswith("Somebody else has changed this announcement")
    question = await tab.screen(EndState)
    await tab.fire(EndState.ask, UNKNOWN_ID)
    assert not question.opened
    await tab.fire(EndState.ask, draft)
    assert (question.opened, question.subject, question.is_draft) == (
        True,
        "A second truck",
        False,
    )
    await tab.fire(EndState.submit, {})
    assert (question.opened, await lines(tab)) == (False, [("A second truck", "Cancelled")])


async def test_draft_is_deleted_after_a_question(tab):
    draft = await a_draft()
    await tab.fire(AnnouncementsState.load)
    await tab.fire(EndState.ask, draft)
    assert (await tab.screen(EndState)).is_draft
    await tab.fire(EndState.submit, {})
    assert await lines(tab) == []
    assert (await tab.said())[-1] == "Draft deleted"
    for event in (DraftState.begin, SendState.ask):
        await tab.fire(event, draft)
        assert (await tab.said())[-1] == "This announcement has been deleted meanwhile."
    await tab.fire(SendState.send_test)  # nothing is open
    assert await messages("announcement_test") == []


async def test_what_is_typed_stays_where_another_admin_was_faster(tab):
    draft = await a_draft()
    await tab.fire(DraftState.begin, draft)
    await tab.fire(SendState.ask, draft)
    seen = await announcements.find_draft(draft, actor=ADMIN)
    others = AnnouncementForm.parse(TYPED | {"subject": "Other"})
    await announcements.save(seen, others, actor=ADMIN)
    for state, typed in ((DraftState, TYPED), (SendState, {"when": ""})):
        await tab.fire(state.submit, typed)
        shown = await tab.screen(state)
        assert shown.opened
        assert shown.error.startswith("Somebody else has changed this announcement meanwhile")
    assert (await tab.screen(DraftState)).draft.subject == "A second truck"
    assert (await found(draft)).state == "draft"


async def test_older_ones_are_shown_on_demand(tab):
    for _ in range(PAGE_SIZE + 1):
        await a_draft()
    await tab.fire(AnnouncementsState.load)
    shown = await tab.screen(AnnouncementsState)
    assert (len(shown.lines), shown.has_more) == (PAGE_SIZE, True)
    await tab.fire(AnnouncementsState.more)
    assert (len(shown.lines), shown.has_more) == (PAGE_SIZE + 1, False)
