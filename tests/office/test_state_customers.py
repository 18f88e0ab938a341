"""A customer's dashboard as the staff see it, in a tab without a browser."""

import pytest

from fuel_app.office.state.customers import CustomerDashboardState
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

SCREEN = "/customer-dashboard"


class Staff(StaffTab[CustomerDashboardState]):
    state = CustomerDashboardState


async def test_the_list_comes_first_and_no_customer_is_chosen():
    staff = await Staff.at(SCREEN)
    shown = await staff.screen()
    assert await staff.names() == ["Sarah Johnson"]
    assert (shown.card.name, shown.missing, shown.loading) == ("", False, False)


async def test_choosing_a_customer_shows_their_month_and_keeps_the_search():
    staff = await Staff.at(SCREEN)
    shown = await staff.screen()
    assert await staff.run("choose", shown.rows[0].id) == f"{SCREEN}?customer=sample"
    assert (shown.card.name, shown.month.fills_remaining) == ("Sarah Johnson", "3")
    assert await staff.run("look_for", "sa & b") == f"{SCREEN}?q=sa+%26+b&customer=sample"
    assert (shown.rows, shown.card.name) == ([], "Sarah Johnson")


async def test_an_unknown_customer_is_said():
    shown = await (await Staff.at(f"{SCREEN}?customer=<b>nobody</b>")).screen()
    assert (shown.missing, shown.card.name) == (True, "")


async def test_a_failed_read_shows_no_customer(monkeypatch):
    async def fails(*_: object) -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr("fuel_app.office.state.customers.sample_customers", fails)
    shown = await (await Staff.at(f"{SCREEN}?customer=sample")).screen()
    assert (shown.rows, shown.card.name, shown.loading) == ([], "", False)


async def test_a_stranger_sees_no_customer():
    shown = await tab_at(f"{SCREEN}?customer=sample").get_state(CustomerDashboardState)
    await run(CustomerDashboardState.load.fn(shown))  # type: ignore[attr-defined]
    assert (shown.rows, shown.card.name) == ([], "")
