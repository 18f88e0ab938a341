"""The business quote modal of one tab."""

import pytest
import sqlalchemy as sa

from fuel_app.kit.db import session
from fuel_app.quotes import tables as quotes_tables
from fuel_app.quotes.state import BusinessQuoteState
from tests.factories import business_quote_form
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def opened() -> BusinessQuoteState:
    state = await tab_at("/business").get_state(BusinessQuoteState)
    state.show(True)
    return state


async def count() -> int:
    async with session.reading() as looking:
        found = await looking.scalar(
            sa.select(sa.func.count()).select_from(quotes_tables.BusinessQuote)
        )
    return found or 0


async def test_the_form_is_sent_and_thanks_follow():
    state = await opened()
    await run(state.submit(business_quote_form()))
    assert (state.stage, state.busy, await count()) == ("sent", False, 1)


async def test_busy_shows_before_the_work_starts():
    state = await opened()
    sending = state.submit(business_quote_form())
    await anext(sending)
    assert (state.busy, state.stage) == (True, "form")
    await run(sending)


async def test_a_wrong_field_is_shown_and_gets_the_focus():
    state = await opened()
    sent = await run(state.submit(business_quote_form(employee_count="0", industry="")))
    assert state.field_errors["employee_count"] == "Must be greater than 0"
    assert state.field_errors["industry"] == "Industry is required"
    assert [str(event.args[0][1]) for event in sent if event] == [
        '"ref_business_quote_employee_count"'
    ]
    assert (state.stage, await count()) == ("form", 0)


async def test_required_is_said_of_a_field_that_was_emptied_and_of_none_that_had_the_focus_only():
    state = await opened()
    state.leave("company_name", business_quote_form(company_name=""))
    assert state.field_errors["company_name"] == ""
    state.edit(business_quote_form(company_name="P"))
    state.edit(business_quote_form(company_name=""))
    assert state.field_errors["company_name"] == "Company name is required"
