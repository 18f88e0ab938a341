"""The customer and the view of a tab."""

from datetime import date, timedelta

import pytest

from fuel_app.customers.rules.customers import PastService
from fuel_app.customers.state.customer import CustomerCard, CustomerState
from fuel_app.kit import clock
from fuel_app.kit.money import dollars
from tests.factories import customer
from tests.helpers.tabs import run, tab_at

TODAY = date(2026, 3, 9)


@pytest.mark.usefixtures("sqlite_database")
async def test_a_visitor_finds_the_sample_customer(monkeypatch):
    state = await tab_at("/dashboard").get_state(CustomerState)
    await run(state.arrive())
    card = state.card
    assert (card.name, card.initials) == ("Sarah Johnson", "SJ")
    assert (card.plan, card.plan_summary) == ("Family Plan", "4 fills per month")
    assert (card.fills_remaining, card.fills_total, card.fills_used) == ("3", 4, "1 of 4")
    assert (card.gallons_used, card.cost_per_gallon) == ("14.2", "$3.45")
    assert card.days_since_last_fill == "6"
    assert not card.has_booking
    assert len(card.past_services) == len(card.chart) == 4
    tomorrow = clock.now() + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: tomorrow)
    await run(state.arrive())
    assert state.card.days_since_last_fill == "7"


def test_customer_without_a_fill_is_shown_none():
    card = CustomerCard.of(customer(past_services=()), TODAY)
    assert (card.days_since_last_fill, card.last_fill) == ("–", "No fill yet")  # noqa: RUF001
    assert (card.past_services, card.chart) == ([], [])


def test_the_chart_shows_the_last_six_and_the_oldest_first():
    fills = tuple(
        PastService(
            TODAY - timedelta(days=back), "2022 Toyota Camry", 10_000 + 1000 * back, dollars(40)
        )
        for back in range(8)
    )
    shown = CustomerCard.of(customer(past_services=fills), TODAY).chart
    assert [bar.value for bar in shown] == ["15.0", "14.0", "13.0", "12.0", "11.0", "10.0"]
    assert (shown[0].label, shown[-1].label) == ("Mar 4", "Mar 9")
