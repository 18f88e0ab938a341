"""Actions in the wizards, by label, role and text."""

from playwright.sync_api import Page, expect

from tests.pictures import from_a_phone

PHOTO = {"name": "car.jpg", "mimeType": "image/jpeg", "buffer": from_a_phone(6, (1600, 800))}
VEHICLE = {"Year": "2021", "Color": "Blue", "License Plate": " abc  123 "}
ADDRESS = {"Street": "1 Main Street", "City": "Sarasota", "State": "FL", "ZIP": "34236"}


def expect_step(page: Page, title: str, number: str) -> None:
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    expect(page.get_by_role("banner").get_by_text(f"Step {number}")).to_be_visible()
    expect(page.get_by_role("main").get_by_text("Loading...")).to_have_count(0)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def fill(page: Page, texts: dict[str, str]) -> None:
    for label, text in texts.items():
        page.get_by_label(label, exact=True).fill(text)


def fill_vehicle(page: Page) -> None:
    page.get_by_label("Make").select_option("Honda")
    page.get_by_label("Model").select_option("Pilot")
    fill(page, VEHICLE)


def add_photo(page: Page) -> None:
    page.get_by_label("Add a photo").set_input_files(PHOTO)  # type: ignore[arg-type]
    expect(photo(page)).to_be_visible()


def photo(page: Page):
    return page.get_by_role("img", name="The vehicle")


def at_location(page: Page) -> Page:
    fill_vehicle(page)
    press(page, "Next")
    expect_step(page, "Where is it parked?", "2 of 3")
    return page


def at_time(page: Page) -> Page:
    fill(at_location(page), ADDRESS)
    press(page, "Next")
    expect_step(page, "Choose a time", "3 of 3")
    return page


def at_plan(page: Page) -> Page:
    press(page, "Next Step")
    expect_step(page, "Choose Your Plan", "2 of 2")
    return page


def expect_dashboard(page: Page) -> None:
    page.wait_for_url("**/dashboard")
    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()


def steps(page: Page):
    return page.get_by_role("navigation", name="Steps")


def checked(page: Page) -> list[str]:
    """Return the steps with a check mark."""
    marked = steps(page).get_by_role("listitem").filter(has_text="Completed:")
    return [text.removeprefix("Completed:").strip() for text in marked.all_inner_texts()]
