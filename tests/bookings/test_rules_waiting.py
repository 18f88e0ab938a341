"""Which of the seats that are held for a customer is shown."""

from datetime import timedelta

from fuel_app.bookings.rules.waiting import OwnWaits, SeatOffer
from tests.helpers.bookings import NOW


def test_offer_of_the_asked_window_is_shown_or_else_the_last_one():
    last, first = (SeatOffer(each, f"hold-{each}", NOW) for each in ("last", "first"))
    own = OwnWaits(may_wait=True, offers=(last, first))
    assert own.offer("first") == first
    assert own.offer("") == own.offer("another") == last
    assert OwnWaits(may_wait=True).offer("first") is None
    assert SeatOffer("", "", NOW + timedelta(minutes=15)).ends == "10:15 AM"
