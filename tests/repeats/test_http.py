"""Skip and Pause by the links of a mail, over HTTP."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fuel_app.messages import providers
from fuel_app.messages.rules.kinds import BLANK
from fuel_app.repeats import service
from fuel_app.repeats.tables import StoredSeries
from tests.factories import UNKNOWN_ID
from tests.helpers.bookings import NOW, a_customer, an_area, at, booked, slot, stored
from tests.helpers.http_site import press
from tests.helpers.mail_server import Inbox, mail_server, text_of
from tests.helpers.outbox import run_worker
from tests.helpers.people import messages, rows

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
def inbox(configure: Callable[..., Any]) -> Iterator[Inbox]:
    with mail_server() as received:
        configure(providers, smtp_url=received.url)
        yield received


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def links(inbox) -> list[str]:
    """Have a series book its next visit. Return the addresses of Skip and Pause in its mail."""
    area_id, who = await an_area(), await a_customer()
    await service.start(who.actor, (await booked(who, slot(area_id))).id, 1)
    await run_worker()
    [mail] = [each for _, each in inbox.mails if "December 1" in str(each["Subject"])]
    [kept] = [
        each.body or ""
        for each in await messages("booking_confirmed")
        if each.channel == "mail" and "December 1" in each.subject
    ]
    assert f"t={BLANK}" in kept
    assert "Every week" in kept
    found = re.findall(r"http://localhost:3000(/repeats/\S+)", text_of(mail))
    assert all(f"http://localhost:3000{each}" in text_of(mail, "html") for each in found)
    return found


async def open_days() -> int:
    return len([each for each in await stored() if each.state == "booked"])


async def test_scanner_that_opens_the_links_changes_nothing_and_a_press_does(browser, inbox):
    skip, pause = await links(inbox)
    for link, button in ((skip, "Skip this visit"), (pause, "Pause the repeat")):
        for method in ("GET", "HEAD"):
            page = await browser.request(method, link)
            assert (page.status_code, page.cookies) == (200, {})
        assert f"<button>{button}</button>" in (await browser.get(link)).text
    assert await open_days() == 2
    assert (await rows(StoredSeries))[0].state == "active"
    pressed = await press(browser, await browser.get(skip))
    assert "We do not come on Tuesday, December 1" in pressed.text
    assert await open_days() == 1
    assert "Paused" in (await press(browser, await browser.get(pause))).text
    (series,) = await rows(StoredSeries)
    assert series.state == "paused"


async def test_links_that_are_forged_late_or_of_an_ended_repeat_say_so(browser, inbox, monkeypatch):
    skip, pause = await links(inbox)
    (series,) = await rows(StoredSeries)
    visit = max(await stored(), key=lambda row: row.starts_at)
    at(monkeypatch, visit.starts_at)
    late = await browser.post(skip)
    assert (late.status_code, "too late to skip" in late.text) == (409, True)
    at(monkeypatch, NOW)
    await service.end(service._customer(series.person_id), series.id)
    ended = await browser.post(pause)
    assert (ended.status_code, "This repeat has ended." in ended.text) == (409, True)
    for path in ("/repeats/skip", "/repeats/pause"):
        for method in ("GET", "POST"):
            for token in ("", "x", f"{UNKNOWN_ID}.x"):
                answer = await browser.request(method, path, params={"t": token})
                assert (answer.status_code, "does not work" in answer.text) == (404, True)
