"""The technician's page without a connection, in a browser that is closed, killed and opened."""

import pytest
from playwright.sync_api import expect

from tests.flows.technician_phone import ALL_SENT, office, phone
from tests.helpers.technician_server import CANCELLED, a_refill, a_stop
from tests.waiting import came_true

__all__ = ["office", "phone"]

STEPS = ("drive", "arrive", "fuel", "photo", "complete")
SIGN_IN = "Sign in to send · 2 saved on this phone"


def test_three_fills_with_photos_made_offline_arrive_once_and_in_order(phone, office):
    phone.line(is_up=False)
    phone.page.reload()
    for number in (1, 2, 3):
        phone.fill_stop(f"Customer {number}")
    expect(phone.customer).to_have_text("Customer 4")
    kept = phone.kept()
    expected = [(f"stop-{number}", kind) for number in (1, 2, 3) for kind in STEPS]
    assert [tuple(action) for action in kept["actions"]] == expected
    assert len(kept["photos"]) == 3
    assert max(kept["photos"]) <= 200_000
    phone.page.close()
    phone.kill()
    phone.open(offline=True)
    phone.expect_line("Saved on this phone · 15 to send")
    expect(phone.customer).to_have_text("Customer 4")
    assert phone.kept() == kept
    assert office.order == []
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    assert office.order == expected
    assert set(office.times.values()) == {1}
    assert len(office.photos) == 3
    assert phone.kept() == {"actions": [], "photos": []}


def test_a_draft_that_a_killed_phone_still_has_is_dropped_once_its_step_is_done(phone, office):
    phone.press("Start driving", "I'm here")
    phone.tick_all()
    draft = phone.page.evaluate("localStorage.draft")
    phone.press("Start fueling")
    expect(phone.page.get_by_label("Meter at the start")).to_be_visible()
    phone.page.get_by_role("button", name="2. Customer 2").click()
    phone.page.evaluate("draft => { localStorage.draft = draft; }", draft)  # as after a kill
    phone.page.reload()
    expect(phone.page.get_by_label("Meter at the start")).to_be_visible()
    assert phone.page.evaluate("localStorage.draft") is None
    phone.type_figures("1000", "1011")
    phone.page.reload()
    expect(phone.page.get_by_label("Meter at the end")).to_have_value("1011")


def test_an_action_whose_answer_is_lost_is_sent_again_and_done_once(phone, office):
    phone.line(is_up=False)
    phone.press("Start driving", "I'm here")
    phone.take_photo()
    office.lost_answers = 1  # of the actions
    phone.line(is_up=True)
    assert came_true(lambda: office.lost_answers == 0, within=10)
    phone.expect_line("Saved on this phone · 3 to send")
    phone.reconnect()
    phone.expect_line(ALL_SENT)
    assert office.order == [("stop-1", kind) for kind in ("drive", "arrive", "photo")]
    assert max(office.times.values()) == 2
    assert phone.place == "Stop 1 of 5 · There"


def test_a_photo_whose_answer_is_lost_is_sent_again(phone, office):
    phone.press("Start driving", "I'm here")
    phone.expect_line(ALL_SENT)
    phone.line(is_up=False)
    phone.take_photo()
    phone.context.route("**/api/technician/photos/*", lambda route: route.abort())
    phone.line(is_up=True)
    expect(phone.page.locator("#line")).to_have_text("Saved on this phone · 1 to send")
    phone.context.unroute_all()
    phone.reconnect()
    phone.expect_line(ALL_SENT)
    assert len(office.photos) == 1
    assert all(file.startswith(b"\xff\xd8") for file in office.photos.values())


def test_actions_of_two_tabs_keep_the_order_of_the_presses(phone, office):
    other = phone.tab()
    phone.line(is_up=False)
    phone.press("Start driving")
    other.get_by_role("button", name="I'm here").click()
    phone.page.get_by_role("group", name="Safety check").wait_for()
    phone.tick_all()
    phone.press("Start fueling")
    expect(other.get_by_label("Meter at the start")).to_be_visible()
    other.get_by_role("button", name="Undo last step").click()
    expect(phone.page.get_by_role("group", name="Safety check")).to_be_visible()
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    expect(other.locator("#line")).to_have_text(ALL_SENT)
    assert office.order == [("stop-1", kind) for kind in ("drive", "arrive", "fuel", "back")]
    assert set(office.times.values()) == {1}


