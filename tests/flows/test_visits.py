"""A family's two cars at 360 px: booked by keyboard, one filled offline and the other one not.

In between one car is dropped, the visit is repeated, and the next one is skipped by a mail's link.
"""

import re
from typing import Any
from unittest.mock import patch

import pytest
from playwright.sync_api import FilePayload, Page, expect

from fuel_app import routes
from fuel_app.kit import secrets
from fuel_app.messages.rules.kinds import REPEATED
from tests import seed_day
from tests.flows.checks import assert_accessible, assert_fits
from tests.flows.company import arrive, company_site
from tests.flows.conftest import PHONE
from tests.flows.test_booking import press, tab_to
from tests.flows.visitor import modal
from tests.pictures import as_file, noise
from tests.site import Site, seeded
from tests.waiting import came_true

PAID = [("paid", 3477)]  # 10.052 gallons at $3.459
KEY = "a key of this test, long enough for a site"


@pytest.fixture
def family(tmp_path) -> Any:
    with company_site(tmp_path, FUEL_SECRET_KEY=KEY) as site:
        yield site, seeded(site.database_url, seed_day.seed(1, published=True, family=True))


def test_a_family_books_two_cars_and_one_of_two_is_filled_offline(family, browse):
    site, known = family
    customer = browse(site, PHONE, known["customers"][0])
    book_both(customer)
    drop_one(customer)
    press(customer, "Every 2 weeks")
    expect(customer.get_by_role("button", name="Pause")).to_be_visible()
    skip_the_next_one(site, browse(site, PHONE))
    phone = browse(site, PHONE, known["technician"])
    fill_one_and_not_the_other(phone)
    bill_and_receipt_are_right(site, customer, known["bookings"][0])
    ledger_is_right(site, known["bookings"][0])


def book_both(page: Page) -> None:
    """Six presses from the dashboard to the booking."""
    arrive(page, "/dashboard")
    page.get_by_role("link", name="Book another").click()
    cars = page.get_by_role("group", name="Vehicles")
    expect(cars.get_by_role("checkbox")).to_have_count(2)
    for car in cars.get_by_role("checkbox").all():
        tab_to(page, car)
        if not car.is_checked():
            page.keyboard.press("Space")
        expect(car).to_be_checked()
    assert_accessible(page)
    press(page, "Next")
    expect(page.get_by_label(re.compile("100 Palm Ave"))).to_be_checked()
    press(page, "Next")
    expect(page.get_by_text("2 cars: 2022 Toyota Camry and 2022 Honda Pilot").last).to_be_visible()
    expect(page.get_by_text(re.compile(r"about \$\d+\.\d\d")).last).to_be_in_viewport()
    assert_accessible(page)
    assert_fits(page)
    press(page, "Schedule Service")
    expect(page).to_have_url(re.compile("/bookings/"))
    expect(page.get_by_text("2022 Toyota Camry and 2022 Honda Pilot").first).to_be_visible()
    assert_accessible(page)
    assert_fits(page)


def drop_one(page: Page) -> None:
    press(page, "Change cars")
    pilot = modal(page).get_by_role("checkbox", name=re.compile("Honda Pilot"))
    expect(pilot).to_be_checked()
    expect(modal(page).get_by_text("about $66.42")).to_be_visible()
    assert_accessible(page)
    tab_to(page, pilot)
    page.keyboard.press("Space")
    expect(modal(page).get_by_text("about $33.21")).to_be_visible()
    press(page, "Save")
    expect(page.get_by_text("The cars are changed.")).to_be_visible()
    expect(page.get_by_text("2022 Toyota Camry · GUL 1")).to_be_visible()


def skip_the_next_one(site: Site, mail: Page) -> None:
    """Open the mail's link about the next visit, which changes nothing, and press its button."""
    visits = "SELECT booking_id FROM series_visits ORDER BY day"
    assert came_true(lambda: len(site.rows(visits)) == 2, within=20), site.rows(visits)
    _, (booking,) = site.rows(visits)
    told = "SELECT payload ->> 'repeats' FROM messages WHERE payload ->> 'booking' = ?"
    assert ("Every 2 weeks",) in site.rows(told, booking)
    state = "SELECT state FROM bookings WHERE id = ?"
    with patch.object(secrets, "_key", KEY.encode):
        link = f"{routes.REPEAT_SKIP}?t={secrets.token(REPEATED, booking)}"
    mail.goto(link)
    expect(mail.get_by_role("heading", name="Skip this visit?")).to_be_visible()
    assert site.rows(state, booking) == [("booked",)]
    mail.get_by_role("button", name="Skip this visit").click()
    expect(mail.get_by_role("heading", name="Skipped")).to_be_visible()
    assert site.rows(state, booking) == [("cancelled",)]
    assert site.rows("SELECT state FROM series") == [("active",)]


