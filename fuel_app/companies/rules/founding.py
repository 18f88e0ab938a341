"""The beginning of a company, as an accepted proposal says it."""

from dataclasses import dataclass

from fuel_app.companies.rules.price_rules import PriceRule


@dataclass(frozen=True, slots=True)
class FoundingSite:
    """A site by its address; its pin is the ZIP's centre until somebody sets it."""

    name: str
    street: str
    city: str
    zip_code: str


@dataclass(frozen=True, slots=True)
class Founding:
    """The company of an accepted proposal.

    Args:
        kind: 'fleet' or 'employer'.
        terms, invoice_cycle: As `rules/companies.py` lists them.
        owner_email: Of the contact whose code accepted it: the owner's invitation goes there.
        actor: Who accepts, as the audit log names one.
        made_by: The staff member who made the proposal, if any: the account's owner.
    """

    name: str
    kind: str
    billing_email: str
    terms: str
    invoice_cycle: str
    sites: tuple[FoundingSite, ...]
    owner_email: str
    actor: str
    legal_name: str = ""
    po_required: bool = False
    price_rule: PriceRule | None = None
    made_by: str = ""
