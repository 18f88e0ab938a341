"""How often one network address may do a thing before it has to wait."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowance:
    """`times` uses in any span of `minutes`."""

    action: str
    times: int
    minutes: int


JOINS = Allowance("join", 30, 60)  # a household or an office, not a script
STAFF_LOGINS = Allowance("staff-login", 5, 15)
QUOTES = Allowance("quote", 10, 60)
SUGGESTIONS = Allowance("suggest", 300, 1)  # an office that types at once
PHOTOS = Allowance("photo", 60, 60)  # a household that cannot decide on a picture
ROUTES = Allowance("route", 60, 1)  # somebody who drags stops about; each may cost money
