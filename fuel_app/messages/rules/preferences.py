"""The nine switches: which messages a person gets, and by which channel."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class NotificationSettings:
    """A customer's chosen messages and channels; the defaults hold until they change one."""

    fill_reminder: bool = True
    day_before: bool = True
    hour_before: bool = True
    completion: bool = True
    marketing: bool = False
    newsletter: bool = False
    sms: bool = False  # waits for a consent
    email: bool = True
    push: bool = False

    def toggled(self, name: object) -> Self:
        """Return a copy with one setting toggled; ignore an unknown name."""
        known = {field.name for field in fields(self)}
        if not isinstance(name, str) or name not in known:
            return self
        return replace(self, **{name: not getattr(self, name)})


COMING_LATER = ("fill_reminder", "marketing", "newsletter", "push")  # nothing sends them yet

# Each group as the screen shows it: field, label, what it means.
GROUPS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "Service Notifications": (
        ("fill_reminder", "Fill-up Reminders", "When it is time to book your next fill-up"),
        ("day_before", "Day Before Service", "The day before a technician comes"),
        ("hour_before", "Hour Before Service", "An hour before a technician comes"),
        ("completion", "Service Completion", "As soon as your tank is full"),
    ),
    "Marketing Preferences": (
        ("marketing", "Special Offers", "Discounts on plans and fills"),
        ("newsletter", "Newsletter", "News from us"),
    ),
    "Notification Channels": (
        ("sms", "SMS", "Text messages to your phone"),
        ("email", "Email", "Messages to your e-mail address"),
        ("push", "Push", "Notifications on your devices"),
    ),
}
