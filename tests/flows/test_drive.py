"""The technician's page as it is used: its steps and its forms."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.flows.checks import AXE, assert_fits, assert_large
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.technician_phone import ALL_SENT, Phone, another_photo, office, phone
from tests.helpers.technician_server import CANCELLED, Office, a_stop
from tests.waiting import came_true

__all__ = ["office", "phone"]

SIZES = (PHONE, DESKTOP)
STRICT = AXE | {"rules": {"color-contrast-enhanced": {"enabled": True}}}  # 7:1, for the sun


def assert_readable(phone: Phone) -> None:
    """Assert what axe can say, contrast 7:1 and targets for a finger, at both sizes."""
    for size in SIZES:
        phone.page.set_viewport_size(size)  # type: ignore[arg-type]
        report = Axe().run(phone.page, options=STRICT)
        assert report.violations_count == 0, report.generate_report()
        assert_fits(phone.page)
        assert_large(phone.page.locator("button:visible, a:visible, label:visible"))
        box = phone.go.bounding_box() if phone.go.is_visible() else None
        assert box is None or box["height"] >= 64
    phone.page.set_viewport_size(PHONE)  # type: ignore[arg-type]


def to_fueling(phone: Phone) -> None:
    phone.press("Start driving", "I'm here")
    phone.tick_all()
    phone.press("Start fueling")


def test_every_screen_is_accessible_in_the_sun(phone, office):
    assert_readable(phone)
    phone.press("Start driving", "I'm here", "Start fueling")
    expect(phone.page.get_by_text("Check each point first.")).to_be_visible()
    assert_readable(phone)
    phone.tick_all()
    phone.press("Start fueling")
    phone.type_figures("1000", "1100")
    expect(
        phone.page.get_by_text("More than this tank holds (17.6 gallons at most)")
    ).to_be_visible()
    assert_readable(phone)
    phone.press("Done")
    expect(phone.page.get_by_text("Take a photo first")).to_be_visible()
    assert_readable(phone)
    phone.press("Can't fuel")
    office.stop(1).update(state="gone", gone=CANCELLED)
    phone.choose_photo()
    expect(phone.page.locator("#refused .notice")).to_be_visible()
    assert_readable(phone)
    office.person = ""
    phone.reconnect()
    expect(phone.page.get_by_role("link", name="Sign in", exact=True)).to_be_visible()
    assert_readable(phone)


def test_at_the_car_the_work_comes_first_and_an_unticked_check_points_at_itself(phone, office):
    phone.press("Start driving", "I'm here")
    phone.expect_line(ALL_SENT)
    boxes = phone.page.get_by_role("checkbox", disabled=False).and_(
        phone.page.locator("[name=checked]")
    )
    expect(boxes.first).to_be_in_viewport(ratio=1)
    form = phone.page.locator("#step").bounding_box()
    head, code = (phone.page.locator(each).bounding_box() for each in ("#head", "#where"))
    assert form is not None
    assert head is not None
    assert code is not None
    assert head["height"] <= 40
    assert code["y"] + code["height"] <= form["y"]
    boxes.first.check()
    phone.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    phone.press("Start fueling")
    error = phone.page.locator("#error-checked")
    for number in (1, 2):  # the second one first, then what is left
        expect(boxes.nth(number)).to_have_attribute("aria-invalid", "true")
        below = phone.page.locator("label.check").nth(number).locator("+ p")
        expect(below).to_have_text("Check each point first.")
        expect(error).to_be_in_viewport(ratio=1)
        if number == 1:
            expect(boxes.nth(1)).to_be_focused()
            assert boxes.nth(1).evaluate("(box) => getComputedStyle(box).outlineWidth") == "4px"
            boxes.nth(1).check()
    expect(boxes.nth(1)).to_have_attribute("aria-invalid", "false")


def test_diesel_is_asked_about_and_a_double_tap_does_not_answer(phone, office):
    office.stop(1).update(grade="Diesel", grade_id="diesel")
    phone.reconnect()
    grade = phone.page.locator("#grade b")
    expect(grade).to_have_text("Diesel")
    styles = "(word) => [getComputedStyle(word).fontSize, getComputedStyle(word).backgroundColor]"
    assert grade.evaluate(styles) == ["28px", "rgb(255, 212, 0)"]
    phone.press("Start driving", "I'm here")
    phone.tick_all()
    expect(phone.go).to_have_attribute("aria-disabled", "false")
    phone.go.dblclick()
    expect(phone.page.get_by_text("Diesel? Only diesel goes into this one.")).to_be_visible()
    assert_readable(phone)
    phone.press("Yes, diesel")
    expect(phone.page.get_by_label("Meter at the start")).to_be_visible()
    phone.expect_line(ALL_SENT)
    assert list(office.heard.values())[-1]["data"]["confirmed"] is True


def test_the_end_of_the_day_says_what_was_pumped_and_when_it_goes_on(phone, office):
    office.day = {"next_shift": "Saturday, November 28, 7:00 AM"}
    office.stop(1).update(grade="Diesel", grade_id="diesel")
    office.stop(3).update(state="gone", gone=CANCELLED, place=0)
    del office.stops["dana"][3:]
    phone.reconnect()
    expect(phone.page.locator("#place")).to_contain_text("Stop 1 of 2")
    for number, done in ((1, "1010.5"), (2, "1011.75")):
        fill = {"meter_start": "1000", "meter_end": done, "ticket": f"T-{number}"}
        pumped = "10.5" if number == 1 else "11.75"
        office.stop(number).update(state="completed", fill=fill, gallons=pumped)
    phone.reconnect()
    end = phone.page.get_by_role("region", name="That was the last stop of this route.")
    for fact in ("Diesel10.5 gallons", "Regular11.75 gallons", "Meter at the end1011.75"):
        expect(end).to_contain_text(fact)
    expect(end).to_contain_text("Next shiftSaturday, November 28, 7:00 AM")
    expect(phone.customer).to_be_hidden()
    assert_readable(phone)


def test_more_than_the_tank_holds_is_confirmed_in_place(phone, office):
    to_fueling(phone)
    phone.take_photo()
    phone.type_figures("1,000", "999.5")
    phone.press("Done")
    expect(phone.page.get_by_text("This is less than at the start")).to_be_visible()
    phone.type_figures("1,000", "1021.25")
    phone.press("Done")
    question = "The tank holds 17.6 gallons at most. Is this what was pumped?"
    expect(phone.page.get_by_text(question)).to_be_visible()
    phone.type_figures("1,000", "1021.3")
    expect(phone.page.get_by_text(question)).to_be_hidden()
    phone.press("Done", "Yes, 21.3 gallons")
    expect(phone.customer).to_have_text("Customer 2")
    phone.expect_line(ALL_SENT)
    sent = list(office.heard.values())[-1]["data"]
    assert sent == dict(meter_start="1,000", meter_end="1021.3", ticket="T-1", confirmed=True)


def ask(phone: Phone, taps: int) -> None:
    """Enter an impossible fill, and tap on Done so many times at the same place."""
    to_fueling(phone)
    phone.take_photo()
    phone.type_figures("1000", "1110")
    expect(phone.go).to_have_attribute("aria-disabled", "false")  # the step before has settled
    box = phone.go.bounding_box()
    assert box
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for _ in range(taps):
        phone.page.mouse.click(*at)


def test_a_double_tap_on_done_does_not_answer_whether_that_was_pumped(phone, office):
    ask(phone, 2)
    yes = phone.page.get_by_role("button", name="Yes, 110.0 gallons", exact=True)
    expect(yes).to_be_in_viewport()
    bar, question = phone.page.locator("#bar").bounding_box(), yes.bounding_box()
    assert bar is not None
    assert question is not None
    assert question["y"] + question["height"] <= bar["y"]
    phone.reconnect()
    phone.expect_line(ALL_SENT)
    assert [kind for _, kind in office.order][-1] == "photo"
    yes.click()
    expect(phone.customer).to_have_text("Customer 2")
    phone.expect_line(ALL_SENT)
    assert list(office.heard.values())[-1]["data"]["confirmed"] is True


def test_yes_answers_nothing_in_the_moment_in_which_it_appears(phone, office):
    ask(phone, 0)
    phone.page.evaluate(
        "document.querySelector('#go').click(); document.querySelector('#yes').click()"
    )
    expect(phone.page.locator("#yes")).to_be_visible()
    expect(phone.customer).to_have_text("Customer 1")
    assert_readable(phone)
    phone.press("Yes, 110.0 gallons")
    expect(phone.customer).to_have_text("Customer 2")


def test_a_ticket_number_that_was_used_is_refused_and_the_next_one_proposed(phone, office):
    phone.line(is_up=False)
    phone.fill_stop("Customer 1")
    expect(phone.customer).to_have_text("Customer 2")
    to_fueling(phone)
    phone.take_photo()
    phone.type_figures("1011.5", "1020", " t-1 ")
    phone.press("Done")
    used = phone.page.get_by_text("t-1 is the ticket of Customer 1.")
    expect(used).to_be_visible()
    assert_readable(phone)
    phone.press("Use T-2")
    expect(phone.page.get_by_label("Ticket number")).to_have_value("T-2")
    expect(phone.page.get_by_role("button", name="Use T-2")).to_be_hidden()
    phone.press("Done")
    expect(phone.customer).to_have_text("Customer 3")
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    assert [stop["fill"]["ticket"] for stop in office.stops["dana"][:2]] == ["T-1", "T-2"]


def test_what_the_office_asks_about_a_fill_that_counts_opens_its_correction(
    phone, office, monkeypatch
):
    hear, said = Office.hear, "This ticket number was used before. The office looks at it."
    monkeypatch.setattr(
        Office,
        "hear",
        lambda self, action: hear(self, action) or said * ("ticket" in action["data"]),
    )
    phone.fill_stop("Customer 1")
    expect(phone.page.locator("#refused .notice")).to_contain_text(said)
    phone.press("OK")
    expect(phone.customer).to_have_text("Customer 1")
    expect(phone.page.get_by_label("Ticket number")).to_have_value("T-1")
    phone.type_figures("1000", "1011.5", "T-7")
    phone.press("Save the correction")
    expect(phone.page.locator("#refused .notice")).to_contain_text(said)  # of the correction
    assert office.stop(1)["fill"]["ticket"] == "T-7"


def test_a_stop_that_cannot_be_fueled_needs_a_reason_a_photo_and_perhaps_a_note(phone, office):
    phone.press("Start driving", "I'm here", "Can't fuel", "Can't fuel this stop")
    expect(phone.page.locator("#error-reason")).to_have_text("Choose a reason")
    consequence = phone.page.locator("#consequence")
    phone.page.get_by_label("Reason").select_option("Car moved, and did not tell us")
    expect(consequence).to_contain_text("Late fee of $15.00: the customer is charged and told")
    phone.page.get_by_label("Reason").select_option("Other")
    phone.take_photo()
    phone.press("Can't fuel this stop")
    expect(phone.page.get_by_text("Say what is the matter")).to_be_visible()
    phone.page.get_by_label("Note").fill("Bees in the fuel door")
    phone.press("Can't fuel this stop")
    expect(phone.customer).to_have_text("Customer 2")
    phone.wait_out_grace()
    phone.expect_line(ALL_SENT)
    sent = list(office.heard.values())[-1]
    assert (sent["kind"], sent["stop"]) == ("fail", "stop-1")
    assert sent["data"] == {"reason": "other", "note": "Bees in the fuel door"}


def test_cant_fuel_is_undone_before_anything_is_sent(phone, office):
    phone.press("Start driving", "Can't fuel")
    expect(phone.page.get_by_text("On the way: reasons without a fee.")).to_be_visible()
    reason = phone.page.get_by_label("Reason")
    free = reason.locator("option:enabled").all_text_contents()
    assert free == [
        "Choose a reason",
        "Unsafe place",
        "Car moved, and told us",
        "Truck out of product",
        "Truck trouble",
        "Weather",
        "Other",
    ]
    reason.select_option("Truck trouble")
    expect(phone.page.locator("#consequence")).to_contain_text("No fee.")
    phone.press("Can't fuel this stop")
    phone.expect_line("Saved on this phone · 1 to send")
    held = phone.page.get_by_text("Customer 1: can't fuel. It counts, and the customer is told, in")
    expect(held).to_be_in_viewport()
    assert_readable(phone)
    phone.press("Start driving")  # waits behind it, in the order of the presses
    phone.page.clock.fast_forward(10_000)
    phone.press("Undo")
    expect(phone.customer).to_have_text("Customer 1")
    expect(held).to_be_hidden()
    phone.press("I'm here")
    phone.expect_line(ALL_SENT)
    assert office.order == [("stop-1", "drive"), ("stop-2", "drive"), ("stop-1", "arrive")]


def test_a_photo_is_shown_taken_again_and_removed(phone, office):
    to_fueling(phone)
    phone.line(is_up=False)
    phone.take_photo()
    thumbs = phone.page.locator("#thumbs img")
    expect(thumbs).to_have_count(1)
    first = thumbs.get_attribute("src")
    assert first
    assert_readable(phone)
    with phone.page.expect_file_chooser() as chooser:
        phone.press("Retake, photo 1")
    chooser.value.set_files(files=[another_photo()])
    expect(thumbs).not_to_have_attribute("src", first)
    expect(phone.page.locator("#photos")).to_have_text("Photos taken: 1")
    phone.take_photo()
    expect(thumbs).to_have_count(2)
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    assert len(office.photos) == 2
    phone.press("Remove, photo 2")
    expect(thumbs).to_have_count(1)
    phone.expect_line(ALL_SENT)
    assert len(office.photos) == 1
    assert (office.stop(1)["photos"], len(phone.kept()["photos"])) == (1, 0)


def test_what_the_office_changes_is_said_within_reach_of_the_thumb_until_ok(phone, office):
    phone.page.evaluate("() => { window.felt = []; navigator.vibrate = (it) => felt.push(it); }")
    phone.press("Start driving", "I'm here")
    phone.expect_line(ALL_SENT)
    changes = phone.page.locator("#changes")
    expect(changes).to_be_hidden()  # one's own steps are no news
    stops = office.stops["dana"]
    stops[1].update(state="gone", gone=CANCELLED)
    stops[2].update(gate_code="#0815")
    del stops[3]
    stops.append(a_stop(7))
    phone.reconnect()
    expect(changes.get_by_role("alert")).to_have_text(
        "New on your route: Customer 7\nNot on your route any more: Customer 4\n"
        f"Customer 2: {CANCELLED}\nCustomer 3: the time, the place or the notes have changed."
    )
    expect(changes).to_be_in_viewport(ratio=1)
    assert_readable(phone)
    assert phone.page.evaluate("felt") == [[200, 100, 200]]
    leave = phone.page.get_by_role("button", name="Sign out", exact=True)
    leave.scroll_into_view_if_needed()
    leave.click(trial=True)  # nothing lies over it
    stops[2], stops[3] = stops[3], stops[2]
    phone.page.reload()
    expect(changes).to_contain_text("The order of your stops has changed.")
    expect(changes).to_contain_text("New on your route: Customer 7")
    phone.press("OK")
    expect(changes).to_be_hidden()
    phone.reconnect()
    phone.expect_line(ALL_SENT)
    expect(changes).to_be_hidden()
    stops.clear()
    phone.reconnect()
    phone.press("OK")
    stops.append(a_stop(1))
    phone.reconnect()
    expect(changes).to_contain_text("Your route is here.")
    office.person, office.stops["sam"] = "sam", [a_stop(7)]
    phone.reconnect()
    expect(phone.customer).to_have_text("Customer 7")
    expect(changes).to_be_hidden()  # it is nobody else's news


def test_a_done_stop_is_corrected(phone, office):
    phone.line(is_up=False)
    phone.fill_stop("Customer 1")
    done = phone.page.get_by_role("button", name="1. Customer 1")
    expect(done).to_contain_text("Done · 11.5 gallons · not sent yet")
    done.click()
    expect(phone.page.get_by_text("Expected")).to_be_hidden()
    phone.press("Next: Customer 2")
    expect(phone.customer).to_have_text("Customer 2")
    done.click()
    phone.press("Correct the figures")
    assert phone.page.get_by_label("Meter at the end").input_value() == "1011.5"
    phone.type_figures("1000", "1011.6", "T-2")
    phone.press("Save the correction")
    phone.line(is_up=True)
    phone.expect_line(ALL_SENT)
    assert [kind for _, kind in office.order[-2:]] == ["complete", "correct"]
    assert office.stop(1)["fill"]["meter_end"] == "1011.6"


def test_refused_figures_are_there_again_to_be_put_right(phone, office, monkeypatch):
    to_fueling(phone)
    phone.take_photo()
    phone.expect_line(ALL_SENT)
    phone.line(is_up=False)
    phone.type_figures("1000", "1011")
    phone.press("Done")
    expect(phone.customer).to_have_text("Customer 2")
    monkeypatch.setattr(Office, "hear", lambda _office, _action: "Enter the gallons again.")
    phone.line(is_up=True)
    phone.press("OK")
    expect(phone.customer).to_have_text("Customer 1")
    expect(phone.page.get_by_label("Meter at the end")).to_have_value("1011")


def test_fuel_pumped_at_a_cancelled_stop_is_recorded(phone, office):
    office.stop(1).update(state="gone", gone=CANCELLED)
    phone.reconnect()
    phone.page.get_by_role("button", name="1. Customer 1").click()
    expect(phone.page.locator("#stop").get_by_text(CANCELLED)).to_be_visible()
    phone.press("Fuel was pumped here")
    phone.type_figures("1000", "1003")
    phone.press("Done")
    expect(phone.page.locator("#refused .notice")).to_contain_text(CANCELLED)
    phone.expect_line(ALL_SENT)
    assert office.order == [("stop-1", "complete")]


def test_a_refill_has_no_safety_check_and_no_figures(phone, office):
    office.stops["dana"] = [a_stop(1, kind="refill", customer="Yard", phone="", photo="", car="")]
    phone.reconnect()
    expect(phone.customer).to_have_text("Yard")
    expect(phone.page.get_by_role("link", name="Call")).to_be_hidden()
    phone.press("Start driving", "I'm here", "Refilled")
    expect(phone.page.get_by_text("That was the last stop of this route.")).to_be_visible()
    phone.expect_line(ALL_SENT)
    phone.page.get_by_role("button", name="1. Yard").click()
    phone.press("To the end of the day")
    expect(phone.page.get_by_text("That was the last stop of this route.")).to_be_visible()
    assert [kind for _, kind in office.order] == ["drive", "arrive", "complete"]


def test_typed_text_survives_news_other_tabs_and_reloads(phone, office):
    to_fueling(phone)
    phone.take_photo()
    phone.type_figures("1000", "1011.5")
    office.stop(2).update(customer="Renamed")
    phone.reconnect()
    expect(phone.page.get_by_text("2. Renamed")).to_be_visible()
    other = phone.tab()
    other.get_by_role("button", name="3. Customer 3").click()
    phone.page.reload()
    for label, text in {"Meter at the end": "1011.5", "Ticket number": "T-1"}.items():
        expect(phone.page.get_by_label(label)).to_have_value(text)


def test_a_day_without_stops_says_why_and_an_old_one_says_so(phone, office):
    office.as_of = 1_700_000_000
    phone.reconnect()
    old = "These stops are as of Tuesday, November 14 at 5:13 PM."
    expect(phone.page.get_by_text(old)).to_be_visible()
    office.as_of, office.stops = 0, {}
    phone.reconnect()
    expect(phone.page.get_by_text("Your route is not published yet.")).to_be_visible()
    expect(phone.go).to_be_hidden()


def test_a_phone_that_was_never_opened_with_a_connection_says_so(phone, office):
    phone.page.evaluate("indexedDB.deleteDatabase('technician')")
    office.person = ""
    phone.page.reload()
    expect(phone.page.get_by_text("Sign in as a technician to see your stops.")).to_be_visible()
    expect(phone.page.get_by_role("button", name="Sign out")).to_be_hidden()
    office.status = 403  # signed in, but no technician
    phone.page.reload()
    expect(phone.page.get_by_text("You are signed in, but not as a technician.")).to_be_visible()
    way = phone.page.get_by_role("link", name="Go to your dashboard")
    expect(way).to_have_attribute("href", "/dashboard")
    phone.line(is_up=False)
    phone.page.reload()
    expect(phone.page.get_by_text("No stops are on this phone yet.")).to_be_visible()


def test_signing_out_asks_when_something_is_unsent_and_deletes_the_stops(phone, office):
    phone.line(is_up=False)
    phone.press("Start driving")
    phone.press("Sign out", "Stay signed in", "Sign out")
    question = phone.page.locator("#leave-question")
    expect(question).to_contain_text("Not sent yet: 1.")
    expect(question).to_contain_text("You can sign out as soon as there is a connection.")
    expect(question).to_be_in_viewport()
    expect(phone.page.get_by_role("button", name="Sign out anyway")).to_be_hidden()
    office.status = 500
    phone.line(is_up=True)
    phone.context.route("**/session/end", lambda route: route.abort())
    phone.press("Sign out anyway")
    expect(question).to_contain_text("You can sign out as soon as there is a connection.")
    phone.context.unroute_all()
    phone.press("Try again")
    expect(phone.page.get_by_role("heading", name="Home")).to_be_visible()
    assert office.person == ""
    office.status = 200
    phone.page.goto("/drive")
    phone.expect_line("Sign in to send · 1 saved on this phone")
    expect(phone.page.get_by_text("Customer 1")).to_have_count(0)
    office.person = "dana"
    phone.reconnect()
    phone.expect_line(ALL_SENT)
    assert office.order == [("stop-1", "drive")]


def test_nothing_is_said_to_be_sent_before_the_office_has_answered(phone):
    phone.context.route("**/api/technician/day", lambda _route: None)  # on its way for long
    phone.page.reload()
    expect(phone.customer).to_have_text("Customer 1")
    phone.expect_line("Checking for changes ...")
    phone.context.unroute_all(behavior="ignoreErrors")
    phone.reconnect()


def test_the_position_is_sent_only_when_the_technician_agrees(phone, office):
    phone.context.grant_permissions(["geolocation"])
    phone.context.set_geolocation({"latitude": 27.3, "longitude": -82.5})
    share = phone.page.get_by_role("switch")
    expect(share).not_to_be_checked()
    share.check()
    assert came_true(lambda: office.positions == [{"lat": 27.3, "lng": -82.5}], within=10)
    office.day = {"can_send_position": False}
    phone.reconnect()
    expect(share).to_be_hidden()


def test_a_phone_that_refuses_its_position_says_so(phone):
    phone.page.get_by_role("switch").click()
    expect(phone.page.get_by_text("This phone does not share it.")).to_be_visible()
    expect(phone.page.get_by_role("switch")).not_to_be_checked()
