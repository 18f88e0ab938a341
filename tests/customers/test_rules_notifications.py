"""Messages and channels, each turned on or off alone."""

from dataclasses import asdict

import pytest

from fuel_app.customers.rules.notifications import GROUPS, NotificationSettings

NAMES = list(asdict(NotificationSettings()))


@pytest.mark.parametrize("name", NAMES)
def test_a_toggle_turns_over_one_setting_and_no_other(name):
    before = asdict(NotificationSettings())
    assert asdict(NotificationSettings().toggled(name)) == before | {name: not before[name]}


@pytest.mark.parametrize("name", ["", "toggled", "__class__", None, 3, [], {"sms": True}])
def test_an_unknown_name_changes_nothing(name):
    assert NotificationSettings().toggled(name) == NotificationSettings()


def test_the_screen_shows_every_setting_once_by_its_specified_name():
    shown = [(field, label) for group in GROUPS.values() for field, label, _ in group]
    assert [field for field, _ in shown] == NAMES
    assert [label for _, label in shown] == [
        "Fill-up Reminders",
        "Day Before Service",
        "Hour Before Service",
        "Service Completion",
        "Special Offers",
        "Newsletter",
        "SMS",
        "Email",
        "Push",
    ]
    assert list(GROUPS) == [
        "Service Notifications",
        "Marketing Preferences",
        "Notification Channels",
    ]
