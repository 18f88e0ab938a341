"""Words of messages."""

import html
import re

import pytest

from fuel_app.bookings.rules.states import REASONS
from fuel_app.dispatch.service import interruptions
from fuel_app.kit.outbox import SMS
from fuel_app.messages.providers import rendered
from fuel_app.messages.rules.content import (
    CONTENTS,
    NO_CHARGE,
    MissingValue,
    content_of,
    values_of,
)
from fuel_app.messages.rules.kinds import KINDS, UnknownKind, kind_of
from fuel_app.messages.rules.parts import Button
from tests.helpers.outbox import VALUES

every_kind = pytest.mark.parametrize("kind", CONTENTS)
NASTY = "<script>alert('x')</script> & {{ 7*7 }}\r\nBcc: all@example.com"
GSM = re.compile(r"[A-Za-z0-9 \n\r@$!\"#%&'()*+,\-./:;<=>?_]*")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def visible(page: str) -> str:
    """Return the words of an HTML page; addresses of links are written out beside them."""
    body = page[page.index("<body") :]
    return html.unescape(re.sub(r"<[^>]*>", " ", body))


@every_kind
def test_html_and_text_have_the_same_words_and_one_button(kind):
    content = content_of(kind, VALUES)
    shown = rendered(content, unsubscribe="https://x.example/unsubscribe?t=1")
    assert "<img" not in shown.html
    assert shown.html.count("<title>") == 1
    assert ("display:inline-block" in shown.html) == (content.button is not None)
    if content.button:
        assert content.button.path.startswith("/")
        assert f'href="http://localhost:3000{content.button.path}"' in html.unescape(shown.html)
    in_html, in_text = set(words(visible(shown.html))), set(words(shown.text))
    assert in_text - in_html == {"https", "x", "example", "unsubscribe", "t", "1"} - in_html
    added = {*words("If the button does not work, open this address")}
    assert in_html - in_text <= added


@every_kind
def test_values_are_escaped_and_stay_in_their_line_of_the_subject(kind):
    values = dict.fromkeys(VALUES, NASTY)
    shown = rendered(content_of(kind, values))
    assert "<script>" not in shown.html
    assert "49" not in re.sub(r"#[0-9a-f]+", "", shown.html)
    assert not {"\n", "\r"} & set(shown.subject)
    assert 0 < len(shown.subject) <= 160
    assert "your family" not in content_of(kind, VALUES).subject.lower()  # a mark of spam


@every_kind
def test_missing_value_is_an_error_and_not_a_gap(kind):
    needed = [name for name, is_needed in values_of(kind).items() if is_needed]
    for name in needed:
        for nothing in ({}, {name: ""}, {name: None}):
            given = {key: value for key, value in VALUES.items() if key != name} | nothing
            with pytest.raises(MissingValue, match=f"{kind}: {name}"):
                content_of(kind, given)
    assert content_of(kind, {name: VALUES[name] for name in needed}).lead


@every_kind
def test_text_message_is_short_plain_and_has_the_link_to_what_it_asks(kind):
    for next_step in interruptions.WHAT_NEXT.values():
        sms = content_of(kind, VALUES | {"what_next": next_step}).sms
        if kind not in KINDS or SMS not in kind_of(kind).channels:
            assert not sms
            continue
        assert "Gulfside Fuel" in sms
        assert GSM.fullmatch(sms)
        asks = re.search(r"[Cc]hoose|booking's page|another time|card:|Follow|[Pp]ay ", sms)
        assert bool(asks) <= ("http://localhost:3000/" in sms)
        assert len(sms) <= 306  # two segments


def test_failed_fill_says_its_fee_in_the_text_message_too():
    whole = VALUES | {
        "vehicle": "2022 Mercedes-Benz Sprinter 3500 Crew",
        "charge": "$15.00 late fee",
        "what_to_do": "Please book another time.",
    }
    for reason in REASONS.values():
        content = content_of("fill_failed", whole | {"reason": f"{reason.told}."})
        assert f": {reason.told}. Charge: $15.00 late fee. Please book another time. http" in (
            content.sms
        )
        assert len(content.sms) <= 306
        assert reason.told in content.lead
    free = content_of("fill_failed", whole | {"charge": NO_CHARGE})
    assert "Charge" not in free.sms
    assert ("Charge", "None") in free.facts


def test_cancellation_says_its_reason_and_the_way_to_another_time_in_the_text_message_too():
    when = {"when": "Tuesday, November 24, 2026, 10 AM–12 PM", "token": ""}  # noqa: RUF001
    sms = content_of("booking_cancelled", VALUES | when | {"reason": "Hurricane"}).sms
    assert sms == (
        "Gulfside Fuel: your fill-up on Tuesday, November 24, 2026, 10 AM-12 PM is cancelled: "
        "Hurricane. Charge: none. Book another time: http://localhost:3000/schedule "
        "Reply STOP to end."
    )
    own = content_of("booking_cancelled", VALUES | {"reason": ""}).sms
    assert "is cancelled. Charge: none. Book another time: http" in own
    ended = content_of("booking_cancelled", VALUES | {"reason": "We are sorry!"}).sms
    assert "is cancelled: We are sorry! Charge" in ended
    long = content_of("booking_cancelled", VALUES | when | {"reason": "Hurricane " * 20}).sms
    assert len(long) <= 306


