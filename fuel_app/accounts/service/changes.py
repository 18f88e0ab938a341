"""The audit log of one person, as the staff read it."""

from fuel_app.accounts.queries.login_history import NOUN
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.rules.changes import PersonChange, worded, worded_kind
from fuel_app.accounts.service import directory
from fuel_app.kit import audit, clock
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id

SHOWN = 100


async def of_person(actor: Actor, person_id: object) -> list[PersonChange]:
    """Return the last entries about a person, newest first."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        found = await audit.history(session, NOUN, well_formed_id(person_id) or "", limit=SHOWN)
    who = await directory.names(entry.actor for entry in found)
    return [
        PersonChange(
            what=worded_kind(entry.kind),
            before=worded(entry.before),
            after=worded(entry.after),
            who=who[entry.actor],
            when=clock.date_and_time(entry.at),
        )
        for entry in found
    ]
