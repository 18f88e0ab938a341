"""Billing, notifications, security and support: what they show, and what does not happen yet."""

import pytest
from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible
from tests.flows.conftest import PHONE
from tests.flows.visitor import modal

SWITCHES = {
    "Fill-up Reminders": True,
    "Day Before Service": True,
    "Hour Before Service": True,
    "Service Completion": True,
    "Special Offers": False,
    "Newsletter": False,
    "SMS": True,
    "Email": True,
    "Push": False,
}


@pytest.fixture
def billing(visit) -> Page:
    page = visit("/billing", PHONE)
    expect(page.get_by_text("$44/mo · 4 fills")).to_be_visible()
    return page


def test_billing_shows_the_plan_the_card_and_payments(billing):
    for text in ("Active", "Next billing date", "Visa ending in 4242", "Expires "):
        expect(billing.get_by_text(text)).to_be_visible()
    rows = billing.get_by_role("table", name="Billing History").get_by_role("row")
    expect(rows).to_contain_text(["$44.00", "$44.00"])
    current = billing.get_by_role("article").nth(1)
    expect(current.get_by_role("button", name="Current Plan")).to_be_disabled()


def test_switching_plans_never_completes(billing):
    billing.get_by_role("button", name="Switch Plan Solo Plan").click()
    expect(billing.get_by_role("button", name="Switching... Solo Plan")).to_be_disabled()
    expect(
        billing.get_by_role("status").filter(has_text="Switching to Solo Plan...")
    ).to_be_attached()
    assert_accessible(billing)
    expect(billing.get_by_text("$44/mo · 4 fills")).to_be_visible()


@pytest.mark.parametrize("button", ["Cancel", "Update Card"])
def test_the_cards_dialog_just_closes(billing, button):
    update = billing.get_by_role("button", name="Update", exact=True)
    update.focus()
    billing.keyboard.press("Enter")
    dialog = modal(billing)
    text = "Your card information will be securely updated through a card payment provider."
    expect(dialog.get_by_text(text)).to_be_visible()
    assert_accessible(billing)
    dialog.get_by_role("button", name=button).click()
    expect(dialog).to_be_hidden()
    expect(update).to_be_focused()
    expect(billing.get_by_text("Visa ending in 4242")).to_be_visible()


def test_every_notification_is_a_switch_of_its_own_that_survives_a_reload(visit):
    page = visit("/notifications", PHONE)
    expect(page.get_by_role("switch")).to_have_count(len(SWITCHES))
    for name, on in SWITCHES.items():
        switch = page.get_by_role("switch", name=name)
        expect(switch).to_be_checked(checked=on)
        switch.click()
        expect(switch).to_be_checked(checked=not on)
    page.reload()
    for name, on in SWITCHES.items():
        expect(page.get_by_role("switch", name=name)).to_be_checked(checked=not on)
    assert_accessible(page)


def test_a_switch_shows_whether_it_is_on_in_a_systems_own_colors(visit):
    page = visit("/notifications", forced_colors="active")
    on, off = (
        page.get_by_role("switch", name=name).locator("> span[aria-hidden]")
        for name in ("SMS", "Newsletter")
    )
    expect(page.get_by_role("switch", name="SMS")).to_be_checked()
    off_color = off.evaluate("track => getComputedStyle(track).backgroundColor")
    expect(on).not_to_have_css("background-color", off_color)  # once it has faded


def test_the_second_factor_is_set_up_by_keyboard_alone(visit):
    page = visit("/security")
    setup = page.get_by_role("button", name="Setup")
    expect(setup).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_role("radio")).to_have_count(0)
    setup.focus()
    page.keyboard.press("Enter")
    expect(setup).to_have_attribute("aria-expanded", "true")
    expect(
        page.get_by_text("Codes open with our service. Until then your choice is not used.")
    ).to_be_visible()
    text_message = page.get_by_role("radio", name="Text Message (SMS)")
    expect(text_message).not_to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(text_message).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Authenticator App")).to_be_checked()
    assert_accessible(page)
    page.reload()
    expect(page.get_by_role("radio", name="Authenticator App")).to_be_checked()


def test_support_offers_contacts_topics_and_answers(visit):
    page = visit("/support", PHONE)
    main = page.get_by_role("main")
    for name, address in (
        ("(941) 555-0100", "tel:9415550100"),
        ("hello@gulfsidefuel.example", "mailto:hello@gulfsidefuel.example"),
    ):
        expect(main.get_by_role("link", name=name)).to_have_attribute("href", address)
    topics = ("How to Schedule a Fill-Up", "Billing & Payments", "Vehicle Requirements")
    for topic in (*topics, "Safety & Security"):
        expect(main.get_by_role("link", name=topic)).to_be_visible()
    answers = main.get_by_role("group")
    expect(answers).to_have_count(3)
    answers.nth(1).get_by_role("heading").click()
    expect(main.get_by_text("up to 2 hours before the scheduled time")).to_be_visible()
    assert_accessible(page)
