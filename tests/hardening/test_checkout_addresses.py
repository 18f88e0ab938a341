"""Addresses of the stand-in's checkout page that no visit has, on both databases."""

import pytest

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_address_that_no_visit_has_is_not_found(browser, method):
    for name in ("%00", "cs_test_%00", "%FF", "x" * 5_000):
        assert (await browser.request(method, f"/test-checkout/{name}")).status_code == 404
