"""The main job: visitors join the waitlist and a neighborhood."""

from playwright.sync_api import expect

from tests.flows.checks import every_size
from tests.flows.visitor import (
    a_person,
    fill_in,
    found_neighborhood,
    join_waitlist,
    modal,
    open_waitlist,
    send,
)

FIND = "Find your neighborhood"
ON_THE_LIST = "You're on the List!"


@every_size
def test_a_pioneer_founds_a_neighborhood_and_a_neighbor_joins_by_the_link(
    visit, site, zip_code, viewport
):
    pioneer = visit("/", viewport)
    first = join_waitlist(pioneer, zip_code)
    link = found_neighborhood(pioneer, "Palm Grove")
    expect(pioneer.get_by_text("Successfully joined neighborhood!").first).to_be_visible()

    neighbor = visit(link, viewport)
    expect(modal(neighbor).get_by_text("You are invited to Palm Grove")).to_be_visible()
    expect(modal(neighbor).get_by_label("ZIP", exact=True)).to_have_value(zip_code)
    second = join_waitlist(neighbor, zip_code, **{"First name": "Grace"})
    expect(modal(neighbor).get_by_label("Your neighborhood")).to_have_value(link.rpartition("/")[2])
    modal(neighbor).get_by_role("button", name="Join Neighborhood").click()
    expect(modal(neighbor).get_by_role("heading", name=ON_THE_LIST)).to_be_visible()
    expect(modal(neighbor).get_by_text("2 neighbors")).to_be_visible()

    members = site.rows(
        "SELECT s.email FROM waitlist_submissions s"
        " JOIN neighborhoods n ON n.id = s.neighborhood_id"
        " WHERE n.zip_code = ? ORDER BY s.created_at",
        zip_code,
    )
    assert members == [(first["Email"],), (second["Email"],)]


def test_a_neighborhood_is_chosen_from_the_list_or_from_the_select(visit, zip_code):
    for name in ("Palm Grove", "Bay View"):
        pioneer = visit("/")
        join_waitlist(pioneer, zip_code)
        found_neighborhood(pioneer, name)
    page = visit("/")
    dialog = open_waitlist(page)
    dialog.get_by_label("ZIP", exact=True).fill(zip_code)
    expect(dialog.get_by_text("2 neighborhood groups here")).to_be_visible()
    join_waitlist(page, zip_code)
    names = dialog.get_by_role("listitem").get_by_role("button")
    expect(names).to_have_count(2)
    expect(names.first).to_contain_text("Bay View")
    expect(names.first).to_contain_text("4 more neighbors and everyone saves $5 a month")
    join = dialog.get_by_role("button", name="Join Neighborhood")
    expect(join).to_be_disabled()
    create = dialog.get_by_role("button", name="Create New")
    create.click()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog.get_by_label("Neighborhood name")).to_be_hidden()
    expect(create).to_be_focused()
    dialog.get_by_label("Your neighborhood").select_option(label="Palm Grove")
    expect(names.nth(1)).to_have_attribute("aria-pressed", "true")
    names.first.click()
    expect(dialog.get_by_label("Your neighborhood")).to_have_value(
        dialog.get_by_role("option", name="Bay View").get_attribute("value") or "none"
    )
    join.click()
    expect(dialog.get_by_role("heading", name=ON_THE_LIST)).to_be_visible()
    expect(dialog.get_by_text("Bay View")).to_be_visible()


def test_a_reload_comes_back_to_the_picker_and_then_to_the_confirmation(visit, site, zip_code):
    page = visit("/")
    join_waitlist(page, zip_code)
    page.reload()
    expect(modal(page).get_by_role("heading", name=FIND)).to_be_visible()
    link = found_neighborhood(page, "Palm Grove")
    page.reload()
    expect(modal(page).get_by_role("heading", name=ON_THE_LIST)).to_be_visible()
    expect(modal(page).get_by_label("Your neighborhood's join link")).to_have_value(link)
    query = "SELECT count(*) FROM waitlist_submissions WHERE zip_code = ?"
    assert site.rows(query, zip_code) == [(1,)]


def test_a_referral_link_is_remembered_through_a_reload(visit, site, zip_code):
    friend = visit("/")
    join_waitlist(friend, zip_code)
    found_neighborhood(friend, "Palm Grove")
    page = visit(modal(friend).get_by_label("Your referral link").input_value())
    page.reload()
    expect(modal(page).get_by_role("heading", name="Join the Waitlist")).to_be_visible()
    person = join_waitlist(page, zip_code)
    referred = site.rows(
        "SELECT count(*) FROM waitlist_submissions WHERE email = ? AND referred_by_id IS NOT NULL",
        person["Email"],
    )
    assert referred == [(1,)]


def test_a_stuck_database_keeps_the_form(visit, site, zip_code):
    page = visit("/")
    dialog = open_waitlist(page)
    person = a_person(zip_code)
    fill_in(dialog, person)
    with site.stuck_database():
        send(dialog)
        expect(dialog.get_by_role("button", name="Submitting...")).to_be_disabled()
        expect(dialog.get_by_role("alert")).to_have_text(
            "An error occurred while submitting the form. Please try again.", timeout=20_000
        )
    expect(dialog.get_by_label("Email")).to_have_value(person["Email"])
    send(dialog)
    expect(dialog.get_by_role("heading", name=FIND)).to_be_visible()
