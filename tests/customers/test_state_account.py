"""Account Settings: personal information, preferences, and the account's end."""

from typing import Any

import reflex as rx

from fuel_app.billing.state import BillingState
from fuel_app.bookings.state import OneTimeFillState, ScheduleState
from fuel_app.customers.state.account import AccountState, SecurityState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.state.vehicles import VehiclesState
from fuel_app.dashboard.state import DashboardState
from fuel_app.kit.ui.toast import ToastState
from tests.factories import address_form, personal_form, signup_form, vehicle_form
from tests.helpers.tabs import run, tab_at


async def opened() -> AccountState:
    """A tab that shows Account Settings."""
    tab = tab_at("/account")
    state = await tab.get_state(AccountState)
    await run((await tab.get_state(CustomerState)).arrive())
    await run(state.arrive())
    return state


async def editing() -> AccountState:
    state = await opened()
    await run(state.begin())
    return state


async def card(state: rx.State) -> Any:
    return (await state.get_state(CustomerState)).card


async def toasts(state: rx.State) -> list[str]:
    return [toast.text for toast in (await state.get_state(ToastState)).toasts]


async def test_the_form_shows_who_the_customer_is():
    state = await opened()
    assert (state.form["first_name"], state.form["phone"]) == ("Sarah", "(941) 555-0142")
    assert not state.editing


async def test_saved_changes_show_everywhere():
    state = await editing()
    await run(state.save(personal_form(email="ADA@example.com")))
    shown = await card(state)
    assert (shown.name, shown.initials, shown.email) == ("Ada Lovelace", "AL", "ada@example.com")
    assert state.form["email"] == "ada@example.com"
    assert not state.editing
    assert await toasts(state) == ["Saved in this preview"]


async def test_what_is_wrong_is_said_and_nothing_is_saved():
    state = await editing()
    await run(state.save(personal_form(first_name=" ", zip_code="3423")))
    assert {field: text for field, text in state.field_errors.items() if text} == {
        "first_name": "First name is required",
        "zip_code": "ZIP code must be 5 digits",
    }
    assert state.editing
    assert (await card(state)).name == "Sarah Johnson"
    await run(state.edit(personal_form(zip_code="3423")))
    assert state.field_errors["first_name"] == ""
    assert state.field_errors["zip_code"] == "ZIP code must be 5 digits"
    await run(state.leave("zip_code", personal_form()))
    assert not any(state.field_errors.values())


async def test_nothing_is_said_while_somebody_still_types():
    state = await editing()
    await run(state.edit(personal_form(email="ada@")))
    assert not any(state.field_errors.values())


async def test_cancel_forgets_what_was_typed():
    state = await editing()
    await run(state.save(personal_form(email="ada@")))
    before = state.edition
    await run(state.cancel())
    assert (state.form["first_name"], state.editing) == ("Sarah", False)
    assert not any(state.field_errors.values())
    assert state.edition > before


async def test_an_edit_under_way_goes_on_after_a_reload():
    state = await editing()
    await run(state.edit(personal_form(first_name="Grace")))
    await run(state.arrive())
    assert state.editing
    assert state.form["first_name"] == "Grace"


async def test_what_is_sent_late_or_without_editing_changes_nothing():
    state = await opened()
    for event in (state.save(personal_form()), state.edit(personal_form())):
        await run(event)
    assert (await card(state)).name == "Sarah Johnson"
    assert state.form["first_name"] == "Sarah"
    assert await toasts(state) == []


async def test_pressing_edit_twice_keeps_what_was_typed_between():
    state = await editing()
    await run(state.edit(personal_form(first_name="Grace")))
    await run(state.begin())
    assert state.form["first_name"] == "Grace"


async def test_deleting_the_account_goes_home_and_leaves_nothing_behind():
    state = await editing()
    await run(state.save(personal_form()))
    session, plans = await state.get_state(CustomerState), await state.get_state(BillingState)
    admin = await state.get_state(DashboardState)
    factor, cars = await state.get_state(SecurityState), await state.get_state(VehiclesState)
    await run(plans.switch_to("solo"))
    await run(admin.switch_view())
    await run(factor.set_up())
    await run(cars.remove("sample-camry"))
    (sent,) = await run(state.delete_account())
    assert "'/'" in repr(sent) or '"/"' in repr(sent)
    assert (session.card.name, session._customer) == ("", None)
    assert (plans.switching, admin.admin_view, factor.setting_up) == ([], False, False)
    assert (cars.removed, state.form["first_name"]) == ("", "")


async def test_deleting_the_account_forgets_what_was_typed_into_the_wizards():
    state = await opened()
    signup, fill = await state.get_state(SignupState), await state.get_state(ScheduleState)
    one_time = await state.get_state(OneTimeFillState)
    signup.submit_signup(signup_form())
    fill.submit_vehicle(vehicle_form())
    fill.submit_address(address_form(notes="Gate 12"))
    one_time.lead("/one-time-fill/vehicle")
    one_time.edit_vehicle(vehicle_form())
    await run(state.delete_account())
    assert set(signup.contact.values()) == {""}
    assert (signup.contact_given, signup.password_given, signup._begun) == (False, False, False)
    assert {*fill.vehicle.values(), *fill.address.values(), fill.notes, fill.photo} == {""}
    assert (fill.vehicle_given, fill.address_given) == (False, False)
    assert ({*one_time.vehicle.values()}, one_time._led_to) == ({""}, [])


async def test_a_switch_of_plans_never_completes_and_a_new_visit_forgets_it():
    plans = await tab_at("/billing").get_state(BillingState)
    for plan in ("solo", "solo", "no such plan"):
        await run(plans.switch_to(plan))
    assert plans.switching == ["solo"]
    await run(plans.switch_to("big-family"))
    assert plans.switching == ["solo", "big-family"]
    await run(plans.arrive())
    assert plans.switching == []


async def test_the_second_factor_can_be_chosen_and_put_away():
    factor = await tab_at("/security").get_state(SecurityState)
    await run(factor.set_up())
    for method in ("app", "carrier pigeon"):
        await run(factor.choose(method))
    assert (factor.setting_up, factor.method) == (True, "app")
    await run(factor.set_up())
    assert not factor.setting_up


async def test_billing_and_security_show_the_sample():
    session = await (await opened()).get_state(CustomerState)
    billing, security = session.billing, session.security
    assert (billing.plan, billing.price, billing.fills) == ("Family Plan", "$44/mo", "4 fills")
    assert billing.card == "Visa ending in 4242"
    assert [row.amount for row in billing.invoices] == ["$44.00", "$44.00"]
    assert security.password_age == "Last changed 30 days ago"
    assert [row.current for row in security.sign_ins] == [True, False, False]
