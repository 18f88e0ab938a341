"""Signing up: contact, then plan. The password goes out and never comes back."""

from playwright.sync_api import WebSocket, expect

from tests.flows.conftest import PHONE
from tests.flows.wizards import at_plan, checked, expect_dashboard, expect_step, fill, press

PASSWORD = "engine-1843"
TYPED = {
    "First Name": "Ada",
    "Last Name": "Lovelace",
    "Email": "ada@example.com",
    "Phone Number": "9415550123",
}


def test_the_sample_signs_up_at_once(visit):
    page = visit("/onboarding", PHONE)
    expect_step(page, "Contact Information", "1 of 2")
    for label in (*TYPED, "Password"):
        expect(page.get_by_label(label)).not_to_have_value("")
    bar = page.get_by_role("progressbar")
    assert bar.evaluate("bar => bar.value / bar.max") == 0.5
    at_plan(page)
    assert (checked(page), bar.evaluate("bar => bar.value / bar.max")) == (["Contact"], 1)
    page.get_by_role("link", name="Back", exact=True).click()
    expect_step(page, "Contact Information", "1 of 2")
    assert checked(page) == []  # it is being filled in again
    at_plan(page)
    press(page, "Complete Signup")
    expect_dashboard(page)


def test_the_whole_way_by_keyboard_alone(visit):
    page = visit("/onboarding")
    expect_step(page, "Contact Information", "1 of 2")
    page.get_by_label("First Name").focus()
    for text in (*TYPED.values(), PASSWORD):
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Show password")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Next Step")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Choose Your Plan")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Choose Family Plan")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Choose Big Family Plan")).to_be_checked()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Back")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect_dashboard(page)


def test_back_and_reload_keep_everything_but_the_password(visit):
    page = visit("/onboarding")
    received: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(str(frame)))

    page.on("websocket", listen)
    page.reload()
    expect_step(page, "Contact Information", "1 of 2")
    fill(page, TYPED | {"Password": PASSWORD})
    at_plan(page)
    page.get_by_role("article").first.click()  # anywhere on the card
    page.reload()
    expect_step(page, "Choose Your Plan", "2 of 2")
    expect(page.get_by_label("Choose Solo Plan")).to_be_checked()
    page.get_by_role("link", name="Back").click()
    expect_step(page, "Contact Information", "1 of 2")
    for _ in range(2):
        for label, text in TYPED.items():
            expect(page.get_by_label(label)).to_have_value(text)
        expect(page.get_by_label("Password")).to_have_value("")
        page.reload()
        expect_step(page, "Contact Information", "1 of 2")
    at_plan(page)
    expect(page.get_by_label("Choose Solo Plan")).to_be_checked()
    assert received
    assert not any(PASSWORD in frame for frame in received)
    assert PASSWORD not in page.evaluate("JSON.stringify([localStorage, sessionStorage])")
