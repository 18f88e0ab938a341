"""The nine switches."""

from dataclasses import asdict

import pytest

from fuel_app.messages.rules.kinds import GROUPS, NotificationSettings

NAMES = list(asdict(NotificationSettings()))


@pytest.mark.parametrize("name", NAMES)
def test_a_toggle_turns_over_one_setting_and_no_other(name):
    before = asdict(NotificationSettings())
    assert asdict(NotificationSettings().toggled(name)) == before | {name: not before[name]}


@pytest.mark.parametrize("name", ["", "toggled", "__class__", None, 3, [], {"sms": True}])
def test_an_unknown_name_changes_nothing(name):
    assert NotificationSettings().toggled(name) == NotificationSettings()


def test_the_screen_shows_every_setting_once():
    assert [field for entries in GROUPS.values() for field, _label, _text in entries] == NAMES


def test_service_messages_and_mail_are_on_from_the_start():
    on = {name for name, is_on in asdict(NotificationSettings()).items() if is_on}
    assert on == {"fill_reminder", "day_before", "hour_before", "completion", "email"}
