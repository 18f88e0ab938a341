"""A visitor asks about a ZIP, and reads the terms."""

import pytest

from fuel_app.areas.service import company
from fuel_app.bookings.service.figures import LATE_FEE
from fuel_app.kit import figures
from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import transaction
from fuel_app.marketing import service
from fuel_app.marketing.state import OpeningState, ServiceAreaState, TermsState
from tests.helpers.open_area import open_area
from tests.helpers.tabs import run, tab_at


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("34236", ("34236", "Sarasota", "")),
        (" 34209 ", ("34209", "Bradenton", "")),
        ("90210", ("90210", "", "")),
        ("3423", ("", "", "ZIP code must be 5 digits")),
        (None, ("", "", "ZIP code must be 5 digits")),
    ],
)
async def test_the_answer_is_honest(typed, answer):
    state = await tab_at().get_state(ServiceAreaState)
    state.check({"zip_code": typed})
    assert (state.zip_code, state.city, state.error) == answer


async def test_the_ways_into_accounts_are_shown_once_the_company_is_open(database, monkeypatch):
    state = await tab_at("/plans").get_state(OpeningState)
    await run(OpeningState.arrive.fn(state))  # type: ignore[attr-defined]
    assert not state.is_open
    await open_area()
    await run(OpeningState.arrive.fn(state))  # type: ignore[attr-defined]
    assert state.is_open

    async def fails() -> bool:
        raise RuntimeError("gone")

    monkeypatch.setattr(company, "is_open", fails)
    await run(OpeningState.arrive.fn(state))  # type: ignore[attr-defined]
    assert state.is_open


async def test_the_terms_name_the_amounts_that_staff_have_set(database):
    state = await tab_at("/terms").get_state(TermsState)
    await run(TermsState.arrive.fn(state))  # type: ignore[attr-defined]
    assert (state.late_fee, state.free_fill_cap) == ("$15.00", "$50.00")
    async with transaction() as session:
        action = Action("figure", "change", "somebody")
        await figures.change(session, action, {LATE_FEE.name: 1500}, {LATE_FEE.name: 1250})
    await run(TermsState.arrive.fn(state))  # type: ignore[attr-defined]
    assert state.late_fee == "$12.50"


async def test_the_terms_stand_without_amounts_while_they_cannot_be_read(monkeypatch):
    async def fails() -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr(service, "terms", fails)
    state = await tab_at("/terms").get_state(TermsState)
    await run(TermsState.arrive.fn(state))  # type: ignore[attr-defined]
    assert (state.late_fee, state.free_fill_cap) == ("", "")
