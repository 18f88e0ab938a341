"""Business figures, money, and the shifts of technicians, on the settings of one tab."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import NotAllowed, Role
from fuel_app.accounts.state.people import DeactivationState, PeopleState
from fuel_app.billing.providers import stripe
from fuel_app.billing.rules.corrections import TO_CARD, Correction, RefundGone
from fuel_app.billing.rules.reports import MoneyDay, MoneyReport
from fuel_app.billing.service import invoices, payments, reports
from fuel_app.billing.tables import Refund, WebhookEvent
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.kit.money import Money
from fuel_app.kit.policies import POLICIES
from fuel_app.office import service as office
from fuel_app.office.pages import settings_people
from fuel_app.office.state.settings import BusinessState, MoneyState, TechnicianRoutesState
from fuel_app.outcomes import jobs as billing_jobs  # registers them
from fuel_app.outcomes.service import charges
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.helpers.admins import AdminTab
from tests.helpers.bank import Bank, a_payer, an_invoice, bank, stored_payments
from tests.helpers.bookings import NOW, TODAY, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, on_route
from tests.helpers.jobs import run_due
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking
from tests.helpers.tabs import problems

__all__ = ["bank", "billing_jobs"]
pytestmark = pytest.mark.usefixtures("sqlite_database")

LATE = "Enter an amount from $0 to $100"


@pytest.fixture
async def admin() -> AdminTab:
    tab = await AdminTab.at(routes.SETTINGS_BUSINESS)
    await tab.fire(BusinessState.load)
    return tab


def form(**differs: str) -> dict[str, str]:
    return {name: each.typed(each.default) for name, each in POLICIES.items()} | differs


async def test_a_figure_is_changed_with_undo_and_stands_in_the_history(admin):
    shown = await admin.screen(BusinessState)
    assert (shown.shown, shown.loading) == (form(), False)
    await admin.fire(BusinessState.submit, form(late_fee="$12"))
    assert shown.shown["late_fee"] == "12.00"
    assert [(line.label, line.what, line.who) for line in shown.changes] == [
        ("Late fee", "$15 → $12", "Grace Hopper")
    ]
    assert await admin.offered() == "1 figure changed"
    await admin.fire(BusinessState.submit, form(late_fee="12"))
    assert (await admin.said())[-1] == "Nothing to change"
    assert "Undone." in await admin.undo()
    await admin.fire(BusinessState.load)
    assert shown.shown["late_fee"] == "15.00"
    assert shown.changes[0].what == "$15 → $12 (undone)"


async def test_wrong_figures_are_named_and_checked_again_while_they_change(admin):
    shown = await admin.screen(BusinessState)
    assert await admin.fire(BusinessState.submit, form(late_fee="x")) == ["business_late_fee"]
    assert (problems(shown.errors), shown.busy) == ({"late_fee": LATE}, False)
    await admin.fire(BusinessState.edit, form(late_fee="x"))
    assert problems(shown.errors) == {"late_fee": LATE}
    await admin.fire(BusinessState.edit, None)
    assert set(problems(shown.errors)) == set(POLICIES)
    await admin.fire(BusinessState.edit, form(late_fee="9"))
    assert not problems(shown.errors)


async def test_an_older_screen_overwrites_nothing(admin):
    other = await AdminTab.at(routes.SETTINGS_BUSINESS, email="ada@example.com")
    await other.fire(BusinessState.load)
    await other.fire(BusinessState.submit, form(late_fee="12"))
    await admin.fire(BusinessState.submit, form(late_fee="9"))
    shown = await admin.screen(BusinessState)
    assert shown.error.startswith("Somebody else has changed 'Late fee' meanwhile.")
    assert shown.shown["late_fee"] == "12.00"


async def test_failures_are_said(admin, monkeypatch):
    shown = await admin.screen(BusinessState)
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
        await admin.fire(BusinessState.submit, form(late_fee="9"))
    assert (shown.error, shown.busy) == (FAILED, False)

    async def fails(*, actor: object) -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr(office, "values", fails)
    await admin.fire(BusinessState.load)
    assert (shown.failed, shown.shown["late_fee"]) == (True, "15.00")


async def test_a_role_that_has_gone_empties_the_screen(admin, monkeypatch):
    async def refuses(*, actor: object) -> None:
        raise NotAllowed

    monkeypatch.setattr(office, "values", refuses)
    await admin.fire(BusinessState.load)
    assert (await admin.screen(BusinessState)).shown == {}


MONEY_NOW = clock.now()
MONEY_DAY = clock.day_of(MONEY_NOW)


@pytest.fixture(autouse=True)
def _stay_in_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: MONEY_NOW)


async def loaded(*roles: Role, address: str = routes.SETTINGS_MONEY) -> tuple[AdminTab, MoneyState]:
    tab = await AdminTab.at(address, *roles)
    await tab.fire(MoneyState.load)
    return tab, await tab.screen(MoneyState)


async def test_company_without_payments_sees_empty_lists_of_thirty_days():
    _, shown = await loaded()
    months = [replace(each, day="", href="") for each in shown.report.months]
    nothing = MoneyDay.of("", ())
    assert (replace(shown.report, months=()), months) == (
        MoneyReport(debtors="0 customers"),
        [nothing, nothing],
    )
    first = MONEY_DAY - timedelta(days=29)
    assert shown.shown == {"first": first.isoformat(), "last": MONEY_DAY.isoformat()}
    assert shown.export == f"{routes.JOURNAL_EXPORT}?first={first}&last={MONEY_DAY}"
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
        *(clock.short_date(MONEY_DAY), "$40.00", "$0.00"),
        "$45.00",
    )
    assert (day.income, whole.day) == (("Fees: $55.00", "Refunds and waivers: -$10.00"), "All days")
    [debt] = shown.report.debts
    assert (debt.who, debt.person_id, debt.what, shown.report.owed) == (
        "A guest",
        "",
        "No card",
        "$15.00",
    )
    [disputed], [refund] = shown.report.disputes, shown.report.refunds
    assert (disputed.what, disputed.deadline, disputed.invoice_id) == (
        "Needs response",
        "See Stripe",
        row.id,
    )
    assert refund.amount == "$10.00"
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
    tab, shown = await loaded(address=f"{routes.SETTINGS_MONEY}?first=2026-01-01&last=2026-01-31")
    assert (shown.report.days, shown.shown["first"]) == ((), "2026-01-01")
    await tab.fire(
        MoneyState.narrow, {"first": MONEY_DAY.isoformat(), "last": MONEY_DAY.isoformat()}
    )
    assert (len(shown.report.days), shown.address) == (
        2,
        f"{routes.SETTINGS_MONEY}?first={MONEY_DAY}&last={MONEY_DAY}",
    )
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
    assert [entry["screen"] for entry in logged if entry["event"] == "screen.read_failed"] == [
        "MoneyState"
    ]


async def test_shifts_of_the_member_are_named_in_words(monkeypatch):
    at(monkeypatch, NOW)
    dana, area = await a_technician(), await an_area()
    await a_shift(await a_truck(name="Heron"), dana, day=TODAY)
    tomorrow = await a_shift(await a_truck(name="Ibis"), dana)
    bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 10)]
    await on_route(tomorrow, *bookings, published=True)
    tab = await AdminTab.at(routes.SETTINGS_PEOPLE)
    await tab.fire(PeopleState.load)
    await tab.fire(TechnicianRoutesState.show, dana.person_id)
    await tab.fire(DeactivationState.begin, dana.person_id)
    shown = await tab.screen(TechnicianRoutesState)
    hours = "7 AM–7 PM"  # noqa: RUF001
    assert shown.shifts_ahead == [
        f"Monday, November 23: Heron, {hours}, not published, no stop to do",
        f"Tuesday, November 24: Ibis, {hours}, published, 2 stops to do",
    ]
    await tab.fire(TechnicianRoutesState.show, tab.actor.person_id)
    assert shown.shifts_ahead == []


def test_dialog_reads_the_shifts_before_it_opens():
    shown = str(settings_people())
    assert "Shifts of theirs that are not over:" in shown
    assert shown.index("technician_routes_state.show") < shown.index("deactivation_state.begin")
