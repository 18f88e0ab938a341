"""The money on the settings, and the bookkeeper's file over HTTP."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.billing.providers import stripe
from fuel_app.billing.rules.corrections import TO_CARD, Correction, RefundGone
from fuel_app.billing.rules.reports import MoneyReport
from fuel_app.billing.service import invoices, payments, reports
from fuel_app.billing.tables import Refund, WebhookEvent
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.office.state.settings import MoneyState
from fuel_app.outcomes import jobs as billing_jobs  # registers them
from fuel_app.outcomes.service import charges
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.helpers.admins import AdminTab
from tests.helpers.bank import Bank, a_payer, an_invoice, bank, stored_payments
from tests.helpers.jobs import run_due
from tests.helpers.people import a_person, rows
from tests.helpers.tabs import problems

__all__ = ["bank", "billing_jobs"]
pytestmark = pytest.mark.usefixtures("sqlite_database")

SCREEN, EXPORT = "/settings/money", "/api/money/journal"
NOW = clock.now()
TODAY = clock.day_of(NOW)


@pytest.fixture(autouse=True)
def _stay_in_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


async def loaded(*roles: Role, address: str = SCREEN) -> tuple[AdminTab, MoneyState]:
    tab = await AdminTab.at(address, *roles)
    await tab.fire(MoneyState.load)
    return tab, await tab.screen(MoneyState)


async def test_company_without_payments_sees_empty_lists_of_thirty_days():
    _, shown = await loaded()
    assert shown.report == MoneyReport()
    first = TODAY - timedelta(days=29)
    assert shown.shown == {"first": first.isoformat(), "last": TODAY.isoformat()}
    assert shown.export == f"{EXPORT}?first={first}&last={TODAY}"
    assert (shown.loading, shown.failed) == (False, False)


async def test_days_and_what_needs_a_look_are_shown(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer, 4000)
    await charges.settle_invoice(row.id, "1")
    form = Correction.parse({"amount": "10", "reason": "Spilled"})
    tab, shown = await loaded()
    await outcomes_corrections.correct_invoice(tab.actor, row.id, TO_CARD, form, "k")
    bank.answers = ["failed"]
    await payments.perform_refund((await rows(Refund))[0].id)
    async with transaction() as session:
        [payment] = await stored_payments()
        (await session.merge(payment)).dispute = "needs_response"
        guest = await invoices.payer_of_guest(session, "tab")
    await charges.settle_invoice((await an_invoice(guest, 1500)).id, "1")
    await tab.fire(MoneyState.load)
    [day, whole] = shown.report.days
    assert (day.day, day.captured, day.refunded, day.earned) == (
        *(clock.short_date(TODAY), "$40.00", "$0.00"),
        "$45.00",
    )
    assert (day.income, whole.day) == (("Fees: $55.00", "Refunds and waivers: -$10.00"), "All days")
    [failed] = shown.report.payments
    assert (failed.who, failed.person_id, failed.what) == (
        *("A guest", ""),
        "No card",
    )
    [disputed], [refund] = shown.report.disputes, shown.report.refunds
    assert (disputed.what, refund.amount) == ("Needs response", "$10.00")
    assert refund.person_id == payer.person_id


async def test_failed_refund_of_a_guest_and_of_too_much_is_tried_again(bank: Bank):
    async with transaction() as session:
        guest = await invoices.payer_of_guest(session, "tab")
        guest.provider_id, guest.card_id, guest.card_last4 = "cus_1", "pm_works", "4242"
    await charges.settle_invoice((await an_invoice(guest, 4000)).id, "1")
    async with transaction() as session:
        [payment] = await stored_payments()
        await payments.begin_refund(session, payment, Money(500))
    bank.answers = ["failed"]
    await payments.perform_refund((await rows(Refund))[0].id)
    tab, shown = await loaded()
    [failed] = shown.report.refunds
    assert (failed.who, failed.amount) == ("A guest", "$5.00")
    for _ in range(2):
        await tab.fire(MoneyState.retry_refund, failed.refund_id)
    assert shown.report.refunds == ()
    assert sorted(row.state for row in await rows(Refund)) == ["new", "retried"]
    assert await tab.said() == ["Refund on its way", str(RefundGone())]


async def test_typed_range_is_part_of_the_address_and_a_wrong_one_is_said(bank: Bank):
    await charges.settle_invoice((await an_invoice(await a_payer(), 4000)).id, "1")
    tab, shown = await loaded(address=f"{SCREEN}?first=2026-01-01&last=2026-01-31")
    assert (shown.report.days, shown.shown["first"]) == ((), "2026-01-01")
    await tab.fire(MoneyState.narrow, {"first": TODAY.isoformat(), "last": TODAY.isoformat()})
    assert (len(shown.report.days), shown.address) == (2, f"{SCREEN}?first={TODAY}&last={TODAY}")
    await tab.fire(MoneyState.narrow, {"first": "2026-02-30", "last": ""})
    assert problems(shown.errors) == {"first": "Choose a day"}
    assert len(shown.report.days) == 2  # as it was
    await tab.fire(MoneyState.narrow, {"first": "", "last": ""})
    assert not problems(shown.errors)


async def test_unmatched_webhook_is_looked_at_again_once(monkeypatch):
    async with transaction() as session:
        about: dict[str, Any] = {
            "type": "payment_intent.succeeded",
            "object_id": "pi_1",
            "outcome": "unmatched",
        }
        session.add(WebhookEvent(id="evt_1", **about))
    asked: list[str] = []

    async def unknown(intent_id: str) -> stripe.Intent:
        asked.append(intent_id)
        raise stripe.Rejected("resource_missing")

    monkeypatch.setattr(stripe, "read_intent", unknown)
    tab, shown = await loaded()
    assert [(line.what, line.object_id) for line in shown.report.webhooks] == [
        ("payment_intent.succeeded", "pi_1")
    ]
    for event_id in ("evt_1", "evt_1", "\ud800", "\x00", None, 7):
        await tab.fire(MoneyState.look_again, event_id)
    assert shown.report.webhooks == ()
    await run_due()
    await tab.fire(MoneyState.load)
    assert (asked, len(shown.report.webhooks)) == (["pi_1"], 1)


async def test_dispatcher_is_shown_nothing(bank: Bank):
    await charges.settle_invoice((await an_invoice(await a_payer(), 4000)).id, "1")
    tab, shown = await loaded(Role.DISPATCHER)
    assert (shown.report, shown.failed) == (MoneyReport(), True)
    await tab.fire(MoneyState.look_again, "evt_1")


async def test_failing_database_is_said(monkeypatch, logged):
    async def fails(*_: object, **__: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(reports, "of_days", fails)
    _, shown = await loaded()
    assert (shown.failed, shown.loading) == (True, False)
    assert [entry["event"] for entry in logged if "money" in entry["event"]] == [
        "money.read_failed"
    ]


async def as_(browser, *roles: Role) -> None:
    person = await a_person(*roles, email="staff@example.com")
    async with transaction() as session:
        opened = await sessions.start(session, person_id=person.id, second_factor=True)
    cookie = await sessions.redeem_ticket(opened.ticket)
    assert cookie
    browser.cookies.set(COOKIE, cookie.token)


async def test_bookkeepers_file_holds_the_range_of_its_address(browser, bank: Bank):
    await charges.settle_invoice((await an_invoice(await a_payer(), 4000)).id, "1")
    await as_(browser, Role.ADMIN)
    answer = await browser.get(f"{EXPORT}?first={TODAY}&last={TODAY}")
    name = f'attachment; filename="journal-{TODAY}-to-{TODAY}.csv"'
    assert (answer.status_code, answer.headers["content-disposition"]) == (200, name)
    assert answer.headers["cache-control"] == "no-store"
    assert len(answer.text.splitlines()) == 5
    assert len((await browser.get(f"{EXPORT}?last=2026-01-31")).text.splitlines()) == 1
    refused = await browser.get(f"{EXPORT}?first=2026-01-31&last=2026-01-01")
    assert (refused.status_code, refused.text[:12]) == (422, "Choose a day")


@pytest.mark.parametrize("role", [Role.DISPATCHER, Role.CUSTOMER])
async def test_bookkeepers_file_is_for_admins(browser, role: Role):
    await as_(browser, role)
    assert (await browser.get(EXPORT)).status_code == 403
