"""Account Settings: personal information, preferences, and the account's end."""

import pytest

from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.state.vehicles import VehiclesState
from fuel_app.dashboard.state import DashboardState
from fuel_app.membership.state import UNSAVED, AccountState
from fuel_app.preview.state.account import BillingState, SecurityState
from fuel_app.preview.state.wizards import OneTimeFillState, ScheduleState
from fuel_app.scheduling.state.wizards import LocationNotesState
from tests.factories import address_form, personal_form, signup_form, vehicle_form
from tests.helpers.customers import card, said
from tests.helpers.tabs import problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def state() -> AccountState:
    """Open Account Settings in a tab."""
    tab = tab_at("/account")
    state = await tab.get_state(AccountState)
    await run((await tab.get_state(CustomerState)).arrive())
    await run(state.arrive())
    return state


@pytest.fixture
async def editing(state) -> AccountState:
    await run(state.begin())
    return state


async def test_saved_changes_show_everywhere(state):
    assert (state.form["first_name"], state.form["phone"]) == ("Sarah", "(941) 555-0142")
    await run(state.begin())
    await run(state.save(personal_form(email="ADA@example.com")))
    shown = await card(state)
    assert (shown.name, shown.initials, shown.email) == ("Ada Lovelace", "AL", "ada@example.com")
    assert (state.form["email"], state.editing) == ("ada@example.com", False)
    assert await said(state) == ["Saved in this preview"]


async def test_invalid_form_shows_messages_that_follow_the_typing(editing):
    await run(editing.edit(personal_form(email="ada@")))
    assert not any(editing.field_errors.values())  # none before the first try
    await run(editing.save(personal_form(first_name=" ", zip_code="3423")))
    wrong_zip = {"zip_code": "ZIP code must be 5 digits"}
    assert problems(editing.field_errors) == {"first_name": "First name is required"} | wrong_zip
    assert editing.editing
    assert (await card(editing)).name == "Sarah Johnson"
    await run(editing.edit(personal_form(zip_code="3423")))
    assert problems(editing.field_errors) == wrong_zip
    await run(editing.edit(personal_form()))
    assert problems(editing.field_errors) == {}


async def test_cancel_discards_the_typed_text(editing):
    await run(editing.save(personal_form(email="ada@")))
    before = editing.edition
    await run(editing.cancel())
    assert (editing.form["first_name"], editing.editing) == ("Sarah", False)
    assert problems(editing.field_errors) == {}
    assert editing.edition > before


@pytest.mark.parametrize("event", ["arrive", "begin"])
async def test_an_edit_continues_after_a_reload_and_a_second_click(editing, event):
    await run(editing.arrive())
    assert await said(editing) == []
    await run(editing.edit(personal_form(first_name="Grace")))
    await run(getattr(editing, event)())
    assert (editing.editing, editing.form["first_name"]) == (True, "Grace")
    assert await said(editing) == [UNSAVED] * (event == "arrive")


async def test_a_form_sent_without_editing_changes_nothing(state):
    for event in (state.save(personal_form()), state.edit(personal_form())):
        await run(event)
    assert (await card(state)).name == "Sarah Johnson"
    assert state.form["first_name"] == "Sarah"
    assert await said(state) == []


async def test_deleting_the_account_goes_home_and_leaves_nothing_behind(editing):
    state = editing
    await run(state.save(personal_form()))
    session, plans = await state.get_state(CustomerState), await state.get_state(BillingState)
    admin = await state.get_state(DashboardState)
    factor, cars = await state.get_state(SecurityState), await state.get_state(VehiclesState)
    await run(plans.switch_to("solo"))
    await run(admin.switch_view())
    await run(factor.set_up())
    await run(cars.remove("sample-camry"))
    (asked,) = await run(state.ask_to_delete())
    assert asked is AccountState.delete_account
    (sent,) = await run(state.delete_account())
    assert redirected(sent) == "/"
    assert (session.card.name, session._sample) == ("", None)
    assert (plans.switching, admin.admin_view, factor.setting_up) == ([], False, False)
    assert (cars.removed, state.form["first_name"]) == ("", "")


async def test_deleting_the_account_forgets_what_was_typed_into_the_wizards(state):
    signup, fill = await state.get_state(SignupState), await state.get_state(ScheduleState)
    one_time = await state.get_state(OneTimeFillState)
    await run(signup.submit_signup(signup_form()))
    await run(fill.submit_vehicle(vehicle_form()))
    await run(fill.submit_address(address_form(notes="Gate 12")))
    await run(one_time.lead("/one-time-fill/vehicle"))
    await run(one_time.edit_vehicle(vehicle_form()))
    await run(state.delete_account())
    assert set(signup.contact.values()) == {""}
    assert (signup.contact_given, signup.password_given, signup._beginning) == (False, False, None)
    assert {*fill.vehicle.values(), *fill.address.values(), fill.photo} == {""}
    assert (await state.get_state(LocationNotesState)).notes == ""
    assert (fill.vehicle_given, fill.address_given) == (False, False)
    assert ({*one_time.vehicle.values()}, one_time._led_to) == ({""}, [])


async def test_the_second_factor_can_be_chosen_and_put_away():
    factor = await tab_at("/security").get_state(SecurityState)
    await run(factor.set_up())
    for method in ("app", "carrier pigeon"):
        await run(factor.choose(method))
    assert (factor.setting_up, factor.method) == (True, "app")
    await run(factor.set_up())
    assert not factor.setting_up


async def test_billing_and_security_show_the_sample(state):
    session = await state.get_state(CustomerState)
    billing, security = session.billing, session.card
    assert (billing.plan, billing.price, billing.fills) == ("Family Plan", "$44/mo", "4 fills")
    assert (billing.card, billing.expiry[:3]) == ("Visa ending in 4242", "08/")
    assert [row.amount for row in billing.invoices] == ["$44.00", "$44.00"]
    assert security.password_age == "Last changed 30 days ago"
    assert [row.current for row in security.sign_ins] == [True, False, False]
