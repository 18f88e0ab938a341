"""The steps of a new customer: each says its next action, or what it waits for."""

from dataclasses import replace
from typing import Any

from fuel_app.customers.rules.customers import Customer, FreeFillOffer, Personal
from fuel_app.dashboard.rules import ON_THEIR_PAGE, NextStep, Overview, list_steps
from fuel_app.dashboard.state import NextSteps
from fuel_app.kit.money import dollars
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.plans.rules.plans import BY_ID
from fuel_app.preview.samples import VEHICLES
from tests.factories import personal_form
from tests.helpers.day_plans import a_booking

NEW = Customer(Personal.parse(personal_form()), BY_ID["family"], may_start_plan=True)
WITH_CARD = replace(NEW, has_card=True)


def shown(customer: Customer, **of_overview: Any) -> dict[str, NextStep]:
    return {step.title: step for step in list_steps(customer, Overview(**of_overview))}


def done(customer: Customer, **of_overview: Any) -> list[bool]:
    steps = list_steps(customer, Overview(**of_overview))
    return [step.done for step in steps if not step.is_optional]


def test_new_customer_adds_a_card_or_a_vehicle_first():
    found = shown(NEW)
    assert found["Add a card"] == NextStep(
        "Add a card", ON_THEIR_PAGE, False, "Add a card", kind="card"
    )
    assert found["Add your vehicle"].href == "/schedule"
    assert found["Start your plan"].kind == found["Book your first fill-up"].action == ""
    assert done(NEW) == [True, False, False, False, False]


def test_card_opens_booking_and_the_start_of_the_plan():
    found = shown(WITH_CARD)
    assert found["Start your plan"].kind == "plan"
    assert "$15.00" in found["Start your plan"].note
    assert found["Book your first fill-up"].href == "/schedule"


def test_declined_card_is_not_done_and_a_removed_one_is_added_again():
    declined = shown(WITH_CARD, card_problem="Your card was declined.")["Update your card"]
    assert declined.note == "Your card was declined."
    assert (declined.done, declined.action, declined.kind) == (False, "Update card", "card")
    why = "Your card was removed. Please add it again."
    removed = shown(NEW, card_problem=why)["Add a card"]
    assert (removed.action, removed.note) == ("Add a card", why)


def test_email_that_is_not_verified_holds_booking_and_plan():
    found = shown(replace(WITH_CARD, email_verified=False))
    assert (found["Verify your email"].done, found["Start your plan"].kind) == (False, "")
    assert found["Book your first fill-up"].href == ""


def test_steps_are_done_with_vehicle_plan_and_booking():
    service: Any = object()
    assert done(replace(WITH_CARD, may_start_plan=False)) == [True, True, False, True, False]
    assert done(replace(WITH_CARD, vehicles=VEHICLES), coming=(a_booking(),))[2:] == [
        True,
        False,
        True,
    ]
    assert done(WITH_CARD, past_services=(service,))[-1]


def test_account_without_a_plan_has_none_to_start():
    assert "Start your plan" not in shown(replace(WITH_CARD, plan=None))


def test_free_first_fill_is_named_with_its_cap_before_and_after_the_card():
    capped, whole = FreeFillOffer(dollars(50)), FreeFillOffer(None)
    for customer in (NEW, WITH_CARD):
        found = shown(customer, free_fill=str(capped))["Book your first fill-up"]
        assert found.note == "Free for you, with or without a plan: no fee, and fuel up to $50."
    assert "all of its fuel" in str(whole)
    plan = shown(WITH_CARD, free_fill=str(capped))["Start your plan"]
    assert (plan.note, plan.kind) == ("", "plan")


def test_text_messages_are_offered_until_they_are_on_and_never_the_last_step():
    offered = shown(WITH_CARD)["Get text messages"]
    assert (offered.href, offered.is_optional, offered.done) == ("/notifications", True, False)
    on = replace(WITH_CARD, notifications=NotificationSettings(sms=True))
    assert shown(on)["Get text messages"].done
    ready = replace(WITH_CARD, vehicles=VEHICLES, may_start_plan=False)
    assert NextSteps.of(ready, Overview()).title == "Book your first fill-up"
    assert NextSteps.of(ready, Overview(coming=(a_booking(),))) == NextSteps()


def test_free_first_fill_that_was_used_before_is_said_with_how_to_reach_us():
    note = "The free first fill was already used for this plate."
    for customer in (NEW, WITH_CARD):
        found = shown(customer, free_fill=note, is_free_fill_used=True)["Book your first fill-up"]
        assert (found.note, found.asks_to_call) == (note, True)
