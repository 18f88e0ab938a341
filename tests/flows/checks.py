"""Accessibility, and the sizes of screens on which it is checked."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Locator, Page

from tests.flows.conftest import DESKTOP, PHONE, until

AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],  # listing passes takes twice as long
}
# Its other results are long.
_VIOLATIONS = "async (how) => ({ violations: (await axe.run(how)).violations })"
TARGET_PX = 44

every_size = pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])


def assert_accessible(page: Page) -> None:
    """Assert that axe finds nothing and that nothing is wider than the screen."""
    # Colors in the middle of a fade fail the contrast rule.
    until(page, "document.getAnimations().every((a) => a.playState !== 'running')")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    report = AxeResults(page.evaluate(_VIOLATIONS, AXE))
    assert report.violations_count == 0, report.generate_report()
    assert_fits(page)


def assert_accessible_at_every_size(page: Page) -> None:
    """Assert the same on a phone and on a desktop, with one way to the screen. Leave the latter."""
    for viewport in (PHONE, DESKTOP):
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        assert_accessible(page)


def assert_fits(page: Page) -> None:
    """Assert that nothing is wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def assert_large(controls: Locator) -> None:
    """Assert that a finger hits each of the controls."""
    boxes = [control.bounding_box() for control in controls.all()]
    assert boxes
    # A hair less during an opening animation.
    assert all(box and round(box["height"]) >= TARGET_PX for box in boxes), boxes
