"""Valid terms, and proposals on their way; a test names only what differs."""

import re
from datetime import timedelta
from typing import Any

from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Purpose, Role
from fuel_app.areas.tables import StoredPrice
from fuel_app.companies.tables import Company, CompanyInvitation, StoredSite
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.messages.rules.kinds import OFFERED
from fuel_app.proposals.rules.documents import Acceptance
from fuel_app.proposals.service import drafts, offers
from fuel_app.proposals.tables import StoredContact, StoredProposal
from fuel_app.quotes import service as quotes
from tests.factories import fleet_quote
from tests.helpers.open_area import ZIP, open_area
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person

HERE = "203.0.113.1"
DISPATCHER = Actor(frozenset({Role.DISPATCHER}), session_id="session")
ADMIN = Actor(frozenset({Role.ADMIN}), session_id="session")
ADA, GRACE = "ada@plumbers.example", "grace@plumbers.example"


def terms(**differs: Any) -> dict[str, Any]:
    """Return a draft's fields as the browser sends them."""
    typed: dict[str, Any] = {
        "company_name": "Analytical Plumbers",
        "legal_name": "Analytical Plumbers, LLC",
        "contacts": f"Ada Lovelace <{ADA}>\nGrace Hopper <{GRACE}>",
        "billing_email": "bills@plumbers.example",
        "sites": f"Main yard: 100 Main St, Sarasota {ZIP}\nNorth lot: 2 Oak, Bradenton, FL 34205",
        "products": ["regular", "diesel"],
        "vehicle_count": "9",
        "gallons": "14.5",
        "frequency": "weekly",
        "weekdays": ["mon"],
        "opens": "20:00",
        "closes": "05:00",
        "basis": "area",
        "offset": "0.24",
        "floor": "",
        "cap": "",
        "fixed": "",
        "source": "",
        "visit_fee": "25",
        "vehicle_fee": "",
        "minimum_gallons": "",
        "payment": "net_15",
        "invoice_cycle": "week",
        "po_required": "on",
        "valid_until": (clock.day_of(clock.now()) + timedelta(days=30)).isoformat(),
        "notes": "Gate code on the phone.",
    }
    return typed | differs


def acceptance(code: str = "000000", **differs: Any) -> Acceptance:
    typed = {
        "code": code,
        "name": "Ada Lovelace",
        "title": "Fleet manager",
        "binds": "on",
        "consents": "on",
        "signature": "ada  lovelace",
    }
    return Acceptance.parse(typed | differs)


async def an_area(cost: int | None = 2_900) -> None:
    """Open the area of the first site, with prices and what a gallon costs us."""
    area_id = await open_area(ZIP)
    async with transaction() as session:
        for grade in ("regular", "diesel"):
            session.add(
                StoredPrice(
                    area_id=area_id,
                    grade=grade,
                    mills=3_300,
                    cost_mills=cost,
                    effective_at=clock.now() - timedelta(days=1),
                    source="test",
                    set_by="system",
                )
            )


async def a_lead(**differs: Any) -> str:
    return await quotes.request(fleet_quote(**differs), address=HERE)


async def a_draft(actor: Actor = DISPATCHER, **differs: Any) -> str:
    """Begin a draft from a quote and fill it in. Return its id; its revision is 1."""
    proposal_id = await drafts.begin(await a_lead(), actor=actor)
    assert await drafts.save(proposal_id, 0, terms(**differs), actor=actor) == 1
    return proposal_id


async def sent(actor: Actor = DISPATCHER, **differs: Any) -> str:
    """Send a proposal. Return its id."""
    proposal_id = await a_draft(actor, **differs)
    await offers.send(proposal_id, 1, actor=actor, reason="A test")
    return proposal_id


async def next_version(proposal_id: str, **differs: Any) -> str:
    """Make and send a new version. Return its id."""
    newer = await drafts.revise(proposal_id, actor=ADMIN)
    await drafts.save(newer, 0, terms(**differs), actor=ADMIN)
    await offers.send(newer, 1, actor=ADMIN, reason="A test")
    return newer


async def stored(proposal_id: str) -> StoredProposal:
    return (await rows(StoredProposal, id=proposal_id))[0]


async def link(proposal_id: str, email: str = ADA) -> str:
    """Return the token of a contact's link."""
    (contact,) = await rows(StoredContact, proposal_id=proposal_id, email=email)
    return secrets.token(OFFERED, contact.id)


async def code_of(proposal_id: str, email: str = ADA) -> str:
    """Have a code sent to a contact. Return it."""
    assert await offers.send_code(await link(proposal_id, email), HERE) == email
    (contact,) = await rows(StoredContact, proposal_id=proposal_id, email=email)
    return secrets.code(Purpose.PROPOSAL, contact.challenge_id)


async def passes(proposal_id: str, days: int) -> None:
    """Let days pass for a proposal that was sent."""
    this = update(StoredProposal).where(col(StoredProposal.id) == proposal_id)
    async with transaction() as session:
        row = await session.get_one(StoredProposal, proposal_id)
        await session.execute(this.values(valid_until=row.valid_until - timedelta(days=days)))


async def a_dispatcher() -> Actor:
    """Return a dispatcher with a name."""
    person = await a_person(Role.DISPATCHER, first_name="Joan", last_name="Clarke")
    return Actor(frozenset({Role.DISPATCHER}), person_id=person, session_id="session")


async def founded() -> tuple[int, int, int]:
    """Return how many companies, sites and invitations there are."""
    counts = [len(await rows(each)) for each in (Company, StoredSite, CompanyInvitation)]
    return counts[0], counts[1], counts[2]


def words_of(text: str) -> str:
    """Return a text in one line."""
    return re.sub(r"\s+", " ", text)
