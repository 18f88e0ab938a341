"""The bookkeeper's file and a dispute's evidence over HTTP."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.billing.rules.invoices import LATE_FEE
from fuel_app.billing.tables import Payer
from fuel_app.dispatch.tables import FillPhoto
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.outcomes.service import charges
from fuel_app.routes import JOURNAL_EXPORT as EXPORT
from tests.helpers.bank import Bank, a_payer, an_invoice, bank, stored_payments
from tests.helpers.bookings import an_area
from tests.helpers.people import a_person
from tests.helpers.stored_bookings import a_booking

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


async def a_dispute(payer: Payer, booking_id: str | None) -> str:
    """Store a paid late fee that the customer's bank takes back. Return its payment."""
    row = await an_invoice(payer, 1500, kind=LATE_FEE, booking_id=booking_id)
    await charges.settle_invoice(row.id, "1")
    [paid] = await stored_payments(invoice_id=row.id)
    async with transaction() as session:
        (await session.merge(paid)).dispute = "needs_response"
    return paid.id


async def test_evidence_is_the_receipt_and_the_photos_of_a_disputed_payment(browser, bank: Bank):
    payer, picture = await a_payer(), BytesIO()
    Image.new("RGB", (2, 2)).save(picture, "JPEG")
    booking = await a_booking(await an_area())
    taken = {"booking_id": booking.id, "taken_at": clock.now(), "file": picture.getvalue()}
    async with transaction() as session:
        session.add(FillPhoto(id="00000000-0000-0000-0000-000000000001", **taken))
    of_fill, of_fee = await a_dispute(payer, booking.id), await a_dispute(payer, None)
    assert (await browser.get(routes.evidence(of_fill))).status_code in (401, 403)
    await as_(browser, Role.ADMIN)
    answer = await browser.get(routes.evidence(of_fill))
    name = 'attachment; filename="GF-000001-evidence.zip"'
    assert (answer.headers["content-disposition"], answer.headers["cache-control"]) == (
        name,
        "no-store",
    )
    with ZipFile(BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["GF-000001.pdf", "GF-000001-photo-1.jpeg"]
        assert archive.read("GF-000001.pdf")[:4] == b"%PDF"
        assert archive.read("GF-000001-photo-1.jpeg") == picture.getvalue()
    alone = await browser.get(routes.evidence(of_fee))
    with ZipFile(BytesIO(alone.content)) as archive:
        assert archive.namelist() == ["GF-000002.pdf"]


async def test_there_is_no_evidence_of_what_is_not_disputed_or_has_no_receipt(browser, bank: Bank):
    payment_id = await a_dispute(await a_payer(), None)
    await as_(browser, Role.ADMIN)
    [paid] = await stored_payments()
    for invoice_id, dispute in ((None, "lost"), (paid.invoice_id, "")):
        async with transaction() as session:
            row = await session.merge(paid)
            row.invoice_id, row.dispute = invoice_id, dispute
        for asked in (payment_id, "x"):
            assert (await browser.get(routes.evidence(asked))).status_code == 404