def fill_one_and_not_the_other(phone: Page) -> None:
    phone.clock.install()
    phone.goto("/drive")
    expect(phone.get_by_text("All sent")).to_be_visible()
    phone.context.set_offline(True)
    phone.get_by_role("button", name="Start driving").click()
    phone.get_by_role("button", name="I'm here").click()
    boxes = phone.get_by_role("group", name="Safety check").get_by_role("checkbox")
    expect(boxes.first).to_be_visible()
    for box in boxes.all():
        box.check()
    phone.get_by_role("button", name="Start fueling").click()
    cars = phone.get_by_role("list", name="Cars of this stop").get_by_role("button")
    expect(cars).to_have_text([re.compile("Camry.*To do"), re.compile("Pilot.*To do")])
    cars.last.click()
    expect(phone.locator(".plate")).to_have_text("PIL 1 (FL)")
    cars.first.click()
    phone.get_by_label("Meter at the start").fill("1000")
    phone.get_by_label("Meter at the end").fill("1010.052")
    phone.get_by_label("Ticket number").fill("T-1")
    phone.get_by_label("Take a photo").set_input_files(
        FilePayload(name="meter.jpg", mimeType="image/jpeg", buffer=as_file(noise((1200, 900))))
    )
    expect(phone.get_by_text("Photos taken: 1")).to_be_visible()
    phone.get_by_role("button", name="Done", exact=True).click()
    expect(phone.get_by_text("Compare the plate first")).to_be_visible()
    phone.get_by_label("The license plate of this car matches").check()
    assert_accessible(phone)
    assert_fits(phone)
    phone.get_by_role("button", name="Done", exact=True).click()
    expect(cars).to_have_text([re.compile("Done · 10.052 gallons"), re.compile("Pilot.*To do")])
    expect(phone.locator(".plate")).to_have_text("PIL 1 (FL)")
    expect(phone.get_by_label("Meter at the start")).to_have_value("1010.052")
    phone.reload()
    expect(phone.locator(".plate")).to_have_text("PIL 1 (FL)")
    phone.get_by_role("button", name="Can't fuel", exact=True).click()
    phone.get_by_label("Reason").select_option("Fuel door closed or locked")
    phone.get_by_role("button", name="Can't fuel this car").click()
    expect(phone.get_by_text("That was the last stop of this route.")).to_be_visible()
    phone.context.set_offline(False)
    phone.clock.fast_forward(20_000)  # in which it can be undone
    expect(phone.locator("#line")).to_have_text("All sent")


def bill_and_receipt_are_right(site: Site, page: Page, booking_id: str) -> None:
    fills = "SELECT outcome, total_cents FROM fills WHERE booking_id = ? ORDER BY position"
    assert site.rows(fills, booking_id) == [("filled", 3477), ("not_filled", None)]
    due = "UPDATE jobs SET run_at = datetime('now', '-1 minute') WHERE kind = ?"
    site.write(f"{due} AND ended_at IS NULL", "billing.open_fill")
    paid = "SELECT state, total_cents FROM invoices"
    assert came_true(lambda: site.rows(paid) == PAID, within=20), site.rows(paid)
    says = ", ".join(f"payload ->> '{name}'" for name in ("gallons", "total", "missed"))
    told = f"SELECT DISTINCT {says} FROM messages WHERE kind = 'completed'"
    missed = "We could not fill 2022 Honda Pilot: the fuel door was closed or locked."
    said = [("10.052", "$34.77", missed)]
    assert came_true(lambda: site.rows(told) == said, within=20), site.rows(told)
    arrive(page, f"/bookings/{booking_id}")
    page.get_by_role("button", name="Receipt").click()
    expect(page.get_by_role("heading", name="Receipt").first).to_be_visible()
    for shown in ("10.052 gallons at $3.459 a gallon", "$34.77"):
        expect(page.get_by_text(shown).first).to_be_visible()


def ledger_is_right(site: Site, booking_id: str) -> None:
    """One of two fills is used and one given back; of ten another one is booked."""
    kinds = "SELECT kind, SUM(fills) FROM ledger_entries WHERE booking_id = ? GROUP BY kind"
    taken = [("released", 1), ("reserved", -2), ("used", 0)]
    assert site.rows(f"{kinds} ORDER BY kind", booking_id) == taken
    assert site.rows("SELECT SUM(fills) FROM ledger_entries") == [(8,)]
