"""The bookkeeper's file over HTTP."""

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.outcomes.service import charges
from fuel_app.routes import JOURNAL_EXPORT as EXPORT
from tests.helpers.bank import Bank, a_payer, an_invoice, bank
from tests.helpers.people import a_person

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database")


async def as_(browser, *roles: Role) -> None:
    person = await a_person(*roles, email="staff@example.com")
    async with transaction() as session:
        opened = await sessions.start(session, person_id=person.id, second_factor=True)
    cookie = await sessions.redeem_ticket(opened.ticket)
    assert cookie
    browser.cookies.set(COOKIE, cookie.token)


async def test_bookkeepers_file_holds_the_range_of_its_address(browser, bank: Bank):
    today = clock.day_of(clock.now())
    await charges.settle_invoice((await an_invoice(await a_payer(), 4000)).id, "1")
    await as_(browser, Role.ADMIN)
    answer = await browser.get(f"{EXPORT}?first={today}&last={today}")
    name = f'attachment; filename="journal-{today}-to-{today}.csv"'
    assert (answer.status_code, answer.headers["content-disposition"]) == (200, name)
    assert answer.headers["cache-control"] == "no-store"
    assert len(answer.text.splitlines()) == 5
    assert len((await browser.get(f"{EXPORT}?last=2026-01-31")).text.splitlines()) == 1
    refused = await browser.get(f"{EXPORT}?first=2026-01-31&last=2026-01-01")
    assert (refused.status_code, refused.text[:12]) == (422, "Choose a day")
