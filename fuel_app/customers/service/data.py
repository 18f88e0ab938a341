"""A person's own data, gathered from all that hold some."""

import json
from typing import Any

from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.security import require_proof
from fuel_app.accounts.service import account as accounts_data
from fuel_app.customers import queries
from fuel_app.customers.tables import StoredAddress, StoredVehicle
from fuel_app.kit import clock, holders
from fuel_app.kit.db.session import reading
from fuel_app.messages import service as messages
from fuel_app.plans.service import subscriptions as plans
from fuel_app.waitlist import queries as waitlist


async def download(by: Session) -> str:
    """Return the data of the person of this session as JSON, without secrets.

    Raises:
        NotAllowed, NotProved: As `proved_person` says.
    """
    person_id = require_proof(by, clock.now())
    async with reading() as session:
        customer = await queries.find(session, person_id)
        gathered: dict[str, Any] = await accounts_data.export(session, person_id)
        gathered["customer"] = customer.model_dump(exclude={"person_id"}) if customer else None
        entry_id = customer.submission_id if customer else None
        entry = await waitlist.find(session, entry_id) if entry_id else None
        gathered["waitlist_entry"] = entry.model_dump(exclude={"resume_hash"}) if entry else None
        vehicles = await queries.rows_of(session, StoredVehicle, person_id)
        addresses = await queries.rows_of(session, StoredAddress, person_id)
        gathered["vehicles"] = [row.model_dump(exclude={"person_id"}) for row in vehicles]
        gathered["addresses"] = [row.model_dump(exclude={"person_id"}) for row in addresses]
        gathered["staff_notes"] = [
            {"text": each.text, "created_at": each.created_at}
            for each in reversed(await queries.list_notes(session, person_id))
        ]
        gathered |= await plans.export_person(session, person_id)
        gathered |= await messages.export_person(session, person_id)
        for each in holders.HOLDERS:
            gathered |= await each.data_of(session, person_id)
    return json.dumps(gathered, default=str, ensure_ascii=False, indent=2)
