"""Leads of the demo: people who wait, neighborhoods, companies that ask for a quote."""

from functools import partial
from random import Random

from demo.clockwork import Days
from demo.people import MAILBOXES, Customer, a_name
from fuel_app.joining import service as joining
from fuel_app.quotes import service as quotes
from fuel_app.quotes.rules import FILL_FREQUENCIES, INDUSTRIES, BusinessQuote, FleetQuote
from fuel_app.waitlist import service as waitlist
from fuel_app.waitlist.rules import WaitlistEntry

# Where we do not drive yet, with how many wait there of a hundred.
WAITING = {
    "34202": 16, "34211": 15, "34240": 9, "34212": 8, "34219": 8, "34221": 7, "34285": 7,
    "34292": 6, "34293": 9, "34275": 6, "34286": 5, "34287": 4,
}  # fmt: skip
NEIGHBORHOODS = (
    *(("Gulf Gate Estates", "34231"), ("Arlington Park", "34239"), ("Palmer Ranch", "34238")),
    *(("Sarasota Springs", "34232"), ("Laurel Park", "34236"), ("Bent Tree", "34233")),
    *(("Palma Sola Park", "34209"), ("Village of the Arts", "34205")),
    *(("Bayshore Gardens", "34207"), ("Wares Creek", "34205"), ("Northwest", "34209")),
    *(("Braden Woods", "34202"), ("Country Club East", "34202"), ("Indigo", "34211")),
    *(("Polo Run", "34211"), ("Wellen Park", "34293"), ("Venetian Bay", "34285")),
)  # fmt: skip
_COMPANIES = (
    "Suncoast Plumbing", "Gulf Breeze Landscaping", "Bayfront Electric", "Siesta Pool Care",
    "Manatee Roofing", "Coastal Couriers", "Osprey HVAC", "Palm Avenue Dental", "Ringling Catering",
    "Anna Maria Marine", "Lakewood Realty Group", "Tamiami Builders", "Cortez Fish Market",
    "Sunshine Home Health", "Bay Area Movers", "Myakka Farm Supply",
)  # fmt: skip
HERE = "203.0.113.9"


class Leads:
    """What is known of the leads so far."""

    def __init__(self, days: Days) -> None:
        self._days = days
        self.neighborhoods: dict[str, str] = {}  # ids by name
        self._members: dict[str, list[str]] = {}  # names by ZIP
        for name, zip_code in NEIGHBORHOODS:
            self._members.setdefault(zip_code, []).append(name)

    async def join(self, entry: dict[str, str], *, joins: bool = True) -> None:
        """Join the waitlist and, if there is one, a neighborhood of the ZIP."""
        joined = await waitlist.join(WaitlistEntry.parse(entry), referrer="", address=HERE)
        names = self._members.get(entry["zip_code"], [])
        if not names or not joins:
            return
        name = self._days.chance.choice(names)
        if name in self.neighborhoods:
            await joining.join(joined, self.neighborhoods[name])
        else:
            made = await joining.create(joined, name, entry["zip_code"])
            self.neighborhoods[name] = made.id

    def neighborhood_in(self, chance: Random, zip_code: str) -> str:
        """Return the id of a neighborhood of a ZIP that there is by now; '' for none."""
        known = [n for n in self._members.get(zip_code, []) if n in self.neighborhoods]
        return self.neighborhoods[chance.choice(known)] if known else ""


def entry_of(who: Customer) -> dict[str, str]:
    return who.contact | {"phone_number": who.phone}


def a_lead(chance: Random, number: int, zip_code: str) -> dict[str, str]:
    first_name, last_name = a_name(chance)
    mailbox = MAILBOXES[number % len(MAILBOXES)]
    return {
        "first_name": first_name,
        "last_name": last_name,
        "email": f"{first_name}.{last_name}.{number}@{mailbox}".lower(),
        "phone_number": f"94155{50_000 + number}",
        "zip_code": zip_code,
    }


def ask_for_quotes(days: Days, count: int) -> None:
    """Let companies ask for quotes, through all the days."""
    chance = days.chance
    for number in range(count):
        company = _COMPANIES[number % len(_COMPANIES)]
        first_name, last_name = a_name(chance)
        domain = company.lower().replace(" ", "")
        typed = {
            "company_name": company,
            "contact_name": f"{first_name} {last_name}",
            "email": f"{first_name}@{domain}.example".lower(),
            "phone": f"(941) 555-0{200 + number}",
            "service_location": f"{chance.choice(('Sarasota', 'Bradenton'))}, FL",
            "notes": chance.choice(("", "Please call in the morning.", "We park at one lot.")),
        }
        if number % 3:
            vehicles = chance.randint(3, 28)
            quote: FleetQuote | BusinessQuote = FleetQuote.parse(
                typed
                | {
                    "vehicle_count": str(vehicles),
                    "fuel_types": ["gasoline", "diesel"][: chance.randint(1, 2)],
                    "fill_frequency": chance.choice(FILL_FREQUENCIES),
                    "estimated_fuel_amount": str(vehicles * chance.randint(12, 24)),
                }
            )
        else:
            employees = {"employee_count": str(chance.randint(12, 140))}
            quote = BusinessQuote.parse(typed | employees | {"industry": chance.choice(INDUSTRIES)})
        ahead = (days.ends - days.now) * chance.random()
        days.at(days.now + ahead, partial(quotes.request, quote, address=HERE))
