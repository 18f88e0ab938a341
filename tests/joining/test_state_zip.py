"""Once the company is open, the waitlist modal asks for the ZIP first."""

import pytest

from fuel_app.areas.service import company
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP, open_area
from tests.helpers.tabs import answer, focused, redirected, run
from tests.helpers.visitors import a_neighborhood, opened_at, toasts_of

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.mark.parametrize("address", ["/?waitlist=true", "/?ref=somebody"])
async def test_the_modal_asks_for_the_zip_from_the_opening_on(address):
    assert not (await opened_at(address)).asks_zip
    await open_area()
    state = await opened_at(address)
    assert (state.opened, state.asks_zip) == (True, True)


async def test_an_open_zip_leads_to_the_sign_up_with_the_friend():
    await open_area()
    state = await opened_at("/?ref=somebody")
    sent = await answer(state.check_zip({"zip_code": ZIP}))
    assert redirected(sent) == "/onboarding?ref=somebody"
    assert (state.opened, state.form["zip_code"]) == (False, ZIP)
    assert await toasts_of(state) == [f"Good news: we deliver in {ZIP}."]


async def test_the_modal_asks_again_after_an_open_zip_led_to_the_sign_up():
    await open_area()
    state = await opened_at("/")
    for _ in range(3):
        await run(state.show(True))
        assert state.asks_zip
        assert redirected(await answer(state.check_zip({"zip_code": ZIP}))) == "/onboarding"


async def test_another_zip_leads_to_the_form_and_says_why():
    await open_area()
    state = await opened_at("/?ref=somebody")
    await run(state.edit({"first_name": "Ada", "phone_number": "9415550123"}))
    sent = await answer(state.check_zip({"zip_code": ELSEWHERE_ZIP}))
    assert focused(sent) == "waitlist_first_name"
    assert (state.opened, state.asks_zip) == (True, False)
    assert state.reason.startswith(f"We do not serve {ELSEWHERE_ZIP} yet.")
    kept = {"first_name": "Ada", "phone_number": "9415550123", "zip_code": ELSEWHERE_ZIP}
    assert state.form == state.form | kept
    await run(state.show(False))
    await run(state.show(True))
    assert not state.asks_zip  # it is known


async def test_an_invalid_zip_is_reported_at_its_field_until_the_modal_opens_again():
    state = await opened_at("/?waitlist=true")
    sent = await answer(state.check_zip({"zip_code": "342"}))
    assert focused(sent) == "waitlist_zip_zip_code"
    assert state.zip_error == "ZIP code must be 5 digits"
    await run(state.show(True))
    assert state.zip_error == ""


async def test_a_join_link_to_a_zip_that_is_not_open_goes_straight_to_the_form():
    await open_area()
    group = await a_neighborhood(zip_code=ELSEWHERE_ZIP)
    state = await opened_at(f"/join-neighborhood/{group.id}")
    assert (state.opened, state.asks_zip) == (True, False)


async def test_a_failing_database_leaves_the_form(monkeypatch):
    async def fails() -> bool:
        raise RuntimeError("gone")

    monkeypatch.setattr(company, "is_open", fails)
    state = await opened_at("/?waitlist=true")
    assert (state.opened, state.asks_zip) == (True, False)
