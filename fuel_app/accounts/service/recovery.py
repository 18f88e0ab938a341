"""Recovery codes: each replaces a second factor once. Only their keyed hashes are stored."""

from fuel_app.accounts.queries import factors as stored
from fuel_app.accounts.queries import login_history
from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.factors import NoFactor, new_recovery_codes, proved_person
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service import factors
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction


async def new_codes(by: Session, visitor: Visitor) -> tuple[str, ...]:
    """Make ten codes, which replace all earlier ones. They are shown once.

    Raises:
        NotAllowed, NotProved: As `proved_person` says.
        NoFactor: If no second factor is on.
    """
    person_id = proved_person(by, clock.now())
    codes = new_recovery_codes()
    async with transaction() as session:
        person = await factors.owner(session, by)
        if not await factors.methods_of(session, person):
            raise NoFactor
        hashes = [factors.recovery_hash(person_id, code) for code in codes]
        await stored.replace_recovery_codes(session, person_id, hashes)
        await factors.tell(session, by, login_history.RECOVERY_CODES, "New recovery codes", visitor)
    return codes
