"""The technician's page without a connection, in a browser that is closed, killed and opened."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Playwright, expect

from tests.flows.technician_phone import ALL_SENT, Phone, phone_of
from tests.helpers.technician_server import Office, technicians_office

STEPS = ("drive", "arrive", "fuel", "photo", "complete")


@pytest.fixture
def office() -> Iterator[Office]:
    with technicians_office() as running:
        yield running


@pytest.fixture
def phone(playwright: Playwright, office: Office, tmp_path) -> Iterator[Phone]:
    """Return a phone that has been opened once in the morning."""
    with phone_of(playwright, office, tmp_path / "profile") as opened:
        opened.expect_line(ALL_SENT)
        opened.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        yield opened


def test_three_fills_with_photos_made_offline_arrive_once_and_in_order(phone, office):
    phone.line(is_up=False)
    phone.page.reload()
    for number in (1, 2, 3):
        phone.fill_stop(number)
    kept = phone.kept()
    expected = [(f"stop-{number}", kind) for number in (1, 2, 3) for kind in STEPS]
    assert [tuple(action) for action in kept["actions"]] == expected
    assert len(kept["photos"]) == 3 and max(kept["photos"]) <= 200_000
    phone.page.close()
    phone.kill()
    phone.open(offline=True)
    phone.expect_line("Saved on this phone · 15 to send")
    expect(phone.page.locator("#customer")).to_have_text("Customer 4")
    assert phone.kept() == kept
    assert office.order == []
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    assert office.order == expected
    assert set(office.times.values()) == {1}
    assert len(office.photos) == 3
    assert phone.kept() == {"actions": [], "photos": []}
