"""Confirm and Skip by the links of a message, over HTTP."""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fuel_app.areas.rules.areas import PAUSED
from fuel_app.areas.tables import Area
from fuel_app.forecasts.rules import due_bookings as rules
from fuel_app.kit.db.session import transaction
from fuel_app.messages import providers
from fuel_app.messages.rules.kinds import BLANK
from tests.factories import UNKNOWN_ID
from tests.forecasts.due import mails, proposed, the_proposal
from tests.helpers.bookings import MILLS, NOW, at, set_price, stored
from tests.helpers.http_site import press
from tests.helpers.mail_server import Inbox, mail_server, text_of
from tests.helpers.outbox import run_worker

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
def inbox(configure: Callable[..., Any]) -> Iterator[Inbox]:
    with mail_server() as received:
        configure(providers, smtp_url=received.url)
        yield received


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def links(inbox: Inbox) -> tuple[str, str, str]:
    """Have a seat held. Return its area, and the addresses of Confirm and Skip in its mail."""
    area_id, _, _ = await proposed()
    await run_worker()
    [mail] = [each for _, each in inbox.mails if "Please confirm" in str(each["Subject"])]
    (kept,) = await mails("due_seat")
    assert f"t={BLANK}" in (kept.body or "")
    confirm, skip = re.findall(r"http://localhost:3000(/due/\S+)", text_of(mail))
    assert all(f"http://localhost:3000{each}" in text_of(mail, "html") for each in (confirm, skip))
    return area_id, confirm, skip


async def visits() -> list[str]:
    return [each.state for each in await stored() if each.state != "completed"]


def action_of(page: str) -> str:
    return html.unescape(re.search(r'action="([^"]+)"', page)[1])  # type: ignore[index]


async def test_scanner_that_opens_the_links_changes_nothing_and_a_press_confirms(browser, inbox):
    _, confirm, skip = await links(inbox)
    for link, button in ((confirm, "Confirm this fill-up"), (skip, "Skip this time")):
        for method in ("GET", "HEAD"):
            page = await browser.request(method, link)
            assert (page.status_code, page.cookies) == (200, {})
        assert f"<button>{button}</button>" in (await browser.get(link)).text
    assert ((await the_proposal()).state, await visits()) == (rules.OPEN, [])
    page = await browser.get(confirm)
    assert "we hold up to" in page.text
    assert f'href="{skip}"' in page.text
    for _ in range(2):
        pressed = await press(browser, page, action_of(page.text))
        assert "We come on Thursday, November 26" in pressed.text
    assert ((await the_proposal()).state, await visits()) == (rules.CONFIRMED, ["booked"])
    late = await browser.post(skip)
    assert (late.status_code, "confirmed this fill-up already" in late.text) == (409, True)


async def test_press_skips_and_the_other_link_says_so(browser, inbox):
    _, confirm, skip = await links(inbox)
    page = await browser.get(skip)
    for _ in range(2):
        assert "The seat has gone back." in (await press(browser, page)).text
    for method in ("GET", "POST"):
        late = await browser.request(method, confirm)
        assert (late.status_code, "you skipped it" in late.text) == (409, True)
    assert ((await the_proposal()).state, await visits()) == (rules.SKIPPED, [])


async def test_terms_that_have_changed_since_the_page_are_shown_before_they_are_agreed_to(
    browser, inbox
):
    area_id, confirm, _ = await links(inbox)
    before = action_of((await browser.get(confirm)).text)
    await set_price(area_id, MILLS + 200, NOW)
    for address in (before, confirm):
        page = await browser.post(address)
        assert (page.status_code, "The price has changed" in page.text) == (409, True)
    assert await visits() == []
    assert "Booked" in (await browser.post(action_of(page.text))).text


async def test_seat_that_cannot_be_booked_just_now_has_no_button(browser, inbox):
    area_id, confirm, _ = await links(inbox)
    async with transaction() as session:
        (await session.get_one(Area, area_id)).status = PAUSED
    page = (await browser.get(confirm)).text
    assert "We take no new bookings" in page
    assert "<button>" not in page


async def test_forged_links_say_so(browser):
    for path in ("/due/confirm", "/due/skip"):
        for method in ("GET", "POST"):
            for token in ("", "x", f"{UNKNOWN_ID}.x"):
                answer = await browser.request(method, path, params={"t": token})
                assert (answer.status_code, "does not work" in answer.text) == (404, True)
