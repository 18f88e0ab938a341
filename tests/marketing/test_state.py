"""A visitor asks about a ZIP, and reads the terms."""

import pytest

from fuel_app.areas.service import company
from fuel_app.bookings.service.slots import LATE_FEE
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.joining.state import WaitlistState
from fuel_app.kit import policies
from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import transaction
from fuel_app.marketing import service
from fuel_app.marketing.state import OpeningState, ServiceAreaState, TermsState
from tests.helpers.open_area import open_area
from tests.helpers.tabs import answer, focused, go_to, redirected, run, tab_at


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
async def test_the_answer_is_honest(sqlite_database, typed, answer):
    state = await tab_at().get_state(ServiceAreaState)
    await run(state.check({"zip_code": typed}))
    assert (state.zip_code, state.city, state.error) == answer
    assert (state.is_open, state.is_served) == (False, False)


async def test_once_open_the_answer_comes_from_the_open_areas(database):
    await open_area("34209")
    state = await tab_at().get_state(ServiceAreaState)
    assert focused(await answer(state.check({"zip_code": "34209"}))) == "service_area_answer"
    assert (state.is_open, state.is_served) == (True, True)
    await run(state.check({"zip_code": "34236"}))
    assert (state.is_open, state.is_served) == (True, False)


async def test_an_open_zip_leads_to_the_sign_up_and_is_filled_in_there(sqlite_database):
    await open_area()
    tab = tab_at("/?ref=somebody")
    await run((await tab.get_state(WaitlistState)).arrive())
    state = await tab.get_state(ServiceAreaState)
    await run(state.check({"zip_code": "34236"}))
    assert redirected(await answer(state.start())) == "/onboarding?ref=somebody"
    go_to(tab, "/onboarding?ref=somebody")
    sign_up = await tab.get_state(SignupState)
    await run(sign_up.arrive())
    assert sign_up.contact["zip_code"] == "34236"


async def test_another_zip_leads_to_the_waitlists_form_with_what_was_typed(sqlite_database):
    await open_area()
    tab = tab_at()
    state, waitlist = await tab.get_state(ServiceAreaState), await tab.get_state(WaitlistState)
    await run(waitlist.edit({"first_name": "Ada"}))
    await run(state.check({"zip_code": "34209"}))
    await run(state.wait())
    assert waitlist.opened
    assert not waitlist.asks_zip
    assert (waitlist.form["first_name"], waitlist.form["zip_code"]) == ("Ada", "34209")


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
    assert state.is_open  # as it was
    check = await tab_at().get_state(ServiceAreaState)
    await run(check.check({"zip_code": "34236"}))  # the answer of the waitlist
    assert (check.zip_code, check.city, check.is_open) == ("34236", "Sarasota", False)


async def test_the_terms_name_the_amounts_that_staff_have_set(database):
    state = await tab_at("/terms").get_state(TermsState)
    await run(TermsState.arrive.fn(state))  # type: ignore[attr-defined]
    assert (state.late_fee, state.free_fill_cap) == ("$15.00", "$50.00")
    async with transaction() as session:
        action = Action("figure", "change", "somebody")
        await policies.change(session, action, {LATE_FEE.name: 1500}, {LATE_FEE.name: 1250})
    await run(TermsState.arrive.fn(state))  # type: ignore[attr-defined]
    assert state.late_fee == "$12.50"


async def test_the_terms_stand_without_amounts_while_they_cannot_be_read(monkeypatch):
    async def fails() -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr(service, "terms", fails)
    state = await tab_at("/terms").get_state(TermsState)
    await run(TermsState.arrive.fn(state))  # type: ignore[attr-defined]
    assert (state.late_fee, state.free_fill_cap) == ("", "")
