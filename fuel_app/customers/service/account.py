"""The accounts that customers' screens show: whose it is, and the samples of the preview.

While nothing is open it is the sample customer in the visitor's own tab; afterwards a signed-in
person's own account in the database; see docs/decisions/preview.md.
"""

from fuel_app.accounts.rules import Session
from fuel_app.areas.service import company
from fuel_app.customers import preview as samples
from fuel_app.customers.preview import Preview
from fuel_app.customers.rules.account import Account
from fuel_app.customers.rules.profile import Customer
from fuel_app.customers.rules.vehicles import Vehicle
from fuel_app.customers.service.person import Own, Unverified


async def account_of(session: Session | None, kept: Customer | None) -> Account | None:
    """Return the account that a tab's screens show; None where it has to sign in first.

    `kept` is the sample as the tab has changed it.
    """
    if not await company.is_open():
        return Preview(kept)
    if session and session.has_own_pages:
        return Own(session)
    return Unverified(session) if session and session.sign_up_id else None


async def suggested_vehicle() -> Vehicle:
    """Return the vehicle that a one-time fill starts with."""
    return samples.VEHICLES[0]