def test_actions_wait_until_the_technician_has_signed_in_again(phone, office):
    office.person = ""
    phone.press("Start driving", "I'm here")
    phone.expect_line(SIGN_IN)
    link = phone.page.get_by_role("link", name=SIGN_IN)
    assert link.get_attribute("href") == "/sign-in?next=%2Fdrive"
    phone.page.reload()
    phone.expect_line(SIGN_IN)
    assert phone.place == "Stop 1 of 5 · There"
    office.person = "dana"
    phone.reconnect()
    phone.expect_line(ALL_SENT)
    assert office.order == [("stop-1", "drive"), ("stop-1", "arrive")]


def test_another_person_on_the_phone_sends_nothing_of_the_first(phone, office):
    office.person = ""
    phone.press("Start driving", "I'm here")
    phone.expect_line(SIGN_IN)
    office.stops["sam"] = [a_stop(7, customer="Sams customer")]
    office.person = "sam"
    phone.page.reload()
    expect(phone.customer).to_have_text("Sams customer")
    phone.press("Start driving")
    expect(phone.page.locator("#place")).to_have_text("Stop 7 of 1 · On the way")
    phone.expect_line(ALL_SENT)
    expect(phone.page.locator("#others")).to_have_text(
        "Actions of another person on this phone, sent when they sign in: 2"
    )
    assert [action["person"] for action in office.heard.values()] == ["sam"]
    office.person = "dana"
    phone.page.reload()
    expect(phone.page.locator("#others")).to_be_hidden()
    expect(phone.customer).to_have_text("Customer 1")
    phone.expect_line(ALL_SENT)
    assert [action["person"] for action in office.heard.values()] == ["sam", "dana", "dana"]
    assert phone.kept() == {"actions": [], "photos": []}


def test_a_stop_cancelled_meanwhile_is_said_until_ok_and_holds_nothing_up(phone, office):
    phone.line(is_up=False)
    phone.press("Start driving", "I'm here")
    phone.take_photo()
    phone.page.get_by_role("button", name="2. Customer 2").click()
    phone.press("Start driving")
    office.stop(1).update(state="gone", gone=CANCELLED)
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    assert office.order == [("stop-1", kind) for kind in ("drive", "arrive", "photo")] + [
        ("stop-2", "drive")
    ]
    assert office.photos == {}
    phone.kill()
    phone.open()
    notices = phone.page.locator("#refused .notice")
    expect(notices).to_have_count(3)
    expect(notices.first).to_contain_text(f"Customer 1: {CANCELLED}")
    for left in (2, 1, 0):
        notices.first.get_by_role("button", name="OK").click()
        expect(notices).to_have_count(left)
    assert phone.kept() == {"actions": [], "photos": []}
    assert phone.place == "Stop 2 of 4 · On the way"  # the cancelled one does not count


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_a_refusing_server_loses_nothing(phone, office, status):
    office.status = status
    phone.press("Start driving")
    other = "Signed in, but not as a technician · 1 saved on this phone"
    phone.expect_line(other if status == 403 else "Saved on this phone · 1 to send")
    office.status = 200
    phone.reconnect()
    phone.expect_line(ALL_SENT)
    assert office.order == [("stop-1", "drive")]


def test_what_can_still_be_undone_is_kept_by_a_killed_phone_and_sent_when_it_is_opened(
    phone, office
):
    phone.press("Start driving", "Can't fuel")
    phone.page.get_by_label("Reason").select_option("Truck trouble")
    phone.press("Can't fuel this stop")
    expect(phone.customer).to_have_text("Customer 2")
    phone.expect_line("Saved on this phone · 1 to send")
    phone.kill()
    assert [kind for _, kind in office.order] == ["drive"]
    phone.open()  # within the 20 seconds: it can be undone here, too
    expect(phone.page.get_by_text("Customer 1: can't fuel.")).to_be_visible()
    assert [kind for _, kind in office.order] == ["drive"]
    phone.wait_out_grace()
    phone.expect_line(ALL_SENT)
    assert [kind for _, kind in office.order] == ["drive", "fail"]


