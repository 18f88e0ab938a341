"""Calendar files (RFC 5545): an entry that a later file moves or cancels in its place."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from icalendar import Alarm, Calendar, Event, vCalAddress

from fuel_app.kit import clock
from fuel_app.settings import settings

FILE_NAME = "booking.ics"
REQUEST, CANCEL = "REQUEST", "CANCEL"
_REMINDER = timedelta(hours=-1)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Calendars know it again by its id, and the newer one by its revision."""

    id: str
    revision: int
    starts_at: datetime
    ends_at: datetime
    title: str
    place: str
    address: str  # of its page
    attendee: str = ""  # an e-mail address
    is_cancelled: bool = False

    @property
    def method(self) -> str:
        return CANCEL if self.is_cancelled else REQUEST


def calendar_file(entry: Entry) -> bytes:
    """Return the file of an entry. Its times are in UTC, which every calendar knows."""
    event = Event()
    event.add("uid", f"{entry.id}@{urlsplit(settings.public_url).hostname}")
    event.add("sequence", entry.revision)
    event.add("dtstamp", clock.now())
    event.add("dtstart", entry.starts_at)
    event.add("dtend", entry.ends_at)
    event.add("summary", entry.title)
    event.add("location", entry.place)
    event.add("url", entry.address)
    event.add("status", "CANCELLED" if entry.is_cancelled else "CONFIRMED")
    organizer = vCalAddress(f"mailto:{settings.sender}")
    organizer.params["CN"] = settings.brand_name
    event.add("organizer", organizer)
    if entry.attendee:
        attendee = vCalAddress(f"mailto:{entry.attendee}")
        attendee.params |= {"PARTSTAT": "ACCEPTED", "RSVP": "FALSE"}
        event.add("attendee", attendee)
    if not entry.is_cancelled:
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", entry.title)
        alarm.add("trigger", _REMINDER)
        event.add_component(alarm)
    file = Calendar()
    file.add("prodid", f"-//{settings.brand_name}//Bookings//EN")
    file.add("version", "2.0")
    file.add("method", entry.method)
    file.add_component(event)
    return file.to_ical()
