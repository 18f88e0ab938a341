"""Kinds of messages, the nine switches, and quiet hours, also on days when the clocks change."""

from dataclasses import asdict
from datetime import datetime

import pytest

from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.outbox import CHANNELS
from fuel_app.messages.rules.content import values_of
from fuel_app.messages.rules.kinds import (
    GROUPS,
    KINDS,
    NotificationSettings,
    UnknownKind,
    is_quiet,
    kind_of,
    send_at,
    title,
)

DEFAULTS = asdict(NotificationSettings())


def test_secrets_of_each_kind_are_values_of_its_text():
    for name, kind in KINDS.items():
        assert set(kind.channels) <= set(CHANNELS)
        assert (
            set(kind.secrets)
            == {"code", "token", "tracking", "skip", "answer"} & values_of(name).keys()
        )
    assert (title("booking_confirmed"), title("sms_code")) == ("Booking confirmed", "SMS code")
    with pytest.raises(UnknownKind):
        kind_of("no_such_kind")


def test_what_is_about_money_security_or_safety_is_always_mailed():
    optional = {name for name, kind in KINDS.items() if not kind.always}
    assert optional == {
        "on_the_way",
        "arrival_moved",
        "arrived",
        "tier_reached",
        "waitlist_welcome",
        "day_before",
        "hour_before",
        "fill_reminder",
        "place_open",
        "area_open",
        "newsletter",
        "offer",
        "route_changed",  # never mailed
    }


def test_a_toggle_turns_over_one_setting_and_no_other():
    for name, is_on in DEFAULTS.items():
        assert asdict(NotificationSettings().toggled(name)) == DEFAULTS | {name: not is_on}
    for unknown in ("", "toggled", "__class__", None, [], {"sms": True}):
        assert NotificationSettings().toggled(unknown) == NotificationSettings()


def test_the_screen_shows_every_setting_once_service_messages_and_mail_are_on():
    assert [name for entries in GROUPS.values() for name, _, _ in entries] == list(DEFAULTS)
    on = {name for name, is_on in DEFAULTS.items() if is_on}
    assert on == {"fill_reminder", "day_before", "hour_before", "completion", "email"}


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


@pytest.mark.parametrize(
    ("moment", "quiet"),
    [
        ("2026-03-02T07:59", True),
        ("2026-03-02T08:00", False),
        ("2026-03-02T19:59", False),
        ("2026-03-02T20:00", True),
        ("2026-03-08T03:00", True),  # an hour after the clocks went forward
        ("2026-11-01T01:30", True),
    ],
)
def test_quiet_hours(moment, quiet):
    assert is_quiet(local(moment)) is quiet


@pytest.mark.parametrize(
    ("kind", "wanted", "now", "at"),
    [
        # A reminder goes before the quiet hours,
        ("hour_before", "2026-03-05T07:00", "2026-03-04T12:00", "2026-03-04T19:30"),
        ("day_before", "2026-03-04T21:00", "2026-03-04T12:00", "2026-03-04T19:30"),
        ("day_before", "2026-03-05T00:00", "2026-03-04T12:00", "2026-03-04T19:30"),
        # at once if that time has passed but the quiet hours have not begun,
        ("hour_before", "2026-03-05T07:00", "2026-03-04T19:45", "2026-03-04T19:45"),
        # and in the morning if they have.
        ("hour_before", "2026-03-05T07:00", "2026-03-04T22:00", "2026-03-05T08:00"),
        ("hour_before", "2026-03-05T07:00", "2026-03-05T06:00", "2026-03-05T08:00"),
        ("hour_before", "2026-03-05T09:00", "2026-03-04T12:00", "2026-03-05T09:00"),
        # The clocks go forward on March 8th and back on November 1st.
        ("hour_before", "2026-03-08T07:00", "2026-03-07T12:00", "2026-03-07T19:30"),
        ("area_open", "2026-03-07T23:00", "2026-03-07T23:00", "2026-03-08T08:00"),
        ("area_open", "2026-11-01T01:30", "2026-11-01T01:30", "2026-11-01T08:00"),
        # Others wait for the morning, or go at once.
        ("area_open", "2026-03-04T20:00", "2026-03-04T20:00", "2026-03-05T08:00"),
        ("area_open", "2026-03-04T06:00", "2026-03-04T06:00", "2026-03-04T08:00"),
        ("area_open", "2026-03-04T12:00", "2026-03-04T13:00", "2026-03-04T13:00"),
        ("on_the_way", "2026-03-04T21:00", "2026-03-04T21:00", "2026-03-04T21:00"),
        ("verify", "2026-03-04T03:00", "2026-03-04T03:00", "2026-03-04T03:00"),
    ],
)
def test_message_goes_outside_of_the_quiet_hours(kind, wanted, now, at):
    assert send_at(kind, local(wanted), local(now)) == local(at)
