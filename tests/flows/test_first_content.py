"""What a signed-in page shows first is true: nothing of another view, and no 'nothing'."""

import pytest
from playwright.sync_api import expect

from fuel_app.settings import settings
from tests.flows.company import arrive
from tests.flows.conftest import DESKTOP

# Keeps each line of text that was ever shown in the page's main part and its top bar.
_RECORD = """
window.shown = new Set();
const keep = () => {
  for (const part of document.querySelectorAll("main, header"))
    for (const line of part.innerText.split("\\n")) if (line.trim()) window.shown.add(line.trim());
};
new MutationObserver(keep).observe(document, {subtree: true, childList: true, characterData: true});
addEventListener("DOMContentLoaded", keep);
"""
CUSTOMER = (
    "/dashboard",
    "/account",
    "/billing",
    "/notifications",
    "/security",
    "/support",
    "/support/scheduling",
)
DISPATCHER = ("/dashboard", "/submissions", "/neighborhoods", "/dispatch", "/customer-dashboard")
ADMIN = (
    "/dashboard",
    "/launch",
    "/settings/business",
    "/settings/areas",
    "/settings/prices",
    "/settings/trucks",
    "/settings/messages",
    "/settings/money",
    "/settings/people",
)
PAGES = {"customers": CUSTOMER, "dispatcher": DISPATCHER, "admin": ADMIN}


@pytest.mark.parametrize(
    ("who", "path"), [(who, path) for who, paths in PAGES.items() for path in paths]
)
def test_first_content_of_a_page_is_true(office, browse, who, path):
    site, known = office
    token = known[who][0] if who == "customers" else known[who]
    page = browse(site, DESKTOP, token)
    page.add_init_script(_RECORD)
    arrive(page, path)
    expect(page.locator("main .skeleton")).to_have_count(0)
    left = page.evaluate(
        """() => {
          const now = [...document.querySelectorAll("main, header")].map((e) => e.innerText);
          const lines = new Set(now.join("\\n").split("\\n").map((line) => line.trim()));
          return [...window.shown].filter((line) => !lines.has(line));
        }"""
    )
    # The brand stands above the page or, for staff, beside it.
    said = [line for line in left if line != settings.brand_name]
    assert not [line for line in said if not line.startswith("Loading")]
