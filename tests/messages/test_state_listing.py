"""The messages' screen, in a tab without a browser."""

from datetime import timedelta

import pytest

from fuel_app.accounts.state.session import SessionState
from fuel_app.kit.errors import FAILED
from fuel_app.messages import service as messages
from fuel_app.messages.rules.listing import MessageView
from fuel_app.messages.state import MessagesState, MessageState
from tests.helpers.admins import AdminTab
from tests.helpers.outbox import NOON, queue, run_worker, sent, set_clock, stored
from tests.helpers.tabs import go_to

pytestmark = pytest.mark.usefixtures("sqlite_database")
SCREEN = "/settings/messages"
NEW = "new@example.com"


async def opened() -> tuple[AdminTab, MessagesState]:
    admin = await AdminTab.at(SCREEN)
    await admin.fire(MessagesState.load)
    return admin, await admin.screen(MessagesState)


async def test_screen_lists_messages_and_says_where_they_go():
    await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    await sent("waitlist_welcome", {"submission": "x"}, to=NEW, good_until=NOON)
    await queue("phone_code", to="9415550123", channel="sms")
    _admin, screen = await opened()
    assert (screen.summary, screen.loading, screen.failed) == ("3 messages", False, False)
    assert screen.where.startswith("No mail server is set")
    code, late, welcome = screen.rows
    assert (code.what, code.channel, code.recipient) == (
        "Phone code",
        "Text message",
        "(941) 555-0123",
    )
    assert (code.state, late.state, welcome.state) == ("Waiting", "Not sent", "Kept here")
    assert late.note == "It is too late for it."
    assert welcome.note == "Not sent: no mail server is set."


async def test_a_message_is_listed_as_queued_and_says_when_it_goes(monkeypatch):
    set_clock(monkeypatch, NOON)
    await queue("waitlist_welcome", {"submission": "x"}, to=NEW, send_at=NOON + timedelta(hours=9))
    await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    await queue("waitlist_welcome", {"submission": "x"}, to=NEW, send_at=NOON - timedelta(hours=1))
    set_clock(monkeypatch, NOON + timedelta(hours=1))
    await run_worker()
    _admin, screen = await opened()
    assert len({row.queued for row in screen.rows}) == 1
    assert [row.moved.partition(" ")[0] for row in screen.rows] == ["Sent", "", "Due"]


async def test_filters_live_in_the_address():
    await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    admin, screen = await opened()
    await admin.fire(MessagesState.narrow, {"q": "nobody", "state": "sent"})
    assert (screen.rows, screen.filtered, screen.summary) == ([], True, "0 messages")
    assert screen.address == f"{SCREEN}?q=nobody&state=sent"
    for state, found in (("sent", 0), ("kept", 1), ("queued", 0)):
        await admin.fire(MessagesState.narrow, {"state": state})
        assert len(screen.rows) == found
    await admin.fire(MessagesState.clear)
    assert (screen.address, len(screen.rows)) == (SCREEN, 1)
    await admin.fire(MessagesState.narrow, None)
    assert len(screen.rows) == 1


async def test_message_is_opened_and_sent_again_once():
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    admin, screen = await opened()
    shown = await admin.screen(MessageState)
    await admin.fire(MessageState.submit, {})  # nothing is open
    await admin.fire(MessageState.begin, row.id)
    assert shown.opened
    line = shown.message.line
    assert (line.what, line.channel, line.recipient) == ("Waitlist welcome", "E-mail", NEW)
    assert "You are on the list." in shown.message.text
    await admin.fire(MessageState.submit, {})
    await admin.fire(MessageState.submit, {})  # the second click of two
    assert (shown.opened, shown.busy, len(screen.rows)) == (False, False, 2)
    assert await admin.said() == ["The message is queued again."]
    await admin.fire(MessageState.begin, row.id)
    await admin.fire(MessageState.submit, {})
    assert shown.error == "This message has been sent again already."
    await admin.fire(MessageState.close, False)
    assert (shown.opened, shown.message) == (False, MessageView())
    await run_worker()
    assert len(await stored()) == 2
    for unknown in ("", None, {}):
        await admin.fire(MessageState.begin, unknown)
    assert not shown.opened
    assert (await admin.said())[-1] == "There is no such message (any more)."


@pytest.mark.parametrize("leaving", ["connect", "arrive"])
async def test_text_is_forgotten_when_the_page_is_left(leaving):
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    admin, _ = await opened()
    shown = await admin.screen(MessageState)
    await admin.fire(MessageState.begin, row.id)
    assert (shown.opened, bool(shown.message.text)) == (True, True)
    if leaving == "arrive":
        await admin.fire(MessagesState.load)
    else:  # the address is opened again: the first event there is not this screen's own
        session = admin.tab.router.headers.raw_headers["cookie"]
        go_to(admin.tab, SCREEN, cookie=session, connection="connection-2")
        await admin.fire(SessionState.require)
    assert (shown.opened, shown.message) == (False, MessageView())


async def test_failures_are_said(monkeypatch):
    row = await sent("waitlist_welcome", {"submission": "x"}, to=NEW)
    admin, screen = await opened()
    shown = await admin.screen(MessageState)
    await admin.fire(MessageState.begin, row.id)

    async def fail(*_):
        raise OSError

    monkeypatch.setattr(messages, "send_again", fail)
    monkeypatch.setattr(messages, "list_messages", fail)
    await admin.fire(MessageState.submit, {})
    assert (shown.error, shown.busy, shown.opened) == (FAILED, False, True)
    await screen._refresh()
    assert (screen.failed, screen.rows) == (True, [])
