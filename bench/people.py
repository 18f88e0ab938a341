"""Generated leads with realistic distributions of names, domains and times.

The same parameters make the same leads on any machine.
"""

import math
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from fuel_app.areas.rules.places import ZIP_CODES
from fuel_app.leads import rules as leads
from fuel_app.quotes import rules as quotes_rules

LAST_DAY = datetime(2026, 11, 1, 12, tzinfo=UTC)  # before any run, so that new leads come later
YEARS = 3
TABLES = {
    "waitlist": "waitlist_submissions",
    "fleet": "fleet_quotes",
    "business": "business_quotes",
}

# Commonest first: the weights fall as 1/rank, as they do in any phone book.
FIRST_NAMES = """
James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard
Susan Joseph Jessica Thomas Karen Christopher Sarah Charles Lisa Daniel Nancy Matthew Sandra
Anthony Ashley Mark Emily Steven Kimberly Andrew Margaret Paul Donna Joshua Michelle Kenneth
Carol Kevin Amanda Brian Melissa Timothy Deborah Ronald Stephanie Jason Rebecca George Sharon
José María Luis Ana Carlos Sofía Jesús Lucía Andrés Inés Nguyen Mei Wei Aisha Omar Fatima Priya
Raj Chloé Zoë Renée Jürgen Søren Łukasz Siobhán D'Andre Mary-Jane
"""
LAST_NAMES = """
Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez
Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris
Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill
Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gómez Phillips
Evans Turner Díaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers
Gutiérrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson
Watson Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes Price Álvarez Castillo Sanders
Patel Myers Long Ross Foster Jiménez O'Brien O'Neill McDonald Van-Buren Núñez Müller Åkesson
Quackenbush Featherstonehaugh Wojciechowski Xiong Yturralde Zuckerberg
"""
DOMAINS = """
gmail.com yahoo.com outlook.com hotmail.com icloud.com aol.com comcast.net verizon.net proton.me
example.com suncoastmail.net gulfcoast.org
"""
AREA_CODES = (941, 813, 727, 239, 305, 212, 917, 614)
TRADES = """
Plumbing Landscaping Roofing Electric Logistics Pools Cleaning Marine Dental Catering Builders
Transport Realty Security Media
"""
STATUSES = (*zip(leads.STATUSES, (62, 25, 8, 5), strict=True),)
SOURCES = (*zip(leads.SOURCES, (45, 40, 7, 5, 3), strict=True),)
ZIPS = " ".join(str(code) for codes in ZIP_CODES.values() for code in codes)


@dataclass(frozen=True)
class Sizes:
    """Numbers of leads by type."""

    waitlist: int
    fleet: int = 0
    business: int = 0


def made(sizes: Sizes) -> Iterator[tuple[leads.LeadType, dict[str, Any]]]:
    """Yield every lead with its type and the columns of that type's table, oldest first."""
    chance = random.Random(1)
    counts: dict[leads.LeadType, int] = {
        "waitlist": sizes.waitlist,
        "fleet": sizes.fleet,
        "business": sizes.business,
    }
    types: list[leads.LeadType] = [kind for kind, count in counts.items() for _ in range(count)]
    chance.shuffle(types)
    # A growing business: twice the time, four times the leads.
    times = sorted(math.sqrt(chance.random()) for _ in types)
    for number, (kind, share) in enumerate(zip(types, times, strict=True)):
        moment = LAST_DAY - timedelta(days=365 * YEARS * (1 - share))
        row = _person(chance, number, moment)
        yield kind, row if kind == "waitlist" else _quote(chance, kind, row)


class _Zipf:
    """Values of which the first are the most frequent."""

    def __init__(self, values: str) -> None:
        self.values = values.split()
        self.weights = list(accumulate(1 / rank for rank in range(1, len(self.values) + 1)))

    def pick(self, chance: random.Random) -> str:
        return chance.choices(self.values, cum_weights=self.weights)[0]


_FIRST, _LAST, _DOMAIN = _Zipf(FIRST_NAMES), _Zipf(LAST_NAMES), _Zipf(DOMAINS)
_ZIP, _TRADE = _Zipf(ZIPS), _Zipf(TRADES)


def _weighted(chance: random.Random, options: tuple[tuple[str, int], ...]) -> str:
    return chance.choices([o for o, _ in options], [weight for _, weight in options])[0]


def id_at(moment: datetime, chance: random.Random) -> str:
    """Return the id of a row created at that moment (UUID version 7)."""
    milliseconds = int(moment.timestamp() * 1000)
    low = 0b10 << 62 | chance.getrandbits(62)
    return str(uuid.UUID(int=milliseconds << 80 | 7 << 76 | chance.getrandbits(12) << 64 | low))


def _address(first: str, last: str, number: int, domain: str) -> str:
    plain = leads.fold(f"{first}.{last}".translate({39: None}))
    return f"{plain}{number}@{domain}".encode("ascii", "ignore").decode()


def _person(chance: random.Random, number: int, moment: datetime) -> dict[str, Any]:
    first, last = _FIRST.pick(chance), _LAST.pick(chance)
    area = AREA_CODES[min(int(chance.expovariate(1.2)), len(AREA_CODES) - 1)]
    return {
        "id": id_at(moment, chance),
        "status": _weighted(chance, STATUSES),
        "lead_source": _weighted(chance, SOURCES),
        "created_at": moment,
        "first_name": first,
        "last_name": last,
        "email": _address(first, last, number, _DOMAIN.pick(chance)),
        "phone_number": f"{area}{chance.randrange(2_000_000, 10_000_000)}",
        "zip_code": _ZIP.pick(chance),
    }


def _quote(chance: random.Random, kind: str, person: dict[str, Any]) -> dict[str, Any]:
    """Return a quote request of this person."""
    company = f"{_LAST.pick(chance)} {_TRADE.pick(chance)} {chance.choice(('LLC', 'Inc', 'Co'))}"
    street = f"{chance.randrange(1, 9999)} Main St"
    shared = {name: person[name] for name in ("id", "status", "lead_source", "created_at")} | {
        "company_name": company,
        "contact_name": f"{person['first_name']} {person['last_name']}",
        "email": person["email"],
        "phone": person["phone_number"],
        "service_location": f"{street}, Sarasota, FL {person['zip_code']}",
        "notes": "",
    }
    if kind == "fleet":
        return shared | {
            "vehicle_count": chance.randrange(2, 80),
            "fuel_types": chance.choice((["gasoline"], ["diesel"], ["gasoline", "diesel"])),
            "fill_frequency": chance.choice(quotes_rules.FILL_FREQUENCIES),
            "estimated_fuel_amount": chance.randrange(50, 2000) / 10,
        }
    own = {
        "employee_count": chance.randrange(5, 500),
        "industry": chance.choice(quotes_rules.INDUSTRIES),
    }
    return shared | own
