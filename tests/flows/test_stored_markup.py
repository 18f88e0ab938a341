"""Attack: markup stored by visitors is text on every screen and in every file."""

from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from aiohttp import ClientSession
from playwright.sync_api import Page, expect

from fuel_app import routes
from fuel_app.joining.state import WaitlistState
from fuel_app.quotes.state import LAST, BusinessQuoteState, FleetQuoteState
from tests.factories import business_quote_form, fleet_quote_form, waitlist_form
from tests.flows.checks import assert_fits
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.visitor import a_person, fill_in, modal, send
from tests.site import Site, run
from tests.websocket import Visitor

IMAGE = "'\"><img src=x onerror=pwned()>"
SCRIPT = "</title><script>pwned()</script>"
LINK = "javascript:pwned()"
TURNED = "\u05d0\u05d1 = \u0661\u0662"  # right to left by its letters: marks are taken out
LONG = "W" * 60
STORED = (IMAGE, SCRIPT, LINK, TURNED, LONG)
# Elements that exist if any of it became markup.
ALIVE = "img[src=x], [onerror], [onload], a[href^='javascript:' i], script:not([src]):empty"


async def type_everywhere(site: Site, zip_code: str) -> None:
    """Join, create a neighborhood and request both quotes under each name."""
    async with ClientSession() as session:
        for text in STORED:
            async with Visitor(session, site.url) as person:
                email = f"{uuid4().hex}@example.com"
                form = waitlist_form(
                    first_name=text, last_name=text, email=email, zip_code=zip_code
                )
                await person.send(WaitlistState.submit, form=form)
                await person.until(lambda who=person: who.value(WaitlistState, "stage") == "picker")
                await person.send(WaitlistState.create, form={"name": text})
                await person.until(lambda who=person: who.value(WaitlistState, "stage") == "joined")
                fields = ("company_name", "contact_name", "service_location")
                typed: dict[str, str] = {field: text for field in fields}
                typed["notes"] = f"{text}\n{text}"
                await person.send(FleetQuoteState.choose_tab, tab=LAST)
                for state, asked in (
                    (FleetQuoteState, fleet_quote_form(**typed)),
                    (BusinessQuoteState, business_quote_form(**typed)),
                ):
                    await person.send(state.submit, form=asked)
                    await person.until(
                        lambda who=person, at=state: who.value(at, "stage") == "sent"
                    )


@pytest.fixture
def neighborhoods(site, zip_code) -> dict[str, str]:
    """Return the id of each neighborhood by its name."""
    run(type_everywhere(site, zip_code))
    return dict(site.rows("SELECT name, id FROM neighborhoods WHERE zip_code = ?", zip_code))


@pytest.fixture
def as_staff(visit_as_staff) -> Page:
    page = visit_as_staff("/privacy", DESKTOP)
    page.add_init_script("window.pwned = () => { window.it_ran = true; };")
    return page


def shows(page: Page, *texts: str) -> None:
    """Assert that the texts are on the screen as typed and created no markup."""
    for text in texts:
        expect(page.get_by_text(text).first).to_be_attached()
    assert page.evaluate("window.it_ran") is None
    assert page.locator(ALIVE).count() == 0


def fits_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert_fits(page)
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]


def test_stored_markup_runs_on_no_screen(site, as_staff, neighborhoods, zip_code):
    page = as_staff
    leads = dict(site.rows("SELECT type || name, id FROM leads"))
    imported = f"first_name,last_name,email\n{SCRIPT},{SCRIPT},x\n".encode()
    asked = {"name": f"{IMAGE}.csv", "begin": "1"}
    brought = httpx.post(
        site.url + routes.LEAD_IMPORTS, params=asked, content=imported, cookies=site.staff_cookie()
    )
    assert brought.status_code == 202

    page.goto(f"{routes.SUBMISSIONS}?q={quote(IMAGE)}")
    expect(page.get_by_role("searchbox")).to_have_value(IMAGE)
    shows(page, IMAGE)
    page.goto(routes.SUBMISSIONS)
    shows(page, *STORED)
    fits_a_phone(page)
    page.get_by_role("button", name="Upload CSV").click()
    shows(page, f"{IMAGE}.csv")
    page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()
    for kind in ("waitlist", "fleet", "business"):
        name = f"{IMAGE} {IMAGE}" if kind == "waitlist" else IMAGE
        page.goto(routes.lead(leads[kind + name]))
        expect(modal(page).get_by_role("heading", level=2)).to_contain_text(IMAGE)
        shows(page, IMAGE)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=f"Delete {SCRIPT}").first.click()
    expect(modal(page)).to_contain_text("This action cannot be undone.")
    shows(page, SCRIPT)

    page.goto(f"{routes.NEIGHBORHOODS}?zip={zip_code}")
    shows(page, *STORED)
    fits_a_phone(page)
    page.goto(routes.neighborhood(neighborhoods[LONG]))
    shows(page, LONG)
    fits_a_phone(page)
    page.goto(routes.neighborhood(neighborhoods[IMAGE]))
    shows(page, IMAGE)
    for tool in ("Rename", "Merge", "Change pioneer"):
        page.get_by_role("button", name=tool).click()
        expect(modal(page)).to_be_visible()
        shows(page, IMAGE)
        page.keyboard.press("Escape")
        expect(modal(page)).to_be_hidden()
    page.goto(routes.DASHBOARD)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    shows(page)

    for text in (IMAGE, SCRIPT, LINK, TURNED):
        page.goto(routes.flyer(neighborhoods[text]))
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Join {text}")
        shows(page)
    page.goto(routes.flyer(neighborhoods[LONG]))
    fits_a_phone(page)
    page.goto(routes.join_neighborhood(neighborhoods[IMAGE]))
    expect(modal(page)).to_contain_text(IMAGE)
    shows(page, IMAGE)
    fill_in(modal(page), a_person(zip_code, Email=f"{uuid4().hex}@example.com"))
    send(modal(page))
    expect(modal(page).get_by_role("heading", name="Find your neighborhood")).to_be_visible()
    shows(page, *STORED)
    fits_a_phone(page)