def test_customer_whose_window_closes_reads_which_ones_are_free():
    content = content_of("window_closed", VALUES | {"reason": "Hurricane"})
    assert content.lead.endswith("8-10 AM. Hurricane")
    assert ("Next free windows", VALUES["windows"]) in content.facts
    assert [name for name, _ in content_of("window_closed", VALUES | {"windows": ""}).facts] == [
        "Vehicle"
    ]
    guest = content.button
    assert guest == Button("Choose another time", "/manage/the-token")


@pytest.mark.parametrize("kind", ["booking_confirmed", "booking_moved"])
@pytest.mark.parametrize(
    ("late_fee", "costs"), [("$15.00", "costs $15.00"), ("", "is free of charge")]
)
def test_time_until_which_a_change_was_free_is_not_promised_once_it_is_past(kind, late_fee, costs):
    past = VALUES | {"free_until": "", "late_fee": late_fee}
    content = content_of(kind, past)
    assert f"It is too late to move it. Cancelling it {costs}." in content.paragraphs
    assert "move" not in content.closing


def test_booking_that_need_not_wait_any_more_is_promised_only_with_a_technician():
    placed = content_of("on_again", VALUES)
    assert "we come as booked" in placed.lead
    when = "Thursday, March 5, 8-10 AM"
    waits = ": your fill-up need not wait any more: "
    assert placed.sms.endswith(f"{waits}we come as booked, {when}.")
    unplaced = content_of("on_again", VALUES | {"unplaced": "yes"})
    assert f"booked for {when} again" in unplaced.lead
    assert unplaced.sms.endswith(
        f"{waits}it is booked for {when} again. No technician is assigned to it yet: "
        "we are planning it."
    )
    for said in (unplaced.subject, unplaced.lead, unplaced.sms, *unplaced.paragraphs):
        assert "come as booked" not in said


def test_codes_of_text_messages_can_be_filled_in_by_the_browser():
    assert content_of("sms_code", VALUES).sms.endswith("\n@localhost:3000 #123456")


def test_unknown_kind_is_an_error():
    with pytest.raises(UnknownKind):
        content_of("no_such_kind", VALUES)


def test_area_opens_with_the_promise_of_the_free_fill_or_without():
    without = content_of("area_open", {"area": "Sarasota"})
    assert without.button == Button("Get started", "/onboarding")
    assert len(without.paragraphs) == 1
    capped = {"area": "Sarasota", "free_fill_cap": "$50"}
    assert "fuel up to $50" in content_of("area_open", capped).paragraphs[1]
    whole = content_of("area_open", capped | {"free_fill_whole": "yes"})
    assert "all the fuel" in whole.paragraphs[1]


def test_a_changed_password_leads_to_the_factors_that_stay():
    with_factors = content_of("password_changed", VALUES)
    assert VALUES["factors"] in with_factors.paragraphs[0]
    without = content_of("password_changed", VALUES | {"factors": ""})
    assert without.paragraphs == ()
    assert with_factors.button == without.button == Button("Review your security", "/security")


def test_hold_that_the_bank_wants_confirmed_leads_to_the_booking():
    says = {"booking": "b1", "when": "Monday", "vehicle": "Camry", "amount": "$61"}
    says |= {"reason": "Your bank wants you to confirm this payment.", "until": "6:30 AM"}
    found = content_of("hold_declined", says | {"confirm": "yes"})
    assert found.button == Button("Confirm payment", "/bookings/b1")
    assert "Confirm it or choose another card by 6:30 AM" in found.paragraphs[0]
    assert "by 6:30 AM" in found.sms


def test_declined_sum_of_several_cars_names_each_alone_and_leads_to_the_booking():
    says = {"booking": "b1", "when": "Monday", "vehicle": "Camry and Corolla", "amount": "$122"}
    says |= {"reason": "Your card has insufficient funds.", "until": "6:30 AM"}
    found = content_of("hold_declined", says | {"alone": "your Camry, GUL 1, for up to $61"})
    assert found.button == Button("View your booking", "/bookings/b1")
    assert "cancelled. Or book only your Camry, GUL 1, for up to $61." in found.paragraphs[0]
    assert "Choose another or fewer cars by 6:30 AM: " in found.sms
    assert "/bookings/b1 " in found.sms
    assert content_of("hold_declined", says).button == Button("Choose another card", "/billing")
