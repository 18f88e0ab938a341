"""The customer and the view of a tab."""

from datetime import date, timedelta

import pytest

from fuel_app.customers.state.customer import CustomerState
from fuel_app.dashboard.rules import Overview, PastService
from fuel_app.dashboard.state import MonthCard, MonthState
from fuel_app.kit.money import dollars
from tests.factories import customer
from tests.helpers.tabs import run, tab_at

TODAY = date(2026, 3, 9)


@pytest.mark.usefixtures("sqlite_database")
async def test_a_visitor_finds_the_sample_customer():
    tab = tab_at("/dashboard")
    state = await tab.get_state(MonthState)
    await run(state.arrive())
    card = (await tab.get_state(CustomerState)).card
    assert (card.name, card.initials) == ("Sarah Johnson", "SJ")
    assert (card.plan, card.plan_summary) == ("Family Plan", "4 fills per month")
    card = state.card
    assert (card.fills_remaining, card.fills_total, card.fills_used) == ("3", 4, "1 of 4")
    assert (card.gallons_used, card.cost_per_gallon) == ("14.2", "$3.45")
    assert card.days_since_last_fill == "6"
    assert not card.has_booking
    assert len(card.past_services) == len(card.chart) == 4


def test_customer_without_a_fill_is_shown_none():
    card = MonthCard.of(customer(), Overview(), TODAY)
    assert (card.days_since_last_fill, card.last_fill) == ("–", "No fill yet")  # noqa: RUF001
    assert (card.past_services, card.chart) == ([], [])


def test_the_chart_shows_the_last_six_and_the_oldest_first():
    fills = tuple(
        PastService(
            TODAY - timedelta(days=back), "2022 Toyota Camry", 10_000 + 1000 * back, dollars(40)
        )
        for back in range(8)
    )
    shown = MonthCard.of(customer(), Overview(past_services=fills), TODAY).chart
    assert [bar.value for bar in shown] == ["15.0", "14.0", "13.0", "12.0", "11.0", "10.0"]
    assert (shown[0].label, shown[-1].label) == ("Mar 4", "Mar 9")
