"""The tab 'Ledger' of one customer."""

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.kit.clock import months_later, short_date
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.office.state.customers import CustomerDashboardState, LedgerTab
from fuel_app.plans.rules.ledger import GUEST
from fuel_app.plans.service import ledger
from tests.customers.test_service_directory import a_customer
from tests.hardening.nasty import NASTY
from tests.helpers import plans
from tests.helpers.admins import AdminTab
from tests.helpers.open_area import open_area
from tests.helpers.plans import balance, entries, start, today
from tests.helpers.tabs import problems

ONE_MORE = {"fills": "1", "reason": "The truck was late"}


@pytest.fixture(autouse=True)
async def _open(sqlite_database):
    await open_area()


async def shown_tab(plan: str = "family", *, started: bool = True) -> tuple[AdminTab, LedgerTab]:
    customer_id = await a_customer(plan=plan)
    if started:
        await start(customer_id, plan)
    address = f"/customer-dashboard?customer={customer_id}&tab=ledger"
    tab = await AdminTab.at(address, Role.DISPATCHER)
    await tab.fire(CustomerDashboardState.load)
    return tab, await tab.screen(LedgerTab)


async def test_tab_shows_what_is_left_and_the_entries():
    _, shown = await shown_tab("big-family")
    async with transaction() as session:
        person_id = shown._customer_id
        await plans.reserve(session, person_id, today(), "booking-123456", bucket=GUEST)
    await shown._load()
    assert {label: left.partition(",")[0] for label, left in shown.left.items()} == {
        "This period": "10 of 10 left",
        "Next period": "10 of 10 left",
        "Guest fill of this quarter": "0 of 1 left",
    }
    assert shown.left["This period"].endswith(short_date(months_later(today(), 1)))
    assert sorted((line.what, line.fills, line.booking) for line in shown.rows) == [
        ("Granted", "+10", ""),
        ("Granted, guest fill", "+1", ""),
        ("Reserved, guest fill", "-1", "123456"),
    ]


async def test_plan_that_is_not_started_shows_nothing_to_adjust():
    _, shown = await shown_tab(started=False)
    assert (shown.left, shown.rows, shown.loading, shown.failed) == ({}, [], False, False)


async def test_staff_adjust_once_however_often_they_press():
    tab, shown = await shown_tab()
    await tab.fire(LedgerTab.adjust, ONE_MORE)
    await tab.fire(LedgerTab.edit, ONE_MORE)
    await tab.fire(LedgerTab.adjust, ONE_MORE)
    assert (shown.left["This period"][:11], shown.rows[0].who) == ("5 of 5 left", "Grace Hopper")
    assert (shown.busy, shown.error, shown.rows[0].fills) == (False, "", "+1")
    assert shown.edition == 2
    await tab.fire(LedgerTab.edit, {"fills": "", "reason": ""})
    await tab.fire(LedgerTab.adjust, ONE_MORE)
    assert await balance(shown._customer_id, today()) == 6


async def test_fills_that_may_be_added_are_named_before_and_when_they_are_too_many():
    tab, shown = await shown_tab()
    assert shown.most == "Up to 2 more."
    await tab.fire(LedgerTab.adjust, ONE_MORE)
    assert shown.most == "Up to 1 more."
    await tab.fire(LedgerTab.adjust, ONE_MORE | {"fills": "2"})
    said = problems(shown.errors)["fills"]
    assert said.startswith("1 of 2 fills is left for this customer until ")
    await tab.fire(LedgerTab.adjust, ONE_MORE | {"reason": "Again"})
    assert shown.most.startswith("Nothing of 2 fills is left for this customer until ")


async def test_wrong_fields_are_said_and_checked_as_they_change():
    tab, shown = await shown_tab()
    assert await tab.fire(LedgerTab.adjust, {"fills": "0", "reason": ""}) == ["adjust_fills"]
    assert set(problems(shown.errors)) == {"fills", "reason"}
    await tab.fire(LedgerTab.edit, ONE_MORE)
    assert not problems(shown.errors)


async def test_taking_more_than_is_left_is_refused_above_the_button():
    tab, shown = await shown_tab("solo")
    await tab.fire(LedgerTab.adjust, ONE_MORE | {"fills": "-3"})
    assert shown.error == "Fewer fills are left in this period than you take away."
    assert (shown.edition, shown.left["This period"][:11]) == (0, "2 of 2 left")


async def test_failure_keeps_what_is_typed_and_a_retry_adjusts_once(monkeypatch):
    tab, shown = await shown_tab()
    adjust = ledger.adjust_fills

    async def answer_lost(*given: object) -> None:
        await adjust(*given)  # type: ignore[arg-type]
        raise ConnectionError

    monkeypatch.setattr(ledger, "adjust_fills", answer_lost)
    await tab.fire(LedgerTab.adjust, ONE_MORE)
    assert (shown.error, shown.edition, shown.busy) == (FAILED, 0, False)
    monkeypatch.setattr(ledger, "adjust_fills", adjust)
    await tab.fire(LedgerTab.adjust, ONE_MORE)
    assert (shown.error, await balance(shown._customer_id, today())) == ("", 5)


@pytest.mark.parametrize("value", NASTY.values(), ids=list(NASTY))
async def test_any_form_is_survived(value):
    tab, shown = await shown_tab()
    for event in (LedgerTab.edit, LedgerTab.adjust):
        await tab.fire(event, value)
        await tab.fire(event, {"fills": value, "reason": value})
    assert not shown.busy
    assert await entries(shown._customer_id) == [("granted", 4)]


async def test_fills_are_adjusted_for_no_customer_but_the_one_of_the_form():
    tab, shown = await shown_tab()
    before = shown.left
    await tab.fire(LedgerTab.adjust, ONE_MORE | {"customer": "another"})
    assert shown.left == before
    await tab.fire(LedgerTab.adjust, ONE_MORE | {"customer": shown._customer_id})
    assert shown.left != before
