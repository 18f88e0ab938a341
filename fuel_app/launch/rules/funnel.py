"""The funnel of invitations: invited, signed up, first fill."""

from dataclasses import dataclass

DAYS_SHOWN = 30  # wave days, of all areas
NEIGHBORHOODS_SHOWN = 50  # the ones with most invitations


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """One line of the funnel; rates are whole percents of the invited."""

    name: str
    invited: int
    signed_up: int
    filled: int
    signed_up_rate: int
    filled_rate: int


@dataclass(frozen=True, slots=True)
class Funnel:
    areas: tuple[FunnelLine, ...] = ()
    days: tuple[FunnelLine, ...] = ()
    neighborhoods: tuple[FunnelLine, ...] = ()
