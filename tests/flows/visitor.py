"""Actions of a visitor, by label, role and text."""

from itertools import count

from playwright.sync_api import Locator, Page, expect

_numbers = count(1)


def modal(page: Page) -> Locator:
    return page.get_by_role("dialog")


def escape(page: Page) -> None:
    """Close an open dialog by the keyboard; a visible toast would take the key."""
    _await_listening(page)
    page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()


def click_outside(page: Page) -> None:
    """Click beside an open dialog."""
    _await_listening(page)
    page.mouse.click(5, 5)


def _await_listening(page: Page) -> None:
    """Wait until an open dialog listens: a timer after it takes the focus."""
    expect(page.locator("[role=dialog]:focus-within")).to_be_visible()
    page.evaluate("() => new Promise((done) => setTimeout(done))")


def open_waitlist(page: Page) -> Locator:
    page.get_by_role("banner").get_by_role("button", name="Join Waitlist").click()
    expect(modal(page)).to_be_visible()
    return modal(page)


def a_person(zip_code: str, **differs: str) -> dict[str, str]:
    number = next(_numbers)
    return {
        "First name": "Ada",
        "Last name": "Lovelace",
        "Email": f"visitor.{number}@example.com",
        "Phone": "(941) 555-0123",
        "ZIP": zip_code,
    } | differs


def fill_in(form: Locator, person: dict[str, str]) -> None:
    for label, text in person.items():
        form.get_by_label(label, exact=True).fill(text)


def send(form: Locator) -> None:
    form.get_by_role("button", name="Join Waitlist").click()


def join_waitlist(page: Page, zip_code: str, **differs: str) -> dict[str, str]:
    """From the landing page to the neighborhood picker."""
    person = a_person(zip_code, **differs)
    if not modal(page).is_visible():
        open_waitlist(page)
    fill_in(modal(page), person)
    send(modal(page))
    expect(modal(page).get_by_role("heading", name="Find your neighborhood")).to_be_visible()
    return person


def found_neighborhood(page: Page, name: str) -> str:
    """From the picker to the confirmation, as the pioneer; returns the join link."""
    dialog = modal(page)
    first = dialog.get_by_role("button", name="Create the first neighborhood")
    first.or_(dialog.get_by_role("button", name="Create New")).click()
    dialog.get_by_label("Neighborhood name").fill(name)
    dialog.get_by_role("button", name="Create Neighborhood").click()
    expect(dialog.get_by_role("heading", name="You're on the List!")).to_be_visible()
    return dialog.get_by_label("Your neighborhood's join link").input_value()