def test_a_photo_that_the_office_cannot_store_is_said(phone, office):
    phone.press("Start driving", "I'm here")
    phone.context.route("**/api/technician/photos/*", lambda route: route.fulfill(status=415))
    phone.choose_photo()
    notice = "Customer 1: A photo could not be stored. Take it again if you can."
    expect(phone.page.locator("#refused .notice")).to_contain_text(notice)
    phone.expect_line(ALL_SENT)
    assert phone.kept()["photos"] == []


def test_a_full_phone_says_so_and_keeps_what_is_typed(phone, office):
    phone.press("Start driving", "I'm here")
    phone.tick_all()
    phone.press("Start fueling")
    phone.take_photo()
    phone.type_figures("1000", "1011")
    phone.page.evaluate(
        """() => {
          const { transaction } = IDBDatabase.prototype;
          IDBDatabase.prototype.transaction = function (names, mode, options) {
            const started = transaction.call(this, names, mode, options);
            if (mode === "readwrite") queueMicrotask(() => started.abort());
            window.hasRoom = () => { IDBDatabase.prototype.transaction = transaction; };
            return started;
          };
        }"""
    )
    phone.press("Done")
    expect(phone.page.get_by_role("alert").filter(has_text="no room")).to_be_visible()
    assert phone.page.get_by_label("Meter at the end").input_value() == "1011"
    phone.page.evaluate("hasRoom()")
    phone.press("Done")
    expect(phone.customer).to_have_text("Customer 2")
    expect(phone.page.get_by_text("no room")).to_be_hidden()
    phone.expect_line(ALL_SENT)
    assert office.order[-1] == ("stop-1", "complete")


def test_refill_asks_what_was_loaded_and_keeps_it_offline(phone, office):
    office.stops["dana"] = [a_refill(1), a_stop(2)]
    phone.reconnect()
    expect(phone.customer).to_have_text("Refill")
    phone.line(is_up=False)
    phone.press("Start driving", "I'm here")
    regular, diesel = (phone.page.get_by_label(each, exact=True) for each in ("Regular", "Diesel"))
    expect(regular).to_be_visible()
    expect(phone.page.get_by_label("Premium", exact=True)).to_be_hidden()
    phone.press("Refilled")
    expect(regular).to_be_focused()
    expect(phone.page.get_by_text("Enter the gallons, such as 120.5; 0 for none")).to_be_visible()
    regular.fill("250.75")
    diesel.fill("100.6")
    phone.press("Refilled")
    expect(phone.page.get_by_text("This tank holds 100.5 gallons")).to_be_visible()
    diesel.fill("")
    phone.page.reload()  # what is typed stays
    expect(regular).to_have_value("250.75")
    phone.page.clock.fast_forward(1000)
    phone.press("Refilled")
    expect(phone.customer).to_have_text("Customer 2")
    row = phone.page.get_by_role("button", name="1. Refill")
    expect(row).to_contain_text("Regular 250.75")
    row.click()
    expect(phone.page.locator("[data-field=loaded]")).to_have_text("Regular 250.75")
    phone.press("Correct the figures")
    expect(regular).to_have_value("250.75")
    expect(phone.page.get_by_role("button", name="Not now")).to_be_visible()
    diesel.fill("12")
    phone.page.clock.fast_forward(1000)
    phone.press("Save the correction")
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    kinds = ("drive", "arrive", "complete", "correct")
    assert office.order == [("stop-1", kind) for kind in kinds]
    loads = [each["data"] for each in office.heard.values()][2:]
    assert loads == [
        {"loaded_regular": "250.75", "loaded_diesel": ""},
        {"loaded_regular": "250.75", "loaded_diesel": "12"},
    ]
