"""Booking in the open company: a customer on a phone by keyboard alone, and a guest by link."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.flows.checks import assert_accessible
from tests.flows.company import arrive, customer_and_office
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.visitor import modal

VEHICLE = {"Make": "Honda", "Model": "Pilot", "Year": "2021", "Color": "Blue"}
VEHICLE |= {"License Plate": "GUL 123", "Fuel grade": "Regular", "Fuel door": "Unlocked"}
PLACE = {"Street": "100 Main Street", "City": "Sarasota", "ZIP": "34236"}
PLACE |= {"Where the car is parked": "Driveway"}
GUEST = {"First Name": "Gus", "Last Name": "Guest", "Email": "gus@example.com"}
GUEST |= {"Phone Number": "(941) 555-0199"}


def test_a_customer_and_a_guest_book_in_the_open_company(open_browser, closed_site):
    customer, _office = customer_and_office(open_browser, closed_site, PHONE)
    book_by_keyboard(customer)
    move_by_keyboard(customer)
    cancel_by_keyboard(customer)
    book_again(customer)
    guest = open_browser(DESKTOP)
    book_as_guest(guest)
    cancel_by_link(open_browser(PHONE), guest.url)
    find_nothing_by_another_link(open_browser(PHONE), guest.url[:-1])


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until something has the focus; it is in sight then."""
    expect(target).to_be_visible()
    for _ in range(60):
        if target.evaluate("(element) => element === document.activeElement"):
            expect(target).to_be_in_viewport()
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached by Tab")


def press(page: Page, name: str, role: str = "button") -> None:
    tab_to(page, page.get_by_role(role, name=name, exact=True))  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def type_in(page: Page, texts: dict[str, str]) -> None:
    for label, text in texts.items():
        control = page.get_by_label(label, exact=True)
        tab_to(page, control)
        if control.evaluate("(element) => element.tagName") == "SELECT":
            expect(control.get_by_role("option", name=text)).to_be_attached()
        page.keyboard.type(text)


def book_by_keyboard(page: Page) -> None:
    press(page, "Add a card")
    expect(page.get_by_text("Test payments: no money moves")).to_be_visible()
    assert_accessible(page)
    press(page, "Add card")
    expect(page.get_by_role("heading", name="Next: Add your vehicle")).to_be_visible()
    arrive(page, "/schedule")
    expect(page.get_by_text("Step 1 of 3")).to_be_visible()
    type_in(page, VEHICLE)
    press(page, "Next")
    expect(page.get_by_text("Step 2 of 3")).to_be_visible()
    type_in(page, PLACE)
    press(page, "Next")
    expect(page.get_by_text("Move the pin to your car")).to_be_visible()
    tab_to(page, page.get_by_label("The pin: move it with the arrow keys"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("The pin is set.")).to_be_visible()
    press(page, "Next")
    expect(page.get_by_text("Step 3 of 3")).to_be_visible()
    expect(page.get_by_text("2021 Honda Pilot, GUL 123").last).to_be_visible()
    expect(page.get_by_text(re.compile(r"about \$\d+\.\d\d")).last).to_be_in_viewport()
    for window in page.locator("label:has(> input[name=slot])").all():
        assert above(window, page.get_by_role("button", name="Schedule Service"))
    assert_accessible(page)
    press(page, "Schedule Service")
    expect(page).to_have_url(re.compile("/bookings/"))
    expect(page.get_by_role("button", name="Reschedule")).to_be_visible()
    assert_accessible(page)


def above(upper: Locator, lower: Locator) -> bool:
    """Return whether one thing ends before another one begins."""
    first, second = upper.bounding_box(), lower.bounding_box()
    return bool(first and second and first["y"] + first["height"] <= second["y"])


def move_by_keyboard(page: Page) -> None:
    press(page, "Reschedule")
    expect(modal(page)).to_be_visible()
    tab_to(page, modal(page).locator("input[name=day]:checked"))
    page.keyboard.press("ArrowRight")
    expect(modal(page).locator("input[name=day]").nth(1)).to_be_checked()
    tab_to(page, modal(page).locator("input[name=slot]").first)
    page.keyboard.press("Space")
    press(page, "Move here")
    expect(modal(page)).to_be_hidden()
    expect(page.get_by_text("Moved", exact=False).first).to_be_visible()


def cancel_by_keyboard(page: Page) -> None:
    press(page, "Cancel")
    expect(modal(page)).to_be_visible()
    press(page, "Cancel booking")
    expect(modal(page)).to_be_hidden()
    expect(page.get_by_role("link", name="Book another time")).to_be_visible()


def book_again(page: Page) -> None:
    """Vehicle and place are known now: three presses."""
    press(page, "Book another time", "link")
    expect(page.get_by_label(re.compile("2021 Honda Pilot"))).to_be_checked()
    press(page, "Next")
    expect(page.get_by_label(re.compile("100 Main Street"))).to_be_checked()
    press(page, "Next")
    expect(page.get_by_text(re.compile(r"about \$\d+\.\d\d")).last).to_be_visible()
    press(page, "Schedule Service")
    expect(page.get_by_role("button", name="Reschedule")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Step 1 of 3")).to_be_visible()


def book_as_guest(page: Page) -> None:
    arrive(page, "/one-time-fill")
    page.get_by_label("Where is your car? ZIP").fill("34236")
    page.get_by_role("button", name="See price and times").click()
    expect(page.get_by_text("The next free time is")).to_be_visible()
    expect(page.get_by_label("ZIP", exact=True)).to_have_value("34236")
    for label, text in (GUEST | PLACE).items():
        control = page.get_by_label(label, exact=True)
        if label == "Where the car is parked":
            control.select_option(text)
        else:
            control.fill(text)
    page.get_by_label("I accept the terms").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_label("The pin: move it with the arrow keys").press("ArrowRight")
    expect(page.get_by_text("The pin is set.")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("/one-time-fill/vehicle$"))
    for label, text in VEHICLE.items():
        control = page.get_by_label(label, exact=True)
        if label in {"Make", "Model", "Fuel grade", "Fuel door"}:
            control.select_option(text)
        else:
            control.fill(text)
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Continue to payment").click()
    expect(page.get_by_text(re.compile("We keep this time for you until"))).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Add a card").click()
    page.get_by_role("button", name="Add card").click()
    expect(page).to_have_url(re.compile("/one-time-fill/payment$"))  # it opens once more
    expect(page.get_by_text("Visa ending in 4242")).to_be_visible()
    expect(page.get_by_text(re.compile("We keep this time for you until"))).to_be_visible()
    page.get_by_role("button", name=re.compile("Book · about")).click()
    expect(page).to_have_url(re.compile("/manage/"))


def find_nothing_by_another_link(page: Page, link: str) -> None:
    answer = page.goto(link)
    assert answer
    assert answer.status == 404
    expect(page.get_by_role("heading", name="Booking not found")).to_be_visible()


def cancel_by_link(page: Page, link: str) -> None:
    arrive(page, link)
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Cancel booking").click()
    expect(page.get_by_role("link", name="Book another time")).to_be_visible()
