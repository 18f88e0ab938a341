"""Waves of invitations: so many people of an area a day, neighborhoods first."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from fuel_app.kit.errors import Refusal

RUNNING, PAUSED = STATES = ("running", "paused")
MESSAGE = "area_open"  # the kind of message
JOB = "launch.invite"


class Step(NamedTuple):
    """A step of an area's waves; before the first one they have no state."""

    before: str | None
    after: str


STEPS: Mapping[str, Step] = {
    "start": Step(None, RUNNING),
    "pause": Step(RUNNING, PAUSED),
    "resume": Step(PAUSED, RUNNING),
}


class WavesChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Somebody else has changed these waves meanwhile. You now see the newer state."


class AreaNotOpen(Refusal):
    message = "Only the waitlist of an open area is invited. Open the area first."


@dataclass(frozen=True, slots=True)
class OpenArea:
    """An area whose waves run; it was opened at a moment."""

    id: str
    name: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A submission to invite."""

    id: str
    email: str
    joined_at: datetime
    whole_fill: bool  # joined before the cap of the free first fill was shown

    def payload(self, area: OpenArea, cap: str) -> dict[str, str]:
        """Return what the message says; a free fill is for those who joined before the opening."""
        said = {"submission": self.id, "area": area.name}
        if self.joined_at >= area.opened_at:
            return said
        return said | ({"free_fill_whole": "yes"} if self.whole_fill else {"free_fill_cap": cap})


def forecast(waiting: int, per_day: int) -> str:
    """'1,240 waiting, about 13 days at 100 a day'."""
    if not waiting:
        return "Nobody is waiting for an invitation"
    days = -(-waiting // per_day)
    return f"{waiting:,} waiting, about {days:,} day{'' if days == 1 else 's'} at {per_day:,} a day"
