"""The list of what waits, and its number, in a tab of the staff."""

import asyncio

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.screens import WaitingState
from fuel_app.attention.state import HEADING, AttentionState, WaitingKind
from fuel_app.billing.tables import CorrectionRequest, Refund, StoredPayment
from fuel_app.kit.attention import Attention, Waiting
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import TRUCKS, signals
from tests.helpers.admins import AdminTab
from tests.helpers.bank import a_payer
from tests.helpers.bookings import NOW, at
from tests.helpers.dispatch import a_truck
from tests.helpers.open_area import open_area
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture(autouse=True)
def _clock(monkeypatch) -> None:
    at(monkeypatch, NOW)
    monkeypatch.setattr(screens, "_PAUSE_S", 0)


async def a_failed_refund() -> str:
    payer = await a_payer()
    paid = {"kind": "charge", "state": "succeeded", "amount_cents": 700, "captured_cents": 700}
    async with transaction() as session:
        payment = StoredPayment(key="paid", payer_id=payer.id, provider_id="pi_1", **paid)
        session.add(payment)
        await session.flush()
        refund = Refund(payment_id=payment.id, amount_cents=700, state="failed")
        session.add(refund)
    return refund.id


async def following(tab: AdminTab, waiting: asyncio.Event) -> asyncio.Task:
    state = await tab.screen(AttentionState)
    task = asyncio.create_task(run(AttentionState.event_handlers["follow"].fn(state)))
    await waiting.wait()
    return task


async def test_dispatcher_presses_once_and_the_list_and_its_number_follow(waiting):
    await open_area()
    refund_id = await a_failed_refund()
    tab = await AdminTab.at(routes.DASHBOARD, Role.DISPATCHER)
    task = await following(tab, waiting)
    state, number = await tab.screen(AttentionState), await tab.screen(WaitingState)
    (kind,) = state.kinds
    (line,) = kind.lines
    assert (kind.title, kind.total, kind.href) == ("Refunds that failed", "1", "")
    assert (line.id, line.act, number.total, state.loading) == (refund_id, "Try again", 1, False)
    assert await tab.fire(AttentionState.press, "refunds", refund_id) == [HEADING.replace("-", "_")]
    assert (state.kinds, number.total, state.busy) == ([], 0, "")
    assert await tab.said() == ["Refund on its way"]
    assert await tab.fire(AttentionState.press, "refunds", refund_id) == [HEADING.replace("-", "_")]
    assert await tab.said() == ["Refund on its way", "This refund has not failed (any more)."]
    task.cancel()
    await asyncio.wait([task])


async def test_an_admin_says_no_to_a_request(waiting):
    await open_area()
    payer = await a_payer()
    async with transaction() as session:
        row = CorrectionRequest(
            key="k", way="gift", payer_id=payer.id, amount_cents=8000, reason="x", asked_by="system"
        )
        session.add(row)
    tab = await AdminTab.at(routes.DASHBOARD)
    state = await tab.screen(AttentionState)
    task = await following(tab, waiting)
    [line] = [line for kind in state.kinds if kind.kind == "requests" for line in kind.lines]
    assert (line.act, line.decline) == ("Approve", "Decline")
    await tab.fire(AttentionState.decline, "requests", row.id)
    assert await tab.said() == ["Declined"]
    assert "requests" not in [kind.kind for kind in state.kinds]
    task.cancel()
    await asyncio.wait([task])


async def test_refusal_stands_beside_the_line_that_still_waits():
    await open_area()
    refund_id = await a_failed_refund()
    async with transaction() as session:
        await session.execute(StoredPayment.__table__.update().values(dispute="lost"))  # type: ignore[attr-defined]
    tab = await AdminTab.at(routes.DASHBOARD)
    assert await tab.fire(AttentionState.press, "refunds", refund_id) == []
    state = await tab.screen(AttentionState)
    assert "dispute" in state.refused[f"refunds {refund_id}"]
    assert await tab.said() == []
    state.busy = "refunds another"
    await tab.fire(AttentionState.press, "refunds", refund_id)
    assert state.busy == "refunds another"


async def test_other_screens_get_the_number_alone_and_follow_changes(waiting):
    await open_area()
    await a_failed_refund()
    tab = await AdminTab.at(routes.SUBMISSIONS)
    task = await following(tab, waiting)
    state, number = await tab.screen(AttentionState), await tab.screen(WaitingState)
    before = number.total
    assert (state.kinds, before > 1) == ([], True)  # prices are missing, too
    waiting.clear()
    await a_truck(meter_sealed_on=NOW.date().replace(year=2020))
    await signals().publish(TRUCKS)
    await waiting.wait()
    assert number.total == before + 1
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize("roles", [(), (Role.TECHNICIAN,), (Role.CUSTOMER,)])
async def test_others_are_told_nothing(roles):
    await open_area()
    await a_failed_refund()
    tab = (await AdminTab.at(routes.DASHBOARD, *roles)).tab if roles else tab_at(routes.DASHBOARD)
    state = await tab.get_state(AttentionState)
    await run(AttentionState.event_handlers["follow"].fn(state))
    await run(AttentionState.press.fn(state, "refunds", ""))
    assert (state.kinds, state.busy) == ([], "")
    assert (await tab.get_state(WaitingState)).total == 0


def test_kind_says_how_many_are_not_listed_and_where_they_are():
    lines = tuple(Waiting(str(number), "x") for number in range(2))
    found = Attention("k", "Title", lines, 1234, href=routes.SETTINGS_MONEY)
    assert WaitingKind.of(found, is_admin=True).more == "1,232 more"
    assert WaitingKind.of(found, is_admin=True).href == routes.SETTINGS_MONEY
    assert WaitingKind.of(found, is_admin=False).href == ""
    assert WaitingKind.of(Attention("k", "Title", total=3), is_admin=False).more == ""


def test_first_lines_of_a_kind_are_shown_and_the_others_folded():
    lines = tuple(Waiting(str(number), "x") for number in range(7))
    kind = WaitingKind.of(Attention("k", "Title", lines, 7), is_admin=True)
    assert ([each.id for each in kind.folded], kind.unfold) == (["5", "6"], "Show 2 more")
    assert (len(kind.lines), kind.more) == (5, "")
