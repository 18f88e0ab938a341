"""Leads of the demo: people who wait, neighborhoods, companies that ask for a quote."""

from datetime import timedelta
from functools import partial
from random import Random

from demo.clockwork import Days
from demo.company import Company
from demo.people import MAILBOXES, Customer, a_name
from fuel_app.joining import service as joining
from fuel_app.kit.clock import day_of
from fuel_app.leads.rules import Change
from fuel_app.quotes import service as quotes
from fuel_app.quotes.rules import FILL_FREQUENCIES, INDUSTRIES, BusinessQuote, FleetQuote
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.desk import QuoteNote
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
_LATELY = (6, 5.2, 4.1, 4, 3.2, 2.1, 1.2, 0.05)  # days ago, of the first quotes
_UNANSWERED = (3, 7)  # one is overdue, one has just come
_SETTLED_AFTER = timedelta(days=9)
_LOST = ("price", "supplier", "silent", "timing")
_NEXT_STEPS = (
    "Call back about the price",
    "Send the sheet of our hours",
    "Look at the lot together",
    "Ask which vehicles take diesel",
)
_SAID = (
    (
        {"what": "call message", "text": ""},
        {"what": "call reached", "text": "Vans are back by 6 PM. Wants a price for 12 weeks."},
    ),
    ({"what": "call reached", "text": "Compares us with a card at the pump. Liked the reports."},),
    (
        {"what": "mail", "text": "Sent what we need: vehicles, plates, where they stand at night."},
        {"what": "note", "text": "The lot is behind a gate; ask for the code."},
    ),
)


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


def ask_for_quotes(days: Days, company: Company, count: int) -> None:
    """Let companies ask for quotes, through all the days, and the office answer them."""
    chance = days.chance
    for number in range(count):
        asking = _COMPANIES[number % len(_COMPANIES)]
        first_name, last_name = a_name(chance)
        domain = asking.lower().replace(" ", "")
        typed = {
            "company_name": asking,
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
        if number < len(_LATELY):
            ahead = days.ends - days.now - timedelta(days=_LATELY[number])
        days.at(days.now + ahead, partial(_ask, days, company, quote, number))


async def _ask(
    days: Days, company: Company, quote: FleetQuote | BusinessQuote, number: int
) -> None:
    quote_id = await quotes.request(quote, address=HERE)
    if number not in _UNANSWERED:
        days.later(partial(_answer, days, company, quote_id, number), hours=5)


async def _answer(days: Days, company: Company, quote_id: str, number: int) -> None:
    """Call, and plan what comes next; what came weeks ago is settled."""
    by = (company.dispatcher, company.admin)[number % 2]
    changes = [Change.owner(by.person_id), Change.status("Contacted")]
    if days.ends - days.now > _SETTLED_AFTER:
        lost = Change.lost(_LOST[number % len(_LOST)], "")
        changes.append(Change.status("Closed Won") if number % 3 == 0 else lost)
    elif number < len(_LATELY):
        due = day_of(days.ends) + timedelta(days=number - 3)
        changes.append(Change.planned(_NEXT_STEPS[number % len(_NEXT_STEPS)], due))
    for said in _SAID[number % len(_SAID)]:
        await submissions.add_note(quote_id, QuoteNote.parse(said), actor=by)
    for seen, change in enumerate(changes):
        await submissions.change_lead(quote_id, seen, change, actor=by)
