"""The quote modals of one tab."""

from typing import Any

import pytest
import sqlalchemy as sa

from fuel_app.kit.db import session
from fuel_app.leads.tables import Lead
from fuel_app.quotes import service as quotes
from fuel_app.quotes.state import SUBMIT_FAILED, BusinessQuoteState, FleetQuoteState
from tests.factories import business_quote_form, fleet_quote, fleet_quote_form
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

HERE = "203.0.113.7"


async def opened(tab: str = "company") -> FleetQuoteState:
    state = await tab_at("/fleet", HERE).get_state(FleetQuoteState)
    state.show(True)
    state.choose_tab(tab)
    return state


async def opened_business() -> BusinessQuoteState:
    state = await tab_at("/business").get_state(BusinessQuoteState)
    state.show(True)
    return state


async def count() -> int:
    async with session.reading() as looking:
        return await looking.scalar(sa.select(sa.func.count()).select_from(Lead)) or 0


def focus_in(sent: list[Any]) -> list[str]:
    return [str(event.args[0][1]) for event in sent if event is not None]


def problems(state: FleetQuoteState | BusinessQuoteState) -> dict[str, str]:
    return {field: message for field, message in state.field_errors.items() if message}


async def test_next_goes_through_the_tabs_and_the_last_one_sends():
    state = await opened()
    form = fleet_quote_form()
    assert focus_in(await run(state.submit(form))) == ['"ref_fleet_quote_vehicle_count"']
    assert state.tab == "fleet"
    await run(state.submit(form))
    assert (state.tab, await count()) == ("service", 0)
    for tab in ("fleet", "company", "company"):
        state.back()
        assert state.tab == tab
    state.choose_tab("service")
    await run(state.submit(form))
    assert (state.stage, state.busy, state.refusal, await count()) == ("sent", False, "", 1)


async def test_next_stays_until_the_tab_is_right():
    state = await opened()
    sent = await run(state.submit(fleet_quote_form(email="ada", phone="9415550123")))
    assert state.tab == "company"
    assert problems(state) == {
        "email": "Invalid email address",
        "phone": "Phone format: (XXX) XXX-XXXX",
    }
    assert focus_in(sent) == ['"ref_fleet_quote_email"']


async def test_an_error_on_an_earlier_tab_opens_that_tab():
    state = await opened("service")
    sent = await run(state.submit(fleet_quote_form(fuel_types=[], service_location="")))
    assert (state.tab, state.stage, await count()) == ("fleet", "form", 0)
    assert focus_in(sent) == ['"ref_fleet_quote_fuel_types"']
    assert set(problems(state)) == {"fuel_types", "service_location"}


async def test_a_field_is_not_validated_before_its_blur_or_while_it_is_blank():
    state, form = await opened(), fleet_quote_form(company_name="", email="ada")
    state.edit(form)
    assert problems(state) == {}
    state.leave("company_name", form)
    state.leave("email", form)
    state.show(True)
    assert problems(state) == {"email": "Invalid email address"}
    state.edit(fleet_quote_form(email="ada@example.com", notes="x" * 100_000))
    assert (problems(state), len(state.form["notes"])) == ({}, 10_000)


async def test_what_was_typed_survives_closing_and_opening():
    state = await opened("fleet")
    state.edit(fleet_quote_form(company_name="Palm Vans", fuel_types=["gasoline"]))
    state.show(False)
    assert not state.opened
    state.show(True)
    assert (state.form["company_name"], state.fuel_types) == ("Palm Vans", ["gasoline"])
    assert state.tab == "fleet"


async def test_the_same_content_is_stored_once_even_after_the_thanks():
    state = await opened("service")
    for _ in range(2):
        for _double_click in range(2):
            await run(state.submit(fleet_quote_form()))
        assert (state.stage, state.tab) == ("sent", "company")
        state.show(True)
        state.choose_tab("service")
    await run(state.submit(fleet_quote_form(vehicle_count="4")))
    assert await count() == 2


async def test_late_edits_do_not_refill_the_next_form():
    state = await opened("service")
    await run(state.submit(fleet_quote_form()))
    state.edit(fleet_quote_form(notes="Gate 123"))  # a keystroke that was still on its way
    state.show(False)
    state.show(True)
    assert (state.stage, set(state.form.values()), state.fuel_types) == ("form", {""}, [])
    state.edit(fleet_quote_form())  # what was typed last, on its way all that time
    assert (set(state.form.values()), state.fuel_types) == ({""}, [])
    state.edit(fleet_quote_form(vehicle_count="4"))
    assert state.form["vehicle_count"] == "4"


async def test_a_database_that_does_not_answer_keeps_the_form(monkeypatch):
    async def broken(*_: Any, **__: Any) -> str:
        raise OSError("no database")

    state = await opened("service")
    form = fleet_quote_form()
    state.edit(form)
    with monkeypatch.context() as patched:
        patched.setattr(quotes, "request", broken)
        await run(state.submit(form))
    assert (state.refusal, state.stage, state.busy) == (SUBMIT_FAILED, "form", False)
    assert state.form["company_name"] == form["company_name"]
    await run(state.submit(form))
    assert (state.refusal, state.stage, await count()) == ("", "sent", 1)


async def test_the_rate_limit_is_shown():
    for _ in range(10):
        await quotes.request(fleet_quote(), address=HERE)
    state = await opened("service")
    await run(state.submit(fleet_quote_form()))
    assert (state.refusal, state.stage) == ("Too many attempts. Try again in 60 minutes.", "form")


async def test_business_form_shows_that_it_is_busy_and_is_sent():
    state = await opened_business()
    sending = state.submit(business_quote_form())
    await anext(sending)
    assert (state.busy, state.stage) == (True, "form")
    await run(sending)
    assert (state.stage, state.busy, await count()) == ("sent", False, 1)


async def test_emptied_field_is_required_but_not_one_that_only_had_the_focus():
    state = await opened_business()
    state.leave("company_name", business_quote_form(company_name=""))
    assert state.field_errors["company_name"] == ""
    state.edit(business_quote_form(company_name="P"))
    state.edit(business_quote_form(company_name=""))
    assert state.field_errors["company_name"] == "Company name is required"
