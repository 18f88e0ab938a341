"""Actions of staff, by label, role and text."""

from playwright.sync_api import Locator, Page, expect

from tests.flows.visitor import modal
from tests.site import STAFF_PASSWORD


def sign_in(page: Page) -> None:
    """Sign in through the modal of a staff screen."""
    dialog = modal(page)
    dialog.get_by_label("Password").fill(STAFF_PASSWORD)
    dialog.get_by_role("button", name="Login").click()
    expect(dialog).to_be_hidden()


def rows(page: Page) -> Locator:
    """Return the rows of the screen's table, without its header."""
    return page.get_by_role("table").first.locator("tbody").get_by_role("row")


def row(page: Page, text: str) -> Locator:
    return rows(page).filter(has_text=text)
